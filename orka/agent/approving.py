"""What a person answers to a question that wants a yes or a no."""

from __future__ import annotations

from orka.value import Json

# `seal` names the question as it was shown: see `show` of `orka approvals`.
ANSWER: Json = {
    "type": "object",
    "required": ["approved"],
    "properties": {
        "approved": {"type": "boolean"},
        "by": {"type": "string"},
        "reason": {"type": "string"},
        "seal": {"type": "string"},
    },
}


def approved(answer: Json) -> bool:
    """True for a yes. Whatever else it is, is a no."""
    return isinstance(answer, dict) and answer.get("approved") is True


def refused(who: str, answer: Json) -> str:
    """What to say after a no, with its reason if it has one."""
    reason = answer.get("reason") if isinstance(answer, dict) else None
    return f"{who} was not approved" + (f": {reason}" if isinstance(reason, str) else "")
