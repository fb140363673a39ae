"""`plan_state`: takes a plan from one state to the next, or fails."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.view import text_of
from orka.errors import AgentError
from orka.value import Json

from orka_spec_driven.plan import SCHEMA, plan_in
from orka_spec_driven.record import MOVES, Move, State, kind_of, moved, record_of

# State -> the type of agent on whose word a plan gets there.
EVIDENCE: Mapping[str, str] = {"approved": "approval", "implemented": "review"}
_RECORD: Json = {
    "type": "object",
    "required": ["state", "version", "plan", "digest", "history", "seal"],
    "properties": {"state": {"enum": [state for state in MOVES if state]}, "plan": SCHEMA},
}


class PlanStateOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`to` is the next state. `after` is the `plan_state` before this one, `plan` the agent whose
    output is the plan of a new draft, `evidence` the `approval` or `review` on whose word it goes
    on. `because` says why; a template."""

    to: State
    plan: str = ""
    after: str = ""
    evidence: str = ""
    because: str = ""


def _check(options: PlanStateOptions) -> str:
    needed = EVIDENCE.get(options.to)
    if needed and not options.evidence:
        return f"`to: {options.to}` needs `evidence`: the id of an agent of type {needed!r}"
    if options.evidence and not needed:
        return f"`to: {options.to}` takes no `evidence`"
    if options.to != "draft":
        if not options.after:
            return f"`to: {options.to}` needs `after`: the id of the `plan_state` before it"
        if options.plan:
            return f"`to: {options.to}` takes no `plan`: only a draft can be another one"
    elif not (options.plan or options.after):
        return "`to: draft` needs `plan`: the id of the agent that gives it"
    return ""


@agent(
    "plan_state",
    config=PlanStateOptions,
    templates=("because",),
    shape=lambda o: Shape(reads=[id for id in (o.plan, o.after, o.evidence) if id]),
    check=_check,
    version="1",
    gives=_RECORD,
)
async def plan_state(ctx: Context) -> Json:
    """Give the plan's record: `state`, `version`, `plan`, its `digest`, `history`, `seal`. Fails
    with `plan.transition`, `plan.evidence`, `plan.invalid`, `plan.changed`, `plan.forged`."""
    options: PlanStateOptions = ctx.config
    record = record_of(ctx, options.after) if options.after else None
    if options.plan:
        plan = plan_in(ctx.outputs.get(options.plan), options.plan)
    else:
        plan = record["plan"] if record else {}
    move = Move(
        to=options.to,
        at=datetime.fromtimestamp(ctx.now(), UTC).isoformat(),
        by=_word(ctx, options) if options.evidence else ctx.node,
        because=text_of(ctx.render("because")),
    )
    found = moved(record, move, ctx.node, plan)
    step = found["history"][-1]
    told = f"the plan goes from {step['from'] or 'nowhere'} to {step['to']}"
    await ctx.note("plan.transition", told, {**step, "digest": found["digest"]})
    return found


def _word(ctx: Context, options: PlanStateOptions) -> str:
    """Who says that the plan may go on. Raises `AgentError` (`plan.evidence`)."""
    said, wanted = ctx.outputs.get(options.evidence), EVIDENCE[options.to]
    told = said if isinstance(said, Mapping) else {}
    yes = told.get("approved") is True or told.get("verdict") == "accepted"
    if kind_of(ctx, options.evidence) != wanted or not yes:
        raise AgentError(
            f"{options.evidence!r} does not say that the plan may be {options.to!r}",
            where=f"node {ctx.node!r}",
            fix=f"name an agent of type {wanted!r} upstream as `evidence`; it has to say yes",
            code="plan.evidence",
        )
    return f"{options.evidence}: {told['by']}" if told.get("by") else options.evidence
