"""Group commit: appends that wait together are committed together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from orka.errors import StoreError
from orka.kit.stores.sqlite.journal import Append, Journal

_BUFFER_SECONDS = 0.05
_BUFFER_LINES = 1_000


class Commits(Protocol):
    """When appends become durable."""

    async def submit(self, append: Append, *, alone: bool) -> None:
        """Returns when `append` is as durable as promised. `alone`: nobody else will come."""

    def settle(self, run: str | None = None) -> None:
        """Commit now what still waits: of `run`, or of all. Raises what goes wrong unseen."""

    def close(self) -> None:
        """Settle all and let go of threads."""


class GroupCommits:
    """One commit for all appends of one turn of the event loop; a lone one at once.

    With `threaded`, groups are committed by one writer thread, so that the loop stays free while
    the disk syncs; what arrives meanwhile forms the next group.
    """

    def __init__(self, journal: Journal, *, threaded: bool) -> None:
        self._journal, self._threaded = journal, threaded
        self._waiting: list[tuple[Append, asyncio.Future[None]]] = []
        self._runs: Counter[str | None] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool: ThreadPoolExecutor | None = None

    async def submit(self, append: Append, *, alone: bool) -> None:
        if alone and not self._waiting:
            (outcome,) = self._journal.write([append])
            if outcome:
                raise outcome
            return
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._waiting.append((append, future))
        self._runs[append.run] += 1
        if self._loop is not loop:
            # Either no flush is due, or it was due on a loop that has ended.
            self._loop = loop
            loop.call_soon(self._flush)
        await future

    def settle(self, run: str | None = None) -> None:
        if run is None or self._runs[run]:
            with self._journal.lock:
                self._write(self._take())

    def close(self) -> None:
        self.settle()
        if self._pool:
            self._pool.shutdown()
            self._pool = None

    def _take(self) -> list[tuple[Append, asyncio.Future[None]]]:
        group, self._waiting = self._waiting, []
