"""`workflow`: an inner workflow with a scope of its own."""

from __future__ import annotations

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.value import Json


class WorkflowOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`workflow` is written in place. `input` (a template, or values with templates in them) is
    what it gets; without it, the input of the run."""

    workflow: dict[str, Json]
    input: Json = None


@agent(
    "workflow",
    config=WorkflowOptions,
    templates=("input",),
    shape=lambda options: Shape(inner={"body": "workflow"}),
    version="1",
)
async def workflow(ctx: Context) -> Json:
    """Run it and give its output."""
    given = ctx.render("input")
    return await ctx.graph("body", ctx.input if given is None else given)
