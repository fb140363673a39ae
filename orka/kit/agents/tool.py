"""`tool`: one call of a tool by name."""

from __future__ import annotations

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.value import Json


class ToolOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`args` (or `params`, the older word) are the arguments; text in them is a template."""

    tool: str
    args: dict[str, Json] | None = None
    params: dict[str, Json] | None = None


@agent(
    "tool",
    config=ToolOptions,
    templates=("args", "params"),
    shape=lambda options: Shape(tools=(options.tool,)),
    check=lambda options: (
        "`args` and `params` exclude each other" if options.args and options.params else ""
    ),
    version="1",
)
async def tool(ctx: Context) -> Json:
    """Call a tool."""
    args = ctx.render("args") or ctx.render("params") or {}
    return await ctx.tool(ctx.config.tool, **args)
