"""No engine: what Python and the disk allow.

task   each node is an asyncio task: the baseline of all ratios
wal    task, and one SQLite row per node with the node's output (WAL, survives a process crash)
full   the same, on disk before the next node starts (survives a power cut)
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sqlite3
from collections.abc import Awaitable

import orjson  # type: ignore[import-not-found]  # in this peer's environment only
from workloads import NotSupported, Run, Visits, text

_SCHEMA = "CREATE TABLE event(id INTEGER PRIMARY KEY, run INTEGER, node INTEGER, body BLOB)"


class Peer:
    """Implements `workloads.Peer`."""

    def __init__(self, variant: str, folder: str, visits: Visits) -> None:
        self.variant, self.folder, self.visits = variant, folder, visits
        self.journal: sqlite3.Connection | None = None
        self.runs = itertools.count()

    async def open(self) -> None:
        if self.variant != "task":
            path = os.path.join(self.folder, "raw.db")
            self.journal = sqlite3.connect(path, isolation_level=None)
            self.journal.execute("PRAGMA journal_mode=WAL")
            mode = "FULL" if self.variant == "full" else "NORMAL"
            self.journal.execute(f"PRAGMA synchronous={mode}")
            self.journal.execute(_SCHEMA)

    async def close(self) -> None:
        if self.journal:
            self.journal.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.journal.close()

    async def _visit(self, wait: float) -> None:
        self.visits.nodes += 1
        if wait:
            await asyncio.sleep(wait)

    def _keep(self, run: int, node: int, value: object) -> None:
        if self.journal:
            body = orjson.dumps({"run": run, "node": node, "value": value})
            self.journal.execute(
                "INSERT INTO event(run, node, body) VALUES(?, ?, ?)", (run, node, body)
            )

    def chain(self, n: int, wait: float = 0.0) -> Run:
        async def add(x: int) -> int:
            self.visits.nodes += 1
            if wait:
                await asyncio.sleep(wait)
            return x + 1

        async def run(i: int) -> object:
            x, number = 0, next(self.runs)
            for node in range(n):
                x = await asyncio.create_task(add(x))
                self._keep(number, node, x)
            return x

        return run

    def fanout(self, n: int, wait: float = 0.0) -> Run:
        async def one() -> int:
            await self._visit(wait)
            return 1

        async def run(i: int) -> object:
            return sum(await asyncio.gather(*[one() for _ in range(n)]))

        return run

    def loop(self, n: int) -> Run:
        async def add(x: int) -> int:
            self.visits.nodes += 1
            return x + 1

        async def run(i: int) -> object:
            x = 0
            while x < n:
                x = await asyncio.create_task(add(x))
            return x

        return run

    def router(self) -> Run:
        async def give(value: object) -> object:
            self.visits.nodes += 1
            return value

        def node(value: object) -> Awaitable[object]:
            return asyncio.create_task(give(value))

        async def run(i: int) -> object:
            await node(i)
            side = await node("right" if i % 2 else "left")
            return await node(await node("left" if side == "left" else "right"))

        return run

    def lanes(self, lanes: list[list[float]]) -> Run:
        async def lane(waits: list[float]) -> int:
            for wait in waits:
                await asyncio.create_task(self._visit(wait))
            return len(waits)

        async def run(i: int) -> object:
            return sum(await asyncio.gather(*[lane(waits) for waits in lanes]))

        return run

    def growth(self, n: int, size: int) -> Run:
        async def give() -> str:
            self.visits.nodes += 1
            return text(size)

        async def run(i: int) -> object:
            items, number = [], next(self.runs)
            for node in range(n):
                items.append(await asyncio.create_task(give()))
                self._keep(number, node, items[-1])
            return sum(map(len, items))

        return run

    def steps(self, n: int) -> Run:
        return self.chain(n)

    def replay(self, n: int, *, steps: bool) -> Run:
        raise NotSupported
