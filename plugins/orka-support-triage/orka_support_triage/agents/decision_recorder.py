"""`decision_recorder`: which way a ticket went, by what evidence, at what risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.view import MISSING, field
from orka.value import Json, canonical, digest
from orka_support_triage.find import has, heads, of_type, referred, with_fields
from orka_support_triage.options import Laid, laid, problem
from orka_support_triage.schema.reading import builtins
from orka_support_triage.schema.record import Decision, DecisionRisks, Reason
from orka_support_triage.stage import envelope

_MONEY = ("issue_refund", "refund")


class RecorderOptions(Laid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each of `classification`, `risk`, `trust`, `redactions`, `draft`, `approval` names an output;
    without a name it is the only one upstream that fits, and None if there is none. `model` is
    recorded as the model behind the decision."""

    decision_type: Literal["routing", "classification", "action", "escalation"] = "routing"
    envelope: str = ""
    classification: str = ""
    risk: str = ""
    trust: str = ""
    redactions: str = ""
    draft: str = ""
    approval: str = ""
    model: str = ""


def _shape(options: RecorderOptions) -> Shape:
    known = laid(options)
    needed = (known.envelope, known.classification, known.risk, known.trust, known.redactions)
    return Shape(reads=heads(*needed, known.draft))


@agent("decision_recorder", config=RecorderOptions, shape=_shape, check=problem, version="1")
async def decision_recorder(ctx: Context) -> Json:
    """Give `{decision, decision_id}`; the decision is in the trace as well."""
    options = laid(ctx.config)
    known = envelope(ctx, options.envelope)
    read = {
        "classification": _read(ctx, options.classification, ("intent", "category")),
        "risk": _read(ctx, options.risk, ("overall_risk",)),
        "draft": _read(ctx, options.draft, ("action_plan", "reply")),
        "trust": _read(ctx, options.trust, (), "trust_boundary"),
        "redactions": _read(ctx, options.redactions, (), "redaction"),
        "approval": _approval(ctx, options.approval),
    }
    decision = builtins(_decision(ctx, options, known, read))
    name = decision["decision_id"]
    await ctx.note("triage.decision", f"{name}: {decision['chosen_path']}", decision)
    return {"decision": decision, "decision_id": name}


def _read(ctx: Context, source: str, fields: Sequence[str], kind: str = "") -> Json:
    """The output that is named, else the only one that fits; None if there is none."""
    if source:
        return referred(ctx, source)
    if kind:
        id = of_type(ctx, kind)
        return ctx.outputs[id] if id else None
    return with_fields(ctx, fields, f"an output with {' and '.join(fields)}", needed=False)


def _approval(ctx: Context, source: str) -> Json:
    """A person's answer, if the ticket came that way."""
    head = source.partition(".")[0]
    if source and head in ctx.outputs and has(ctx.outputs[head], ("approved",)):
        return referred(ctx, source)
    return None


def _decision(
    ctx: Context,
    options: RecorderOptions,
    known: Mapping[str, Json],
    read: Mapping[str, Json],
) -> Decision:
    intent = _text(read["classification"], "intent", "response")
    request = str(known.get("request_id", ""))
    return Decision(
        decision_id=_id(request, ctx.scope, ctx.node, options.decision_type),
        request_id=request,
        type=options.decision_type,
        chosen_path=f"{intent}_flow" if intent else "default_flow",
        confidence=_confidence(read["classification"]),
        reasons=tuple(_reasons(intent, read)),
        risks=_risks(intent, read),
        created_at=datetime.fromtimestamp(ctx.now(), UTC),
        model_id=options.model,
    )


def _id(request: str, scope: str, node: str, kind: str) -> str:
    """Made of the place of the decision: the same in each replay, and in each run of a request."""
    return f"d_{digest(canonical([request, scope, node, kind]))[:8]}"


def _confidence(classification: Json) -> float | None:
    value = field(classification, "confidence")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= 1 else None


def _text(value: Json, *names: str) -> str:
    for name in names:
        found = field(value, name)
        if isinstance(found, str) and found.strip():
            return found.strip()
    return ""


def _reasons(intent: str, read: Mapping[str, Json]) -> list[Reason]:
    found = []
    if intent:
        found.append(Reason(claim=f"the ticket is read as {intent}"))
    if level := _text(read["risk"], "overall_risk"):
        found.append(Reason(claim=f"the risk is {level}"))
    if isinstance(read["approval"], Mapping):
        by = read["approval"].get("by") or "somebody"
        found.append(Reason(claim=f"{by} has approved it"))
    cited = field(read["draft"], "citations")
    for each in cited if isinstance(cited, list) else ():
        if isinstance(each, Mapping):
            names = (each.get("tool_result_id"), each.get("item_id"))
            refs = tuple(str(name) for name in names if name)
            found.append(Reason(claim=str(each.get("claim", "")), evidence_refs=refs))
    return found


def _risks(intent: str, read: Mapping[str, Json]) -> DecisionRisks:
    detected = field(read["trust"], "injection_detected")
    total = field(read["redactions"], "total_pii_found")
    flags = field(read["risk"], "risk_flags")
    return DecisionRisks(
        prompt_injection_detected=detected if isinstance(detected, bool) else None,
        pii_risk=total > 0 if isinstance(total, int) else None,
        financial_risk=_financial(intent, read["draft"]),
        compliance_risk=None,
        custom_risks=tuple(map(str, flags)) if isinstance(flags, list) else (),
    )


def _financial(intent: str, draft: Json) -> bool | None:
    plan = field(draft, "action_plan")
    if plan is MISSING and not intent:
        return None
    actions = (
        [each.get("action") for each in plan if isinstance(each, Mapping)]
        if (isinstance(plan, list))
        else []
    )
    return "refund" in intent or any(action in _MONEY for action in actions)
