"""`workflow`: an inner workflow with a scope of its own."""

from __future__ import annotations

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.value import Json


class WorkflowOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`workflow` is written in place, or stands in a `file` of its own. `input` (a template, or
    values with templates in them) is what it gets; without it, the input of the run."""

    workflow: dict[str, Json] | None = None
    file: str = ""
    input: Json = None


def _check(options: WorkflowOptions) -> str:
    if options.workflow is not None and options.file:
        return "`workflow` and `file` exclude each other"
    if options.file:
        return f"`file` {options.file!r} was not read; load this workflow with orka.load"
    return "" if options.workflow is not None else "write a `workflow` in place, or name a `file`"


@agent(
    "workflow",
    config=WorkflowOptions,
    templates=("input",),
    shape=lambda options: Shape(inner={"body": "workflow"}, closed=True),
    check=_check,
    version="1",
)
async def workflow(ctx: Context) -> Json:
    """Run it and give its output."""
    given = ctx.render("input")
    return await ctx.graph("body", ctx.input if given is None else given)
