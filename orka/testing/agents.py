"""The agents of random graphs: each plays a list of steps that its workflow writes down.

Golden traces were recorded with them: what they do may grow, and never change.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Literal

import msgspec

from orka.agent.agent import AgentType, JoinPolicy, Shape, agent
from orka.agent.context import Context
from orka.agent.effect import Effect
from orka.errors import EffectFailed
from orka.value import Json, canonical, digest, plain

BIG = 9000


class Step(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One thing an agent does. `members` are the strands of `all`, or the one of `attempt`."""

    do: Literal[
        "llm", "tool", "memory", "sleep", "random", "now", "ask", "graph", "look", "note", "raise",
        "all", "attempt", "big", "spoil", "quarantine",
    ]  # fmt: skip
    name: str = ""
    seconds: float = 0.0
    members: tuple[tuple[Step, ...], ...] = ()
    settle: bool = False
    collect: bool = False
    limit: int = 0
    names: bool = False


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an agent does, and what it says about the graph around it."""

    steps: tuple[Step, ...] = ()
    odd: bool = False
    routes: Mapping[str, Sequence[str]] = {}
    branches: Sequence[Sequence[str]] = ()
    chained: bool = False
    closed: bool = False
    joins: str = ""
    policy: JoinPolicy | None = None
    catches: Mapping[str, str] = {}
    ends: Sequence[str] = ()
    times: int = 0
    limit: int = 0
    children: Sequence[Json] = ()
    one: Mapping[str, Json] | None = None
    two: Mapping[str, Json] | None = None


def _shape(plan: Plan) -> Shape:
    written = {"one": plan.one, "two": plan.two}
    return Shape(
        routes=plan.routes,
        branches=plan.branches,
        chained=plan.chained,
        closed=plan.closed,
        joins=plan.joins,
        policy=plan.policy,
        catches=plan.catches,
        children="children" if plan.children else "",
        inner={name: name for name, flow in written.items() if flow is not None},
        reads=plan.ends,
    )


@agent("act", config=Plan, shape=_shape)
async def act(ctx: Context) -> Json:
    """Plays its steps, one after another; takes the route that the results make."""
    seen: list[Json] = []
    await _play(ctx, ctx.config.steps, seen)
    return _value(ctx.config, seen)


@agent("meet", config=Plan, shape=_shape)
async def meet(ctx: Context) -> Json:
    """Joins branches: what each came to, in the order written."""
    return {"v": 5, "met": [[id, ctx.outputs.get(id)] for id in ctx.config.ends]}


@agent("again", config=Plan, shape=_shape)
async def again(ctx: Context) -> Json:
    """A loop: the body is a scope, each round sees what the last one gave."""
    last: Json = None
    rounds = 0
    for rounds in range(1, ctx.config.times + 1):
        last = await ctx.graph("one", {"x": rounds, "last": last})
        if _number(last) > 6:
            break
    return {"v": _number(last), "rounds": rounds, "last": last}


@agent("rescue", config=Plan, shape=_shape)
async def rescue(ctx: Context) -> Json:
    """Failover: the second scope if the first one fails."""
    try:
        return {"v": 1, "first": await ctx.graph("one", ctx.input)}
    except EffectFailed as failed:
        return {"v": 8, "failed": failed.code, "second": await ctx.graph("two", ctx.input)}


@agent("each", config=Plan, shape=_shape)
async def each(ctx: Context) -> Json:
    """The body once for each number, some at once; each sees its number three ways."""
    bodies = [
        ctx.graph("one", {"x": at}, names={"at": at}, outputs={"given": {"v": at}})
        for at in range(ctx.config.times)
    ]
    found = await ctx.all(*bodies, limit=ctx.config.limit, settle=True)
    return {"v": sum(_number(value) for value in found) % 10, "each": found}


@agent("nurse", config=Plan, shape=_shape)
async def nurse(ctx: Context) -> Json:
    """The children one after another, until one does well."""
    for child in ctx.config.children:
        try:
            return {"v": 2, "child": await ctx.graph(child["id"], ctx.input)}
        except EffectFailed as failed:
            await ctx.note("given up", child["id"], failed.code)
    raise ValueError("no child did well")


@agent("visit", config=Plan, shape=lambda plan: Shape(pool=True))
async def visit(ctx: Context) -> Json:
    """The agents that nothing leads to, each with what those before it gave."""
    found: dict[str, Json] = {}
    for id in ctx.pool:
        found[id] = await ctx.graph(id, ctx.input, outputs=found)
    return {"v": len(found), "visited": found, "spent": ctx.spent(), "settled": ctx.settled()}


@agent("insist", config=Plan, shape=_shape)
async def insist(ctx: Context) -> Json:
    """Tries: each opens the children, the first of them last next time, until they do well; with
    `limit` all at once. What succeeded in a try is not asked again."""
    order = [child["id"] for child in ctx.config.children]
    causes: list[Json] = []
    for number in range(1, ctx.config.times + 1):
        try:
            found = await _try(ctx, order, number)
        except EffectFailed as failed:
            causes.append([number, failed.code])
        else:
            await ctx.decided({"try": number, "failed": causes, "found": found})
            if sum(map(_number, found)) % 10 > 4:
                return {"v": number, "found": found}
        order = [*order[1:], *order[:1]]
    return {"v": 0, "causes": causes}


async def _try(ctx: Context, order: Sequence[str], number: int) -> list[Json]:
    limit = ctx.config.limit
    if limit:
        asked = [ctx.graph(id, ctx.input, once=number) for id in order]
        return list(await ctx.all(*asked, limit=limit))
    return [await ctx.graph(id, ctx.input, once=number) for id in order]


CATALOG: Mapping[str, AgentType] = {
    kind.name: kind for kind in (act, meet, again, rescue, each, nurse, visit, insist)
}


async def _play(ctx: Context, steps: Sequence[Step], seen: list[Json]) -> None:
    for step in steps:
        match step.do:
            case "all":
                members = _members(ctx, step)
                seen.append(await ctx.all(*members, settle=step.settle, limit=step.limit))
            case "attempt":
                await _attempt(ctx, step, seen)
            case "note":
                await ctx.repaired("marked", before=None, after=_mark(seen))
                await ctx.note("seen", f"{len(seen)} things")
                await ctx.violation(
                    effect="", where="$.v", message="no number", raw=_mark(seen), schema="0" * 64
                )
            case "quarantine":
                await ctx.quarantine([f"do as {_mark(seen)} says"], "it gives orders")
            case "raise":
                raise ValueError(f"{ctx.node} raises after {len(seen)} steps")
            case "now":
                seen.append(ctx.now())
            case "look":
                seen.append(list(ctx.outputs))
            case "big":
                seen.append({"$blob": "mine", "text": "é" * BIG})
            case "spoil":
                _spoil(ctx.input, *ctx.outputs.values(), *seen)
            case _:
                seen.append(await _effect(ctx, step, seen))


def _effect(ctx: Context, step: Step, seen: Sequence[Json]) -> Effect:
    ask: dict[str, Callable[[], Effect]] = {
        "llm": lambda: ctx.llm(f"{step.name} {_mark(seen)}", model="seeded/m"),
        "tool": lambda: ctx.tool("seeded", name=step.name, seen=list(seen)),
        "memory": lambda: ctx.memory("write", content=f"{step.name} {_mark(seen)}"),
        "sleep": lambda: ctx.sleep(step.seconds),
        "random": ctx.random,
        "ask": lambda: ctx.ask(f"{step.name} {_mark(seen)}?"),
        "graph": lambda: ctx.graph(
            step.name,
            {"x": len(seen), "seen": _mark(seen)},
            collect=step.collect,
            names={"told": _mark(seen)} if step.names else None,
        ),
    }
    return ask[step.do]()


async def _attempt(ctx: Context, step: Step, seen: list[Json]) -> None:
    try:
        await _play(ctx, step.members[0], seen)
    except EffectFailed as failed:
        seen.append({"caught": failed.code})
    except ValueError:
        seen.append({"caught": "ValueError"})


def _spoil(*values: Json) -> None:
    """Write into what was given: nobody else may ever see it."""
    for value in values:
        if isinstance(value, dict):
            value["spoilt"] = True
        elif isinstance(value, list):
            value.append("spoilt")


def _members(ctx: Context, step: Step) -> list[Effect | Coroutine[object, object, Json]]:
    """Members of one effect are given as that effect, longer ones as coroutines."""
    plain_kinds = ("llm", "tool", "memory", "sleep", "random", "graph")
    return [
        _effect(ctx, steps[0], [])
        if len(steps) == 1 and steps[0].do in plain_kinds
        else _member(ctx, steps)
        for steps in step.members
    ]


async def _member(ctx: Context, steps: Sequence[Step]) -> Json:
    seen: list[Json] = []
    await _play(ctx, steps, seen)
    return seen


def _value(plan: Plan, seen: list[Json]) -> Json:
    mark = _mark(seen)
    number = int(mark[:6], 16)
    value: dict[str, Json] = {"v": number % 10, "seen": seen}
    if plan.routes:
        value["route"] = list(plan.routes)[number % len(plan.routes)]
    if plan.odd:
        value |= {"pair": (1, 2), "set": {"b", "a"}, "nan": float("nan")}
    return value


def _mark(seen: Sequence[Json]) -> str:
    return digest(canonical(plain(list(seen))[0]))[:12]


def _number(value: Json) -> int:
    found = value.get("v") if isinstance(value, dict) else None
    return found if isinstance(found, int) else 0
