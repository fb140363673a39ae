"""One-of-n questions: the probable choice, or the one that the text names and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from orka.agent.sensor.fragments import fragments
from orka.agent.sensor.ladder import CUT, REFUSED, read
from orka.agent.sensor.reading import Reading, Repair
from orka.value import Json

# Where an answer that is an object holds what was chosen.
_FIELDS = (
    *("response", "category", "choice", "label", "answer", "result", "classification", "class"),
    *("decision", "value"),
)
_LEAD = re.compile(r"(?:answer|category|label|response|result|choice|decision)\s*:\s*", re.I)
_AROUND = " \t\r\n*_`\"'“”‘’.!,;:()[]"


class Choice(msgspec.Struct, frozen=True):
    """The label that was chosen, its probability, those of all, and the mass of all labels before
    they were normalised; None where the model gives no probabilities."""

    label: str
    probability: float | None = None
    probabilities: Mapping[str, float] | None = None
    mass: float | None = None


def choice_in(
    reply: Mapping[str, Json], choices: Sequence[str], synonyms: Mapping[str, str] | None = None
) -> Reading:
    """A reading whose value is a `Choice`. `synonyms` maps further words (in small letters) to
    choices. Of equally probable choices the one written first is taken. A text that is not the
    label itself is a repair (`label`)."""
    shares = reply.get("probabilities")
    if shares:
        best = max(choices, key=lambda choice: shares[choice])
        return Reading(value=Choice(best, shares[best], shares, reply.get("mass")))
    reason: str = reply["finish_reason"].casefold()
    text: str = reply["text"]
    parts = fragments(text)
    if parts.unclosed:
        return _bad("unterminated_reasoning", f"{parts.unclosed} is not closed")
    known = {_bare(choice): choice for choice in choices} | dict(synonyms or {})
    said = _said(parts.prose)
    label = known.get(said)
    if label is None and reason in (*CUT, *REFUSED):
        kind = "truncated" if reason in CUT else "refused"
        return _bad(kind, f"there is no answer (finish_reason {reply['finish_reason']})")
    if label is None and not text.strip():
        return _bad("empty", "the answer is empty")
    if label is None:
        told = text.strip()
        told = told if len(told) <= 80 else told[:80] + "…"
        return _bad("choice", f"{told!r} is none of {', '.join(choices)}")
    if text.strip() == label.strip():
        return Reading(value=Choice(label))
    return Reading(value=Choice(label), repairs=(Repair("label", text, label),))


def twins(choices: Sequence[str]) -> tuple[str, str] | None:
    """Two choices that no text can tell apart, if there are any."""
    seen: dict[str, str] = {}
    for choice in choices:
        bare = _bare(choice)
        if bare in seen:
            return seen[bare], choice
        seen[bare] = choice
    return None


def _said(prose: str) -> str:
    """The one word or phrase an answer consists of; of an object, what its field says."""
    if "{" in prose or prose.strip().startswith('"'):
        reading = read(prose)
        found = reading.value if reading.ok else None
        if isinstance(found, dict):
            found = next((found[name] for name in _FIELDS if name in found), None)
        if isinstance(found, bool):
            return "true" if found else "false"
        if isinstance(found, str):
            return _bare(found)
    bare = _bare(prose)
    return _bare(_LEAD.sub("", bare, count=1)) if _LEAD.match(bare) else bare


def _bare(text: str) -> str:
    """A text in small letters without the marks around it."""
    return " ".join(text.strip(_AROUND).casefold().split())


def _bad(kind: str, message: str) -> Reading:
    return Reading(ok=False, kind=kind, message=message)
