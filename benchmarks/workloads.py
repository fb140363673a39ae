"""What every engine is asked to do: the graphs, their sizes, the results they must give."""

from __future__ import annotations

import random
import string
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, Protocol

Run = Callable[[int], Awaitable[object]]
"""Runs a graph once; the number of the run is its input where it matters."""


class NotSupported(Exception):
    """An engine has no natural way to express a workload."""


class Visits:
    """Counts the nodes that really ran."""

    __slots__ = ("nodes",)

    def __init__(self) -> None:
        self.nodes = 0


class Peer(Protocol):
    """One engine. A builder gives a function that runs the graph once.

    Building is not timed; what a user has to do for each run (a new application object, a thread
    id) belongs into that function. A node counts its visit, passes on a tiny value and does nothing
    else, unless it waits `wait` seconds. Builders raise `NotSupported`.
    """

    def __init__(self, variant: str, folder: str, visits: Visits) -> None: ...
    async def open(self) -> None: ...
    async def close(self) -> None: ...

    def chain(self, n: int, wait: float = 0.0) -> Run:
        """`n` nodes in a row; x starts at 0, each adds 1; gives x."""

    def fanout(self, n: int, wait: float = 0.0) -> Run:
        """A source, `n` branches that give 1, a join; gives the sum."""

    def loop(self, n: int) -> Run:
        """A body that adds 1 to x while x < n; gives x."""

    def router(self) -> Run:
        """entry, classify, left or right by the run's number, finish; gives the side."""

    def lanes(self, lanes: list[list[float]]) -> Run:
        """A source, parallel lanes of nodes that wait, a join; gives how many waited."""

    def growth(self, n: int, size: int) -> Run:
        """`n` nodes in a row, each adds `size` bytes of text to the state; gives their total."""

    def steps(self, n: int) -> Run:
        """A chain whose nodes each do work that must not be lost or repeated; gives `n`."""

    def replay(self, n: int, *, steps: bool) -> Run:
        """Replays a recorded chain of `n` (or `steps`); gives what it gave."""


Mode = Literal["repeat", "many", "at_once"]


@dataclass(frozen=True, slots=True)
class Workload:
    """`size` nodes (or steps) per run. `repeat`: one run after another, timed one by one; `many`:
    `runs` one after another, timed together; `at_once`: `runs` at once."""

    key: str
    group: str
    size: int
    build: Callable[[Peer], Run]
    expected: Callable[[int], object]
    visits: int | None = None
    mode: Mode = "repeat"
    runs: int = 1


def catalogue(*, tiny: bool = False) -> list[Workload]:
    """All workloads; `tiny` ones run in no time and only show that the results are right."""

    def sized(full: int, small: int) -> int:
        return small if tiny else full

    wait = 0.001 if tiny else 0.02
    works = [_chain(f"chain{n}", "W1", sized(n, 3)) for n in (10, 100, 1000)]
    works += [_fanout(f"fanout{n}", "W2", sized(n, 3)) for n in (10, 100, 1000)]
    works += [
        _loop("loop1000", sized(1000, 3)),
        _router("router10000", sized(10_000, 4)),
        _fanout("fork100x50ms", "W5", sized(100, 3), 0.001 if tiny else 0.05),
        _lanes("aligned150ms", [[0.05, 0.05, 0.05], [0.05, 0.05, 0.05]], tiny=tiny),
        _lanes("skewed150ms", [[0.01, 0.07, 0.07], [0.07, 0.01, 0.07]], tiny=tiny),
        _chain("runs1000x5x20ms", "W6", 5, wait, mode="at_once", runs=sized(1000, 4)),
    ]
    works += [_growth(f"growth{n}", sized(n, 3), 1024) for n in (250, 400, 1000)]
    works += [_chain(f"integer{n}", "W7", sized(n, 3)) for n in (100, 400)]
    works += [
        _steps("durable200", sized(200, 3)),
        _chain("decisions200", "W9", sized(200, 3)),
        _chain("durable1000x5x20ms", "W9", 5, wait, mode="at_once", runs=sized(1000, 4)),
        _replay("replay1000", sized(1000, 3), steps=False),
        _replay("replay_steps200", sized(200, 3), steps=True),
    ]
    return works


@cache
def text(size: int) -> str:
    """Text that does not compress to nothing."""
    return "".join(random.Random(size).choices(string.ascii_letters, k=size))


def _chain(
    key: str, group: str, n: int, wait: float = 0.0, *, mode: Mode = "repeat", runs: int = 1
) -> Workload:
    return Workload(key, group, n, lambda p: p.chain(n, wait), lambda i: n, n, mode, runs)


def _fanout(key: str, group: str, n: int, wait: float = 0.0) -> Workload:
    return Workload(key, group, n, lambda p: p.fanout(n, wait), lambda i: n)


def _loop(key: str, n: int) -> Workload:
    return Workload(key, "W3", n, lambda p: p.loop(n), lambda i: n, n)


def _router(key: str, runs: int) -> Workload:
    sides = ("left", "right")
    return Workload(key, "W4", 4, lambda p: p.router(), lambda i: sides[i % 2], 4, "many", runs)


def _lanes(key: str, waits: list[list[float]], *, tiny: bool) -> Workload:
    lanes = [[0.001 if tiny else wait for wait in lane] for lane in waits]
    count = sum(len(lane) for lane in lanes)
    return Workload(key, "W5", count, lambda p: p.lanes(lanes), lambda i: count)


def _growth(key: str, n: int, size: int) -> Workload:
    return Workload(key, "W7", n, lambda p: p.growth(n, size), lambda i: n * size, n)


def _steps(key: str, n: int) -> Workload:
    return Workload(key, "W9", n, lambda p: p.steps(n), lambda i: n, n)


def _replay(key: str, n: int, *, steps: bool) -> Workload:
    return Workload(key, "replay", n, lambda p: p.replay(n, steps=steps), lambda i: n)
