"""The agent types and the tool that OrKa's workloads are made of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
from workloads import Visits, text

import orka
from orka.agent.agent import AgentType, NoOptions, Shape, agent
from orka.value import Json


class Waiting(msgspec.Struct, frozen=True):
    """How long a node waits."""

    seconds: float


class Text(msgspec.Struct, frozen=True):
    """How many bytes a node adds."""

    size: int


class Repeat(msgspec.Struct, frozen=True):
    """`body` runs again until it gives `until`."""

    until: int
    body: dict[str, Json]


def things(visits: Visits) -> list[object]:
    """All agent types and tools, counting into `visits`."""
    made = _Nodes(visits)
    return [
        _type("add", made.add),
        _type("zero", made.zero),
        _type("one", made.one),
        _type("total", made.total),
        _type("side", made.side),
        _type("name", made.name),
        _type("last", made.last),
        _type("pause", made.pause, Waiting),
        _type("sleep", made.sleep, Waiting),
        _type("turn", made.turn, Text),
        _type("work", made.work),
        _type("repeat", made.repeat, Repeat, lambda options: Shape(inner={"body": "body"})),
        linger,
        increment,
        write,
    ]


def _type(
    name: str,
    function: Callable[..., object],
    config: type[msgspec.Struct] = NoOptions,
    shape: Callable[[Json], Shape] | None = None,
) -> AgentType:
    return agent(name, config=config, shape=shape)(function)  # type: ignore[arg-type]  # all are async


@orka.tool
async def linger(seconds: float) -> int:
    """Wait, as an answer from the network would."""
    await asyncio.sleep(seconds)
    return 1


@orka.tool
async def increment(x: int) -> int:
    """Work whose result must be kept."""
    return x + 1


@orka.tool
async def write(size: int) -> str:
    """Text from outside, as a model's answer would be."""
    return text(size)


class _Nodes:
    def __init__(self, visits: Visits) -> None:
        self.visits = visits

    async def add(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return next(iter(ctx.upstream.values()), ctx.input) + 1

    async def zero(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return 0

    async def one(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return 1

    async def total(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return sum(ctx.upstream.values())

    async def side(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return "right" if ctx.input % 2 else "left"

    async def name(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return ctx.node

    async def last(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return next(iter(ctx.upstream.values()))

    async def pause(self, ctx: orka.Context) -> Json:
        """Wait in a tool, and add what it gives."""
        self.visits.nodes += 1
        one = await ctx.tool("linger", seconds=ctx.config.seconds)
        return next(iter(ctx.upstream.values()), 0) + one

    async def sleep(self, ctx: orka.Context) -> Json:
        """The same with a durable timer."""
        self.visits.nodes += 1
        await ctx.sleep(ctx.config.seconds)
        return next(iter(ctx.upstream.values()), 0) + 1

    async def turn(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return await ctx.tool("write", size=ctx.config.size)

    async def work(self, ctx: orka.Context) -> Json:
        self.visits.nodes += 1
        return await ctx.tool("increment", x=next(iter(ctx.upstream.values()), 0))

    async def repeat(self, ctx: orka.Context) -> Json:
        value: int = 0
        while value < ctx.config.until:
            value = await ctx.graph("body", value)
        return value
