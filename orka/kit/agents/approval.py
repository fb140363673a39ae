"""`approval`: asks a person and waits, durably, for the answer."""

from __future__ import annotations

import msgspec

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json

ANSWER = {
    "type": "object",
    "required": ["approved"],
    "properties": {
        "approved": {"type": "boolean"},
        "by": {"type": "string"},
        "reason": {"type": "string"},
    },
}


class ApprovalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`prompt` is what the person reads."""

    prompt: str


@agent("approval", config=ApprovalOptions, templates=("prompt",), version="1", timed=False)
async def approval(ctx: Context) -> Json:
    """Give the answer if it is yes; a no fails the node."""
    answer = await ctx.ask(ctx.render("prompt"), schema=ANSWER)
    if isinstance(answer, dict) and answer.get("approved") is True:
        return answer
    reason = answer.get("reason") if isinstance(answer, dict) else None
    raise AgentError(
        f"{ctx.node!r} was not approved" + (f": {reason}" if reason else ""),
        code="approval.denied",
        fix="give the node an `on_error` edge to go on after a no",
    )
