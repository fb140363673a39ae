"""Where traces live. Compare-and-append is the one primitive everything durable rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol


class Store(Protocol):
    """A trace is a list of lines (canonical bytes, one event each), numbered from 0."""

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        """Append `lines` if the run has exactly `expected` of them; all or nothing.

        When this returns, lines and blobs are as durable as the store promises. Raises
        `orka.errors.Conflict` if the run is longer, `StoreError` if it cannot be written.
        A caller that is cancelled while it waits does not take the lines back.
        """

    async def keep(self, blobs: Mapping[str, bytes]) -> None:
        """Keep blobs that no line refers to yet (a workflow's source)."""

    def read(self, run: str, start: int = 0) -> list[bytes]:
        """The lines from `start` on. Raises `RunNotFound`; `StoreCorrupt` for damaged bytes."""

    def salvage(self, run: str) -> list[bytes]:
        """The lines that can be read, up to the first that cannot. Never raises for damage."""

    def blob(self, digest: str) -> bytes:
        """Raises `StoreCorrupt` if it is missing or is not what its digest says."""

    def runs(self, limit: int, before: str = "") -> list[tuple[str, bytes, bytes]]:
        """(run, first line, last line), newest first."""

    def claim(self, run: str) -> AbstractContextManager[None]:
        """Be the only one that drives `run`. Raises `RunBusy`; ends with the process at last."""

    async def close(self) -> None: ...
