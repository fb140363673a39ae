"""Runs one engine through some workloads in this process and prints one line of JSON.

    python measure.py PEER VARIANT WORKLOAD[,WORKLOAD...] [--budget SECONDS] [--tiny]

Every result and the number of nodes that ran are checked. `run.py` starts this with the peer's own
interpreter.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import importlib
import json
import os
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workloads import NotSupported, Peer, Run, Visits, Workload, catalogue

Row = dict[str, object]
MOST = 200
# Engines that report home by default are told not to.
SILENT = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "BURR_TELEMETRY_ENABLED": "false",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HAYSTACK_AUTO_TRACE_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of wall and CPU time, and calls of fsync (None: not counted)."""

    wall: float
    cpu: float
    syncs: int | None


class Meter:
    """Measures from when it is made."""

    def __init__(self) -> None:
        self.syncs, self.cpu, self.wall = syncs(), time.process_time(), time.perf_counter()

    def cost(self) -> Cost:
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        now = syncs()
        made = None if now is None or self.syncs is None else now - self.syncs
        return Cost(wall, cpu, made)


def syncs() -> int | None:
    """Calls of fsync and fdatasync, if `run.py` put its counter in front of libc."""
    counter = getattr(ctypes.CDLL(None), "bench_syncs", None)
    return int(counter()) if counter else None


def resident() -> int:
    """Bytes of memory in use now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class WrongResult(Exception):
    """An engine did not do what the workload asks."""


def check(work: Workload, runs: int, visits: Visits, result: object, number: int) -> None:
    if result != work.expected(number):
        raise WrongResult(f"{work.key}: {str(result)[:200]!r}, not {work.expected(number)!r}")
    if work.visits is not None and visits.nodes != work.visits * runs:
        raise WrongResult(f"{work.key}: {visits.nodes} nodes ran, not {work.visits * runs}")


async def timed(work: Workload, run: Run, visits: Visits, number: int) -> Cost:
    """One run."""
    visits.nodes = 0
    meter = Meter()
    result = await run(number)
    cost = meter.cost()
    check(work, 1, visits, result, number)
    return cost


async def repeat(work: Workload, run: Run, visits: Visits, budget: float) -> Row:
    """One run after another, each timed; a run too slow to repeat counts itself."""
    gc.collect()
    first = await timed(work, run, visits, 0)
    costs = [first] if first.wall > 6 * budget else []
    total = 1
    started = time.perf_counter()
    while first.wall <= 6 * budget and len(costs) < MOST:
        costs.append(await timed(work, run, visits, total))
        total += 1
        if time.perf_counter() - started > budget:
            break
    return {
        "runs": total,
        "wall": statistics.median(cost.wall for cost in costs),
        "cpu": statistics.median(cost.cpu for cost in costs),
        "syncs": statistics.median(cost.syncs for cost in costs if cost.syncs is not None)
        if costs[0].syncs is not None
        else None,
    }


async def many(work: Workload, run: Run, visits: Visits, budget: float) -> Row:
    """`work.runs` runs one after another, or as many as fit into 20 budgets; costs are per run."""
    for number in range(4):
        await timed(work, run, visits, number)
    visits.nodes = done = 0
    meter = Meter()
    while done < work.runs:
        result = await run(done)
        if result != work.expected(done):
            raise WrongResult(f"{work.key}: {result!r} in run {done}")
        done += 1
        if done % 10 == 0 and time.perf_counter() - meter.wall > 20 * budget:
            break
    cost = meter.cost()
    check(work, done, visits, work.expected(0), 0)
    return {"runs": done, "wall": cost.wall / done, "cpu": cost.cpu / done}


async def at_once(work: Workload, run: Run, visits: Visits, budget: float) -> Row:
    """`work.runs` runs at once; wall time is that of all, CPU and memory are per run."""
    await timed(work, run, visits, 0)
    gc.collect()
    before, visits.nodes = resident(), 0
    meter = Meter()
    results = await asyncio.gather(*(run(number + 1) for number in range(work.runs)))
    cost = meter.cost()
    for number, result in enumerate(results):
        check(work, work.runs, visits, result, number + 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "runs": work.runs + 1,
        "wall": cost.wall,
        "cpu": cost.cpu / work.runs,
        "memory": (peak - before) / work.runs,
        "syncs": None if cost.syncs is None else cost.syncs / work.runs,
    }


async def measured(
    peer: Callable[[str, str, Visits], Peer],
    variant: str,
    work: Workload,
    budget: float,
    folder: Path,
) -> Row:
    visits = Visits()
    engine = peer(variant, str(folder), visits)
    await engine.open()
    try:
        warm = engine.chain(3)
        await warm(0)
        run = work.build(engine)
        mode = {"repeat": repeat, "many": many, "at_once": at_once}[work.mode]
        row = await mode(work, run, visits, budget)
    finally:
        await engine.close()
    disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    runs = row["runs"]
    assert isinstance(runs, int)
    return {**row, "disk": disk / runs, "size": work.size}


def safely(
    peer: Callable[[str, str, Visits], Peer], variant: str, work: Workload, budget: float
) -> Row:
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        row = asyncio.run(measured(peer, variant, work, budget, folder))
    except NotSupported:
        row = {"error": "not supported"}
    except Exception as error:  # an engine that fails is a result too
        row = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"key": work.key, **row}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer")
    parser.add_argument("variant")
    parser.add_argument("workloads")
    parser.add_argument("--budget", type=float, default=0.5)
    parser.add_argument("--tiny", action="store_true")
    asked = parser.parse_args()
    os.environ.update(SILENT)
    out = os.dup(1)
    os.dup2(2, 1)  # engines may print; the JSON goes to the real output
    module = importlib.import_module(f"peers.{asked.peer.replace('-', '_')}")
    keys = asked.workloads.split(",")
    works = [work for work in catalogue(tiny=asked.tiny) if work.key in keys or keys == ["all"]]
    rows = [safely(module.Peer, asked.variant, work, asked.budget) for work in works]
    os.write(out, json.dumps(rows).encode() + b"\n")
    os._exit(0)  # some engines leave threads behind


if __name__ == "__main__":
    main()
