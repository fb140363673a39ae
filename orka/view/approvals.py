"""What a run asks people to approve: the bytes they approve, why they are asked, until when."""

from __future__ import annotations

from dataclasses import dataclass

from orka.event.event import EffectAnswered, Quarantined, RunStarted
from orka.value import Json, canonical
from orka.view.run import Attempt, Run


@dataclass(frozen=True, slots=True)
class Approval:
    """An open question. `shown` are the canonical bytes of what runs after a yes (or of what the
    workflow shows), as text; empty if there is only a prompt. `tainted`: the run holds text that
    may be looked at only as data."""

    run: str
    workflow: str
    node: str
    question: str
    prompt: str
    tool: str
    shown: str
    reason: str
    rule: str
    tainted: bool
    approvers: tuple[str, ...]
    expires: float | None
    seal: str
    yes_or_no: bool


def approvals(run: Run) -> list[Approval]:
    """What people are asked and have not answered, in the order it was asked."""
    if run.status != "waiting":
        return []
    held = tainted(run)
    return [_approval(run, asked, tainted=held) for asked in run.questions]


def tainted(run: Run) -> bool:
    """True once something in the run was quarantined, by an agent or by a filter."""
    return any(
        isinstance(event, Quarantined)
        or (
            isinstance(event, (RunStarted, EffectAnswered))
            and "quarantined" in (event.screened or ())
        )
        for event in run.events
    )


def answer_to(payload: Json, *, approved: bool, by: str = "", reason: str = "") -> Json:
    """A yes or a no to the question that was read; with its seal, if it has one."""
    seal = payload.get("seal", "") if isinstance(payload, dict) else ""
    notes = {"by": by, "reason": reason, "seal": seal}
    return {"approved": approved, **{key: text for key, text in notes.items() if text}}


def asks_for_yes(payload: Json) -> bool:
    """True for a question that wants a yes or a no."""
    schema = payload.get("schema") or {}
    return "approved" in (schema.get("required") or ())


def _approval(run: Run, asked: Attempt, *, tainted: bool) -> Approval:
    payload = asked.payload
    call = payload.get("call")
    shown = call if call is not None else payload.get("show")
    return Approval(
        run=run.id,
        workflow=run.started.workflow,
        node=asked.id.rpartition("#")[0],
        question=asked.id,
        prompt=payload["prompt"],
        tool=call["tool"] if call is not None else "",
        shown="" if shown is None else canonical(shown).decode(),
        reason=payload.get("reason", ""),
        rule=payload.get("rule", ""),
        tainted=tainted,
        approvers=tuple(payload.get("approvers", ())),
        expires=payload.get("expires"),
        seal=payload.get("seal", ""),
        yes_or_no=asks_for_yes(payload),
    )
