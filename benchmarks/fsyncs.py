"""What an append to the SQLite store costs: CPU, and disk syncs (counted by strace).

`python benchmarks/fsyncs.py` prints, for each durability, the CPU µs per append of four lines for
a lone run and for 1,000 runs at once (minimum / median / maximum of five rounds), and the number
of fsyncs per append. Nothing here is timed against a limit; compare with `peer-bench`.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import ExitStack

from orka.kit.stores.memory import MemoryStore
from orka.kit.stores.sqlite import SqliteStore
from orka.kit.stores.sqlite.store import Durability
from orka.port.store import Store

ROUNDS = 5
DURABILITIES: tuple[Durability, ...] = ("buffered", "process", "power")
LINES = [b'{"event":{"kind":"%d","text":"%s"},"seq":0}' % (at, b"x" * 350) for at in range(4)]


async def lone(store: Store) -> int:
    """One run, 500 appends."""
    with store.claim("run"):
        for seq in range(0, 2_000, 4):
            await store.append("run", seq, LINES, {})
    return 500


async def many(store: Store) -> int:
    """1,000 runs at once, 5 appends each."""

    async def drive(run: str) -> None:
        for seq in range(0, 20, 4):
            await store.append(run, seq, LINES, {})

    with ExitStack() as claims:
        for at in range(1_000):
            claims.enter_context(store.claim(str(at)))
        await asyncio.gather(*(drive(str(at)) for at in range(1_000)))
    return 5_000


Load = Callable[[Store], Coroutine[None, None, int]]


async def cost(store: Store, load: Load) -> tuple[float, float]:
    """CPU and wall µs per append. What opens and creates the file is not counted."""
    await store.append("first", 0, [b"0"], {})
    cpu, wall = time.process_time(), time.perf_counter()
    appends = await load(store)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    await store.close()
    return cpu / appends * 1e6, wall / appends * 1e6


def told(name: str, costs: list[tuple[float, float]]) -> str:
    cpu, wall = (sorted(each) for each in zip(*costs, strict=True))
    spread = f"{cpu[0]:7.1f} / {statistics.median(cpu):7.1f} / {cpu[-1]:7.1f}"
    return f"{name:22} CPU µs per append {spread}   wall {statistics.median(wall):7.1f}"


def measure(load: Load) -> None:
    names = ("memory", *DURABILITIES)
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for _ in range(ROUNDS):
        for name in names:
            with tempfile.TemporaryDirectory(dir=".") as place:
                made = MemoryStore() if name == "memory" else SqliteStore(place, name)  # type: ignore[arg-type]  # one of the words
                costs[name].append(asyncio.run(cost(made, load)))
    for name in names:
        print(told(f"{load.__name__} {name}", costs[name]))


def syncs(durability: str, load: str) -> float:
    """fsyncs per append, counted from outside."""
    command = ["strace", "-f", "-c", "-e", "trace=fsync,fdatasync", sys.executable, __file__]
    told = subprocess.run([*command, load, durability], capture_output=True, text=True, check=True)
    table = [row.split() for row in told.stderr.splitlines()]
    calls = sum(int(row[3]) for row in table if row and row[-1] in ("fsync", "fdatasync"))
    return calls / int(told.stdout)


def main() -> None:
    for load in (lone, many):
        measure(load)
    if shutil.which("strace"):
        for name in ("lone", "many"):
            for durability in DURABILITIES:
                print(f"{name} {durability}: {syncs(durability, name):.3f} fsyncs per append")


if __name__ == "__main__":
    match sys.argv[1:]:
        case [("lone" | "many") as asked, ("buffered" | "process" | "power") as durability]:
            with tempfile.TemporaryDirectory(dir=".") as place:
                store = SqliteStore(place, durability)
                print(asyncio.run({"lone": lone, "many": many}[asked](store)))
        case _:
            main()
