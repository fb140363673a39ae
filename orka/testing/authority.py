"""The rules of authority: no call of a tool but what its policies let pass, or a person did."""

from __future__ import annotations

from collections.abc import Mapping

from orka.event.event import EffectAnswered, EffectRequested
from orka.testing.ledger import Question
from orka.value import canonical

_GATE = ".gate"


def check_authority(
    seq: int,
    verdicts: dict[str, str],
    questions: Mapping[str, Question],
    event: EffectRequested,
) -> list[str]:
    """A call that was judged runs after `auto`, or after a yes to exactly these arguments. Each
    verdict is good for one request; a retry needs none."""
    if event.kind == "ask" and event.id.endswith(_GATE):
        call = event.id.removesuffix(_GATE)
        told = verdicts.get(call)
        return [] if told == "ask" else [f"event {seq}: {event.id} is asked, ruled was {told!r}"]
    if event.kind != "tool" or event.retried or event.answer:
        return []
    verdict = verdicts.pop(event.id, None)
    if verdict in (None, "auto"):
        return []
    gate = questions.get(f"{event.id}{_GATE}")
    if verdict != "ask" or gate is None or not gate.answered or gate.error is not None:
        return [f"event {seq}: {event.id} runs, ruled was {verdict!r}"]
    shown = gate.event.payload["call"]
    same = canonical(shown) == canonical(
        {"args": event.payload["args"], "tool": event.payload["name"]}
    )
    yes = isinstance(gate.value, dict) and gate.value.get("approved") is True
    return [] if same and yes else [f"event {seq}: {event.id} runs, and nobody approved that"]


def check_yes(seq: int, asked: EffectRequested, event: EffectAnswered) -> list[str]:
    """An answer to a question about a call carries its seal and comes in time."""
    payload = asked.payload
    if asked.kind != "ask" or not isinstance(payload, dict) or "call" not in payload:
        return []
    value = event.value if isinstance(event.value, dict) else {}
    found = []
    if value.get("seal") != payload["seal"] or not payload["seal"]:
        found.append("was answered without its seal")
    if payload.get("expires") is not None and event.at > payload["expires"]:
        found.append("was answered too late")
    if payload.get("approvers") and value.get("by") not in payload["approvers"]:
        found.append("was answered by somebody who may not")
    return [f"event {seq}: {asked.id} {what}" for what in found]
