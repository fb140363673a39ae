"""Scores in what an agent gave: a number, a map that has one, or a text that names one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orka.score.number import NOTHING, Found, ascii_form, number_at, score_of_number
from orka.value import Json, parse

# Words that name a score where the author gave no pattern, the strongest first.
LABELS = ("score", "rating", "confidence", "agreement", "consensus")
# Keys of a map that hold its score, the strongest first.
KEYS = ("score", "final_score", "validation_score", "rating", "confidence", "agreement")
# Words before a label that say the number is not the score of this answer.
_OTHERS = (
    "previous|prior|last|old|earlier|target|goal|desired|required|needed|minimum|maximum|min|max"
    "|baseline|threshold|confidence"
)
_GAP = r"[\s*_`\"'’”\])}>|]{0,12}"
_SCALE = r"(?:[(\[](?P<scale>[^()\[\]\n]{0,40})[)\]])?"
_JOINT = r"(?:[:=–—→]|-(?![0-9.,])|\b(?:is|was|of|at|about|around|approximately)\b|≈|~)"
_FIRST = r"[\s*_`\"'’“(\[{<|+]{0,12}(?P<number>[-−$€£#<>≤≥%]?[.,]?\d)"
_BEFORE = rf"(?<!\w)(?:(?P<other>{_OTHERS})(?:[\s_-]+[^\W\d]{{1,20}})?[\s_-]+)?"
_PREFIX = r"(?:[^\W\d]{1,20}[_-]){0,3}(?<![^\W_])"
_NUMBER = rf"{_GAP}{_SCALE}{_GAP}(?:{_JOINT}{_GAP}){{0,3}}{_FIRST}"


def _named(label: str) -> re.Pattern[str]:
    more = "" if label == "score" else r"(?:[\s_-]{1,3}(?:score|level))?"
    return re.compile(rf"{_BEFORE}{_PREFIX}{label}{more}(?!\w){_NUMBER}", re.IGNORECASE)


_NAMED = {label: _named(label) for label in LABELS}
_OTHER = re.compile(rf"\b(?:{_OTHERS})\b", re.IGNORECASE)
_ALONE = re.compile(r"[\s*_`\"'“”(\[{]*([-+]?[.,]?[0-9][^\n]{0,40}?)[\s*_`\"'“”)\]}.!]*")
_FENCE = re.compile(r"```(?:json)?[ \t]*\n")
_TOP = re.compile(r"\s*(?:(?:out\s+of|/|0(?:\.0)?\s*(?:-|–|to|\.\.)\s*)\s*)(?P<top>[0-9.]+)\s*")


def score_of(value: Json, patterns: Sequence[re.Pattern[str]] = (), key: str = "") -> Found:
    """The score in an output. A number is one itself, a boolean never; a map has it under `key`,
    or one of `KEYS`; a text is read with the author's `patterns`, or by its labels."""
    if isinstance(value, bool) or value is None:
        return NOTHING
    if isinstance(value, (int, float)):
        return score_of_number(value)
    if isinstance(value, str):
        return _in_text(value, patterns, key)
    return _in_map(value, patterns, key) if isinstance(value, Mapping) else NOTHING


def matched(text: str, patterns: Sequence[re.Pattern[str]]) -> Found:
    """What the first pattern that matches at all names: its last match in the text, read whole, so
    that the 8 of "8/10" is 0.8. A later pattern never mends what an earlier one found unreadable.
    """
    plain = ascii_form(text)
    for pattern in patterns:
        found: list[Found] = []
        for match in pattern.finditer(plain):
            each = _captured(plain, match, found[-1].end if found else 0)
            found += [each] if each.there else []
        if found:
            return _last(found)
    return NOTHING


def labelled(text: str) -> Found:
    """The last number that the strongest of `LABELS` names in a text."""
    plain = ascii_form(text)
    for label in LABELS:
        matches = [m for m in _NAMED[label].finditer(plain) if not _of_another(m)]
        if matches:
            return _last([_labelled(plain, match) for match in matches])
    return NOTHING


def object_in(text: str) -> dict[str, Json] | None:
    """The JSON object that a text is, alone or in a fence."""
    body = text.strip()
    if (fence := _FENCE.match(body)) and body.endswith("```"):
        body = body[fence.end() : -3].strip()
    if not body.startswith("{"):
        return None
    try:
        value = parse(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def without_sureness(value: Mapping[str, Json]) -> dict[str, Json]:
    """The map without what a model says of its own answer: how sure it is of its `response`."""
    sure = ("confidence",) if "response" in value else ()
    return {name: item for name, item in value.items() if name not in sure}


def _in_map(value: Mapping[str, Json], patterns: Sequence[re.Pattern[str]], key: str) -> Found:
    value = value if key else without_sureness(value)
    for name in (key,) if key else KEYS:
        if name in value and not isinstance(value[name], Mapping):
            return score_of(value[name], patterns)
    for name in ("response", "result"):
        if name in value:
            return score_of(value[name], patterns, key)
    return NOTHING


def _in_text(text: str, patterns: Sequence[re.Pattern[str]], key: str) -> Found:
    if patterns:
        return matched(text, patterns)
    if (held := object_in(text)) is not None:
        return _in_map(held, patterns, key)
    plain = ascii_form(text)
    if alone := _ALONE.fullmatch(plain):
        found = number_at(plain, alone.start(1))
        whole = alone.group(1).rstrip(" \t*_`\"'.,!)").lstrip("+")
        if found.text.strip("- ") == whole.lstrip("-"):
            return found
        if found.problem:
            return found
    return labelled(text)


def _captured(text: str, match: re.Match[str], after: int) -> Found:
    """The number that a match caught: in its group `score`, its first group, or all of it. One that
    begins before `after` is part of what was read already."""
    group: int | str = "score" if "score" in match.re.groupindex else min(match.re.groups, 1)
    start, end = match.span(group)
    return number_at(text, start, end) if start >= after else NOTHING


def _of_another(match: re.Match[str]) -> bool:
    """True for a target, a bound, or the score of something else."""
    return match.group("other") is not None or bool(_OTHER.search(match.group("scale") or ""))


def _labelled(text: str, match: re.Match[str]) -> Found:
    at = match.start("number")
    digit = next(i for i in range(at, match.end("number")) if text[i] in ".,0123456789")
    found = number_at(text, digit)
    scale = match.group("scale")
    if scale is None or not any(char.isdigit() or char == "%" for char in scale):
        return found
    return _scaled(found, scale)


def _scaled(found: Found, scale: str) -> Found:
    """A number whose scale stands beside its label: "Score (0-10): 8"."""
    if any(mark in found.text for mark in "/%") or " of " in found.text:
        return found
    top = _TOP.fullmatch(scale)
    whole = "100" if scale.strip() == "%" else top.group("top") if top else ""
    if not whole:
        told = f"{found.text!r} has a scale that cannot be read: {scale!r}"
        return Found(text=found.text, problem=told)
    return number_at(f"{found.text}/{whole}", 0)


def _last(found: Sequence[Found]) -> Found:
    values = {(each.value, each.problem) for each in found}
    last = found[-1]
    return Found(last.value, last.text, last.problem, len(values))
