"""Buffered commits: an append is taken at once and committed within a moment."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from orka.errors import Conflict, StoreError
from orka.kit.stores.sqlite.journal import Append, Journal, conflict

_SECONDS = 0.05
_LINES = 1_000


class BufferedCommits:
    """Commits every 50 ms or 1,000 lines, and when a claim ends, a run is read, or all is closed.

    What cannot be written is kept and tried again; the next append of any run is told.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: list[Append] = []
        self._lines = 0
        self._stuck = False
        self._lengths: dict[str, int] = {}
        self._conflicts: dict[str | None, StoreError] = {}
        self._due: asyncio.AbstractEventLoop | None = None

    async def submit(self, append: Append, *, alone: bool) -> None:
        run, expected, lines, _ = append
        if self._stuck or self._lines >= _LINES:
            self.settle()
        if run is not None:
            if lost := self._conflicts.pop(run, None):
                raise lost
            length = self._lengths.get(run)
            if length is None:
                length = self._journal.length(run)
            if length != expected:
                raise conflict(run, expected, length)
            self._lengths[run] = expected + len(lines)
        self._waiting.append(append)
        self._lines += 1 + len(lines)
        loop = asyncio.get_running_loop()
        if self._due is not loop:
            self._due = loop
            loop.call_later(_SECONDS, self._flush)

    def settle(self, run: str | None = None) -> None:
        if self._waiting and (run is None or run in self._lengths):
            self._write()
        if lost := self._conflicts.pop(run, None):
            raise lost

    def close(self) -> None:
        self.settle()
        for lost in self._conflicts.values():
            raise lost

    def _write(self) -> None:
        outcomes = self._journal.write(self._waiting)
        self._stuck = all(outcomes) and not any(isinstance(each, Conflict) for each in outcomes)
        if self._stuck and outcomes[0]:
            raise outcomes[0]
        for append, outcome in zip(self._waiting, outcomes, strict=True):
            if outcome:
                self._conflicts.setdefault(append.run, outcome)
        self._waiting, self._lines, self._lengths = [], 0, {}

    def _flush(self) -> None:
        self._due = None
        with suppress(StoreError):  # remembered: the next append is told
            self.settle()
