"""`foreach`: runs an inner workflow once for each item of a list, some of them at once."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import AgentError, EffectFailed
from orka.value import Json, parse


class ForeachOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`items` is a list, or a template that gives one. `workflow` runs for each, with the item as
    its `input`; its templates also know `item` and `index` (from 0). At most `max_concurrency` run
    at once (0: all). An item that fails fails the agent, once those under way have ended; with
    `on_failure: partial` it leaves its error in the output."""

    items: list[Json] | str
    workflow: dict[str, Json]
    max_concurrency: int = 4
    on_failure: Literal["fail", "partial"] = "fail"


@agent(
    "foreach",
    config=ForeachOptions,
    templates=("items",),
    shape=lambda options: Shape(inner={"body": "workflow"}),
    check=lambda o: "" if o.max_concurrency >= 0 else "`max_concurrency` must be 0 or more",
    version="2",
)
async def foreach(ctx: Context) -> Json:
    """Give the outputs in the order of the items."""
    options: ForeachOptions = ctx.config
    items = _items(ctx, ctx.render("items"))
    failed: list[int] = []

    async def run(index: int, item: Json) -> Json:
        if failed and options.on_failure == "fail":
            return None  # what would be paid for in vain
        try:
            return await ctx.graph("body", item, names={"item": item, "index": index})
        except EffectFailed:
            failed.append(index)
            raise

    members = [run(index, item) for index, item in enumerate(items)]
    settle = options.on_failure == "partial"
    return await ctx.all(*members, settle=settle, limit=options.max_concurrency)


def _items(ctx: Context, given: Json) -> list[Json]:
    """The list that was rendered: a template prints lists as JSON."""
    if isinstance(given, str):
        with suppress(ValueError):
            given = parse(given)
    if isinstance(given, list):
        return given
    raise AgentError(
        f"the `items` of {ctx.node!r} are no list: {str(given)[:120]!r}",
        code="foreach.no_list",
        fix='give a list, or a template such as "{{ previous_outputs.plan.steps }}"',
    )
