"""Group commit: appends that wait together are committed together."""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple, Protocol

from orka.errors import StoreError
from orka.kit.stores.sqlite.journal import Append, Journal

Outcomes = list[StoreError | None]


class Commits(Protocol):
    """Decides when appends are committed."""

    async def submit(self, append: Append, *, alone: bool) -> None:
        """Returns when `append` is as durable as promised; `alone` says that no other will come."""

    def settle(self, run: str | None = None) -> None:
        """Commit now what still waits: of `run`, or of all."""

    def close(self) -> None:
        """Settle all and let go of threads."""


class _Waiting(NamedTuple):
    append: Append
    future: asyncio.Future[None]


class GroupCommits:
    """One commit for all appends of one turn of the event loop; a lone one at once.

    With `threaded`, groups are committed by one writer thread, so that the loop stays free while
    the disk syncs; what arrives meanwhile forms the next group.
    """

    def __init__(self, journal: Journal, *, threaded: bool) -> None:
        self._journal, self._threaded = journal, threaded
        self._waiting: list[_Waiting] = []
        self._runs: Counter[str | None] = Counter()
        self._due: asyncio.AbstractEventLoop | None = None  # where a flush is due
        self._home: asyncio.AbstractEventLoop | None = None  # where the flight lands
        self._pool: ThreadPoolExecutor | None = None
        self._flight: Future[Outcomes] | None = None

    async def submit(self, append: Append, *, alone: bool) -> None:
        if alone and not self._waiting and not self._flying():
            (outcome,) = self._journal.write([append])
            if outcome:
                raise outcome
            return
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._waiting.append(_Waiting(append, future))
        self._runs[append.run] += 1
        if self._due is not loop:  # nothing is due, or it was due on a loop that has ended
            self._due = loop
            loop.call_soon(self._flush, loop)
        await future

    def settle(self, run: str | None = None) -> None:
        if run is not None and not self._runs[run]:
            return
        if self._flight:
            self._flight.result()  # keeps the order: what flies was asked for first
        group = self._take()
        outcomes: Outcomes = [StoreError("the store failed")] * len(group)
        try:
            if group:
                outcomes = self._journal.write([waiting.append for waiting in group])
        finally:  # nobody waits for ever, not even for a mistake of ours
            self._resolve(group, outcomes)

    def close(self) -> None:
        self.settle()
        if self._pool:
            self._pool.shutdown()
            self._pool = self._flight = None

    def _flying(self) -> bool:
        return self._flight is not None and not self._flight.done()

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = None
        if not self._waiting or (self._flying() and self._home is loop):
            return
        if not self._threaded or self._flying():  # what flies will not land: its loop has ended
            self.settle()
            return
        group, self._home = self._take(), loop
        self._pool = self._pool or ThreadPoolExecutor(1, "orka-store")
        appends = [waiting.append for waiting in group]
        self._flight = self._pool.submit(self._journal.write, appends)
        self._flight.add_done_callback(lambda flight: self._landed(flight, group, loop))

    def _landed(
        self, flight: Future[Outcomes], group: list[_Waiting], loop: asyncio.AbstractEventLoop
    ) -> None:
        def land() -> None:
            error = flight.exception()
            failed: Outcomes = [StoreError(f"the store failed: {error!r}")] * len(group)
            self._resolve(group, failed if error else flight.result())
            self._flush(loop)

        with suppress(RuntimeError):  # the loop has ended: nobody waits any more
            loop.call_soon_threadsafe(land)

    def _take(self) -> list[_Waiting]:
        group, self._waiting = self._waiting, []
        return group

    def _resolve(self, group: list[_Waiting], outcomes: Outcomes) -> None:
        for (append, future), outcome in zip(group, outcomes, strict=True):
            self._runs[append.run] -= 1
            if not self._runs[append.run]:
                del self._runs[append.run]
            if future.done() or future.get_loop().is_closed():
                continue
            if outcome:
                future.set_exception(outcome)
            else:
                future.set_result(None)
