"""One call each: run, check, open, replay, resume."""

from __future__ import annotations

import asyncio

from orka.api.runtime import Runtime
from orka.graph.graph import Graph
from orka.source import Flow
from orka.value import Json
from orka.view.run import Run


def run_sync(flow: Flow, input: Json = None, **settings: object) -> Run:
    """`run` for code that is not async. Raises what `run` raises."""
    return asyncio.run(run(flow, input, **settings))  # type: ignore[arg-type]  # checked by Runtime


async def run(flow: Flow, input: Json = None, *, run_id: str = "", **settings: object) -> Run:
    """Run a workflow once. `settings` are those of `Runtime`."""
    async with Runtime(**settings) as runtime:  # type: ignore[arg-type]  # checked by Runtime
        return await runtime.run(flow, input, run_id=run_id)


def check(flow: Flow, **settings: object) -> Graph:
    """Raises `ConfigError` and its kin for anything that can be found before a run."""
    return Runtime(**settings).check(flow)  # type: ignore[arg-type]  # checked by Runtime


def open_run(run_id: str, **settings: object) -> Run:
    """A recorded run. Raises `RunNotFound`, `StoreCorrupt`."""
    return Runtime(**settings).open(run_id)  # type: ignore[arg-type]  # checked by Runtime


def replay(run_id: str, **settings: object) -> Run:
    """Replay a recorded run. Raises `Diverged` unless it comes out byte-identical."""
    runtime = Runtime(**settings)  # type: ignore[arg-type]  # checked by Runtime
    runtime.replay(run_id)
    return runtime.open(run_id)


async def resume(run_id: str, **settings: object) -> Run:
    """Take up a run where its trace ends."""
    async with Runtime(**settings) as runtime:  # type: ignore[arg-type]  # checked by Runtime
        return await runtime.resume(run_id)
