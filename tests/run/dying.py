"""A program that runs ten steps on a SQLite store and may be killed: `dying.py DB LOG MODE AT`.

MODE `event`: killed when event AT was stored. `step`: killed inside step AT, after it acted.
`resume`: takes the run up; `resume-event`: and is killed again. Each step appends a line to LOG.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.tool import tool
from orka.engine.handlers import ToolHandler
from orka.engine.outside import Audience
from orka.engine.worker import Worker, World
from orka.event.event import Event, RunStarted
from orka.graph.compile import compile
from orka.graph.graph import Graph
from orka.kit.stores.sqlite import SqliteStore
from orka.run.scheduler import RULES
from orka.run.state import State
from orka.spec.load import load
from orka.value import Json

RUN = "ten-steps"


class Inner(msgspec.Struct, frozen=True):
    body: dict[str, Json]


@agent("step")
async def step(ctx: Context) -> Json:
    return await ctx.tool("act", step=ctx.node, big="x" * 9000)


@agent("pair")
async def pair(ctx: Context) -> Json:
    return await ctx.all(ctx.tool("act", step=f"{ctx.node}-left"), ctx.random())


@agent("inner", config=Inner, shape=lambda config: Shape(inner={"body": "body"}))
async def inner(ctx: Context) -> Json:
    return await ctx.graph("body", None)


def ten_steps() -> Graph:
    """Steps 1 to 10: 4 asks for two things at once, 7 is a step of an inner workflow."""
    body = {"orchestrator": {"id": "b"}, "agents": [{"id": "s7", "type": "step"}]}
    agents: list[Json] = [{"id": f"s{at}", "type": "step"} for at in range(1, 11)]
    agents[3] = {"id": "s4", "type": "pair"}
    agents[6] = {"id": "outer7", "type": "inner", "body": body}
    catalog = {kind.name: kind for kind in (step, pair, inner)}
    return compile(load({"orchestrator": {"id": "ten"}, "agents": agents}), catalog)


class Killer:
    """A watcher that ends the process at once, as a power cut would."""

    def __init__(self, at: int) -> None:
        self.at = at

    def event(self, run: str, seq: int, event: Event) -> None:
        if seq >= self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def text(self, run: str, effect: str, piece: str) -> None:
        """Nothing streams here."""


def acting(log: str, dies_in: str) -> ToolHandler:
    @tool
    def act(step: str, big: str = "") -> str:
        """Leaves a mark in the world."""
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{step}\n")
        if step.partition("-")[0] == dies_in:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"{step} done"

    return ToolHandler({"act": act})


async def main(path: str, log: str, mode: str, at: int) -> State:
    graph = ten_steps()
    handler = acting(log, f"s{at}" if mode == "step" else "")
    watchers = (Killer(at),) if mode.endswith("event") else ()
    world = World(SqliteStore(path), {"tool": handler}, audience=Audience(watchers))
    worker = Worker(world, graph, RUN)
    if mode.startswith("resume"):
        return await worker.resume()
    fact = RunStarted(
        at=time.time(), run=RUN, workflow=graph.id, graph=graph.digest, input=None, rules=RULES
    )
    return await worker.start(fact)


if __name__ == "__main__":
    print(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))).status)
