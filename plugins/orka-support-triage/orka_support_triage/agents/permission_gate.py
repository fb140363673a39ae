"""`permission_gate`: what of a plan the envelope's permissions allow. The engine holds the calls of
tools to the same through the workflow's policy; this says beforehand, and on the record."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.view import MISSING, field
from orka.errors import AgentError
from orka.value import Json
from orka_support_triage.actions import READING, action_of
from orka_support_triage.find import heads, referred, with_fields
from orka_support_triage.options import Laid, laid, problem
from orka_support_triage.schema.envelope import Entitlements, Permissions
from orka_support_triage.stage import envelope

PLAN = ("action_plan",)


class GateOptions(Laid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`source` names the plan: an output with an `action_plan`, or the list itself (the only output
    upstream that has one). `envelope` names the envelope (that of the last stage). `policy_id` is
    what is recorded (that of the envelope)."""

    source: str = ""
    envelope: str = ""
    policy_id: str = ""


class Ruled(msgspec.Struct, frozen=True):
    """One action of a plan and what is said of it."""

    action: str
    result: str
    reason: str
    policy_id: str


def _shape(options: GateOptions) -> Shape:
    known = laid(options)
    return Shape(reads=heads(known.source, known.envelope))


@agent("permission_gate", config=GateOptions, shape=_shape, check=problem, version="1")
async def permission_gate(ctx: Context) -> Json:
    """Give `{valid, checked_actions, policy_id, blocked_count, permitted}`."""
    options = laid(ctx.config)
    known = envelope(ctx, options.envelope)
    plan = _plan(ctx, options.source)
    policy = options.policy_id or str((known.get("constraints") or {}).get("policy_id", ""))
    ruled = [_ruled(item, known, policy) for item in plan]
    permitted = [
        {**item, "action": action_of(one.action)}
        for item, one in zip(plan, ruled, strict=True)
        if one.result == "allowed"
    ]
    denied = [one for one in ruled if one.result != "allowed"]
    told = ", ".join(f"{one.action}: {one.reason}" for one in denied)
    message = f"{len(permitted)} of {len(plan)} actions are permitted" + (
        f"; {told}" if told else ""
    )
    await ctx.note("triage.permissions", message, msgspec.to_builtins(ruled))
    return {
        "valid": not denied,
        "checked_actions": msgspec.to_builtins(ruled),
        "policy_id": policy,
        "blocked_count": len(denied),
        "permitted": permitted,
    }


def _plan(ctx: Context, source: str) -> list[dict[str, Json]]:
    value = referred(ctx, source) if source else with_fields(ctx, PLAN, "a plan")
    inner = field(value, PLAN[0])
    plan = value if inner is MISSING else inner
    if plan is None:
        return []
    if isinstance(plan, list) and all(isinstance(item, Mapping) for item in plan):
        return [dict(item) for item in plan]
    raise AgentError(
        f"the plan that {ctx.node!r} reads is no list of actions",
        where=f"node {ctx.node!r}",
        fix="give the agent that drafts it an `output` contract with `action_plan`",
        code="triage.plan",
    )


def _ruled(item: Mapping[str, Json], known: Mapping[str, Json], policy: str) -> Ruled:
    """Blocked wins over allowed, and what is not listed is denied."""
    permissions = msgspec.convert(known.get("permissions") or {}, Permissions)
    written = str(item.get("action", ""))
    action = action_of(written)
    blocked = {*permissions.blocked_actions, *map(action_of, permissions.blocked_actions)}
    if written in blocked or (action and action in blocked):
        return Ruled(written, "denied", "blocked", policy)
    if not action:
        return Ruled(written, "denied", "unknown", policy)
    if action in READING:
        return Ruled(written, "allowed", "read_only", policy)
    if action not in permissions.allowed_actions:
        return Ruled(written, "denied", "not_listed", policy)
    if action == "issue_refund" and (why := _beyond(item.get("details"), known)):
        return Ruled(written, "denied", why, policy)
    return Ruled(written, "allowed", "listed", policy)


def _beyond(details: Json, known: Mapping[str, Json]) -> str:
    """Why a refund is more than the customer is entitled to; '' if it is not."""
    context = known.get("context") or {}
    entitled = msgspec.convert(context.get("entitlements") or {}, Entitlements)
    if not entitled.refund_allowed:
        return "refund_not_allowed"
    amount = details.get("amount") if isinstance(details, Mapping) else None
    if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not amount > 0:
        return "amount_unknown"
    return "" if amount <= entitled.max_refund_amount_eur else "beyond_entitlement"
