"""The store: traces in `<path>/runs.db`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal

from orka.errors import StoreError
from orka.kit.stores.sqlite.buffer import BufferedCommits
from orka.kit.stores.sqlite.database import Database
from orka.kit.stores.sqlite.group import Commits, GroupCommits
from orka.kit.stores.sqlite.journal import Append, Journal
from orka.kit.stores.sqlite.reader import Reader

Durability = Literal["buffered", "process", "power"]
_SYNCHRONOUS = {"buffered": "normal", "process": "normal", "power": "full"}


class SqliteStore:
    """Implements `orka.port.store.Store`. `durability` says what can be lost, never what can break:

    `buffered`  a killed process loses up to the last 50 ms of events;
    `process`   a killed process loses nothing, a power cut may lose the last events;
    `power`     neither loses an event whose `append` returned (one disk sync per append, shared
                by the runs that wait for it).

    In each, what is left of a run is a prefix of it. Nothing is created before the first write.
    `patience` is how many seconds to wait for another process that is writing.
    """

    def __init__(
        self, path: str = ".orka", durability: Durability = "process", *, patience: float = 10.0
    ) -> None:
        if durability not in _SYNCHRONOUS:
            raise StoreError(
                f"no durability is called {durability!r}",
                fix=f"choose one of {', '.join(_SYNCHRONOUS)}",
                code="store.durability",
            )
        synchronous = _SYNCHRONOUS[durability]
        self._database = Database(Path(path), synchronous=synchronous, patience=patience)
        self._reader = Reader(self._database)
        self._claims = 0
        journal = Journal(self._database)
        self._commits: Commits = (
            BufferedCommits(journal)
            if durability == "buffered"
            else GroupCommits(journal, threaded=durability == "power")
        )

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        append = Append(run, expected, tuple(lines), dict(blobs))  # ours while it waits
        await self._commits.submit(append, alone=self._claims == 1)

    async def keep(self, blobs: Mapping[str, bytes]) -> None:
        await self._commits.submit(Append(None, 0, (), dict(blobs)), alone=self._claims <= 1)

    def read(self, run: str, start: int = 0) -> list[bytes]:
        self._commits.settle(run)
        return self._reader.read(run, start)

    def salvage(self, run: str) -> list[bytes]:
        self._commits.settle(run)
        return self._reader.salvage(run)

    def blob(self, digest: str) -> bytes:
        self._commits.settle()
        return self._reader.blob(digest)

    def runs(self, limit: int, before: str = "") -> list[tuple[str, bytes, bytes]]:
        self._commits.settle()
        return self._reader.runs(limit, before)

    def claim(self, run: str) -> AbstractContextManager[None]:
        return self._claim(run)

    @contextmanager
    def _claim(self, run: str) -> Iterator[None]:
        self._database.prepare()
        with self._database.locks.claim(run):
            self._claims += 1
            try:
                yield
            finally:
                self._claims -= 1
                self._commits.settle(run)

    async def close(self) -> None:
        self._commits.close()
        self._database.close()
