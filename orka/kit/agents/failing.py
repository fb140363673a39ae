"""`failing`: fails, so that what catches a failure can be tried out."""

from __future__ import annotations

import msgspec

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json


class FailingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`prompt` is what the failure says. `seconds` pass before it."""

    prompt: str = ""
    seconds: float = 0.0


@agent(
    "failing",
    config=FailingOptions,
    templates=("prompt",),
    check=lambda options: "" if options.seconds >= 0 else "`seconds` is negative",
    version="1",
)
async def failing(ctx: Context) -> Json:
    """Fail with `agent.failing`."""
    options: FailingOptions = ctx.config
    if options.seconds:
        await ctx.sleep(options.seconds)
    said = ctx.render("prompt")
    raise AgentError(
        f"{ctx.node!r} fails, as its type says" + (f": {said}" if said else ""),
        code="agent.failing",
        fix="this agent is for trying out `failover` and `on_error`; put a real one in its place",
    )
