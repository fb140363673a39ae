"""A store that lives and ends with the process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from orka.errors import Conflict, RunBusy, RunNotFound, StoreCorrupt


class MemoryStore:
    """Implements `orka.port.store.Store`."""

    def __init__(self) -> None:
        self._lines: dict[str, list[bytes]] = {}
        self._blobs: dict[str, bytes] = {}
        self._claimed: set[str] = set()

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        known = len(self._lines.get(run, ()))
        if known != expected:
            raise Conflict(f"run {run!r} has {known} events, not {expected}")
        self._blobs.update(blobs)
        self._lines.setdefault(run, []).extend(lines)

    async def keep(self, blobs: Mapping[str, bytes]) -> None:
        self._blobs.update(blobs)

    def read(self, run: str, start: int = 0) -> list[bytes]:
        if run not in self._lines:
            raise RunNotFound(f"no run {run!r}", fix="`orka runs` lists what there is")
        return self._lines[run][start:]

    def salvage(self, run: str) -> list[bytes]:
        return self._lines.get(run, [])[:]

    def blob(self, digest: str) -> bytes:
        try:
            return self._blobs[digest]
        except KeyError:
            raise StoreCorrupt(f"blob {digest[:12]}… is missing", valid=0) from None

    def runs(self, limit: int, before: str = "") -> list[tuple[str, bytes, bytes]]:
        names = [name for name, lines in self._lines.items() if lines]
        if before:
            names = names[: names.index(before)]
        return [
            (name, self._lines[name][0], self._lines[name][-1]) for name in reversed(names[-limit:])
        ]

    def claim(self, run: str) -> AbstractContextManager[None]:
        return self._claim(run)

    @contextmanager
    def _claim(self, run: str) -> Iterator[None]:
        if run in self._claimed:
            raise RunBusy(f"run {run!r} is being driven already")
        self._claimed.add(run)
        try:
            yield
        finally:
            self._claimed.discard(run)

    async def close(self) -> None:
        self._claimed.clear()
