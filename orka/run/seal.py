"""Questions whose answer is worth something only for what was shown: sealed, and for a while."""

from __future__ import annotations

from orka.errors import Failure, InputError
from orka.value import Json, canonical, digest

TOO_LATE = "approval.timeout"
# Letters only, so that nothing that looks for numbers or keys takes a seal for one.
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_LENGTH = 40
# Keys that the run adds to a question when it is asked.
_ADDED = ("expires",)
# A question with one of these is answered with its seal or not at all.
_STRICT = ("call", "show", "approvers")


def sealed(payload: Json, *, run: str, graph: str, effect: str, attempt: int, now: float) -> Json:
    """A question as it is asked: with the time it expires, and a seal over all there is to it. One
    that asks for no seal stays as it is."""
    if "seal" not in payload:
        return payload
    asked = {**payload, "seal": ""}
    if (within := payload.get("within")) is not None:
        asked["expires"] = round(now + within, 6)
    over = {"run": run, "graph": graph, "effect": effect, "attempt": attempt, "asked": asked}
    name = digest(canonical(over))[:_LENGTH].translate(_LETTERS)
    return dict(sorted({**asked, "seal": name}.items()))


def bare(payload: Json) -> Json:
    """A question as the agent asks it, without what was added."""
    if not isinstance(payload, dict) or "seal" not in payload:
        return payload
    return {**{key: item for key, item in payload.items() if key not in _ADDED}, "seal": ""}


def refusal(payload: Json, value: Json, at: float) -> InputError | None:
    """Why an answer to a question is not taken; None if it is."""
    if not isinstance(payload, dict) or "seal" not in payload:
        return None
    if expired(payload, at):
        return late(payload)
    given = value if isinstance(value, dict) else {}
    strict = any(key in payload for key in _STRICT)
    if (strict or "seal" in given) and given.get("seal") != payload["seal"]:
        return InputError(
            "the answer does not carry the seal of this question: it was given to another one"
            if "seal" in given
            else "the answer carries no seal, so that nobody knows what it is an answer to",
            fix="look at the question again and answer that: `orka approvals show`",
            code="approval.mismatch",
        )
    if strict and type(given.get("approved")) is not bool:
        return InputError(
            "the answer is neither a yes nor a no",
            fix='say `{"approved": true}` or `{"approved": false}`',
            code="approval.answer",
        )
    named = payload.get("approvers")
    if named and given.get("by") not in named:
        return InputError(
            f"{given.get('by')!r} may not answer this",
            fix=f"these may: {', '.join(named)}; say who it is with `by`",
            code="approval.not_approver",
        )
    return None


def expired(payload: Json, at: float) -> bool:
    until = payload.get("expires")
    return until is not None and at > until


def late(payload: Json) -> InputError:
    return InputError(
        f"nobody answered within {payload.get('within')} s, which is never a yes",
        fix="`orka resume` asks again; give it more time in the workflow",
        code=TOO_LATE,
    )


def timed_out(payload: Json) -> Failure:
    """What an agent sees when nobody answered in time."""
    return late(payload).failure()
