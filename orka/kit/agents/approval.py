"""`approval`: asks a person and waits, durably, for the answer."""

from __future__ import annotations

import msgspec

from orka.agent.agent import agent
from orka.agent.approving import ANSWER, approved, refused
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json


class ApprovalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`prompt` is what the person reads, `show` what is put beside it byte for byte (text in it is
    a template). `approvers` are those who may answer; after `timeout_after` seconds the node fails
    with `approval.timeout`."""

    prompt: str
    show: Json = None
    approvers: tuple[str, ...] = ()
    timeout_after: float | None = None


def _problem(options: ApprovalOptions) -> str:
    if options.timeout_after is not None and not options.timeout_after > 0:
        return "`timeout_after` must be a number of seconds above 0"
    if not all(name.strip() for name in options.approvers):
        return "`approvers` are names, none of them empty"
    return ""


@agent(
    "approval",
    config=ApprovalOptions,
    templates=("prompt", "show"),
    check=_problem,
    version="2",
    timed=False,
)
async def approval(ctx: Context) -> Json:
    """Give the answer if it is yes; a no fails the node, and so does no answer in time."""
    answer = await ctx.ask(
        ctx.render("prompt"),
        schema=ANSWER,
        sealed=True,
        show=None if ctx.config.show is None else ctx.render("show"),
        approvers=ctx.config.approvers,
        within=ctx.config.timeout_after,
    )
    if approved(answer):
        return {key: item for key, item in answer.items() if key != "seal"}
    raise AgentError(
        refused(repr(ctx.node), answer),
        code="approval.denied",
        fix="give the node an `on_error` edge to go on after a no",
    )
