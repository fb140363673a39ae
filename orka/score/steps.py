"""Steps of a procedure, as an answer lists them or as its sentences tell them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orka.value import Json

LONGEST, MOST, SHORTEST = 60, 8, 20
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):]|step\s+\d{1,2}\s*[.:)-])\s+(.+)$", re.I | re.M)
_SENTENCE = re.compile(r"[^.!?\n]+")
_DOING = (
    "adapt add aggregate align allocate analyze analyse apply approve arrange assemble assess "
    "assign build calculate categorize check choose classify clean collect combine compare "
    "compile compose compute confirm connect construct convert create define deploy derive "
    "describe design detect determine develop diagnose divide document draft eliminate ensure "
    "establish estimate evaluate examine execute explain explore extract filter find fix "
    "formulate gather generate group handle identify implement improve infer inspect "
    "integrate interpret investigate isolate iterate list locate map measure merge mitigate "
    "model monitor normalize observe optimize organize outline parse perform plan prepare "
    "prioritize process produce propose query rank read recommend reduce refine remove repair "
    "replace report resolve retrieve review run search segment select separate simulate solve "
    "sort specify split start study summarize synthesize test trace track transform translate "
    "understand update use validate verify visualize weigh write"
)
_VERBS = frozenset(_DOING.split())
_LEADING = re.compile(
    r"^(?:first|second|third|then|next|finally|afterwards|after that|and)\b[,:]?\s*", re.I
)


def steps_of(listed: Json, text: str) -> tuple[dict[str, Json], ...]:
    """Steps as `{action, description, order}`: those listed, else the items of a list in `text`,
    else its sentences that begin with a verb of doing; at most eight of them."""
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        found = [step for step in map(_listed, listed) if step[0]]
    else:
        items = [" ".join(item.split()) for item in _ITEM.findall(text)]
        found = [(item, item) for item in items or _sentences(text)][:MOST]
    return tuple(
        {"action": _short(action), "description": described, "order": at}
        for at, (action, described) in enumerate(found, 1)
    )


def _listed(step: Json) -> tuple[str, str]:
    """Action and description of one listed step."""
    if isinstance(step, Mapping):
        action = next(
            (
                v
                for k in ("action", "step", "name", "description")
                if isinstance(v := step.get(k), str)
            ),
            "",
        )
        more = step.get("description")
        told = f"{action}: {more}" if isinstance(more, str) and more != action else action
        return action.strip(), told.strip()
    told = step.strip() if isinstance(step, str) else ""
    return told, told


def _sentences(text: str) -> list[str]:
    bare = (_LEADING.sub("", " ".join(each.split())) for each in _SENTENCE.findall(text))
    long = [each for each in bare if len(each) >= SHORTEST]
    return [each for each in long if each.split()[0].strip(",:;").casefold() in _VERBS]


def _short(action: str) -> str:
    return action if len(action) <= LONGEST else f"{action[: LONGEST - 1].rstrip()}…"
