"""The few expected values that are written as prose: `null or a marked string` and the like."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from cases.language import NotUnderstood
from orka.value import Json

_TYPES: dict[str, Callable[[Json], bool]] = {
    "null": lambda value: value is None,
    "string": lambda value: isinstance(value, str),
    "a string": lambda value: isinstance(value, str),
    "a marked string": lambda value: isinstance(value, str),
    "list": lambda value: isinstance(value, list),
    "a list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
_SEQUENCE: dict[str, Callable[[Sequence[int]], bool]] = {
    "strictly ascending": lambda seq: all(a < b for a, b in pairwise(seq)),
    "ascending": lambda seq: list(seq) == sorted(seq),
    "no gaps": lambda seq: set(seq) == set(range(min(seq), max(seq) + 1)),
    "no doubles": lambda seq: len(set(seq)) == len(seq),
}
_VALUED = re.compile(r"(string|number|integer|list|boolean) (.+)")
_DOCUMENT = re.compile(r"(?:exactly )?one JSON (?:document|object)(?: with (.+))?")
# Their key of the printed result -> ours.
_RESULT = {"final_output": "output", "run_id": "run"}


def is_a(value: Json, words: str) -> bool:
    """Whether a value is of a type (`null or a marked string`), or one value (`string 2026-01-02`).

    Words that name no type are the value itself.
    """
    return any(_is_a(value, each.strip()) for each in words.split(" or "))


def _is_a(value: Json, words: str) -> bool:
    if words in _TYPES:
        return _TYPES[words](value)
    if valued := _VALUED.fullmatch(words):
        kind, text = valued.groups()
        return _TYPES[kind](value) and (value == text or json.dumps(value) == text)
    return bool(value == words)


def is_sequence(numbers: Sequence[int], words: str) -> bool:
    """`strictly ascending, no gaps, no doubles`."""
    clauses = [clause.strip() for clause in words.split(",")]
    if strange := [clause for clause in clauses if clause not in _SEQUENCE]:
        raise NotUnderstood(f"numbers cannot be {strange}")
    return all(_SEQUENCE[clause](numbers) for clause in clauses)


def printed(text: str, words: str) -> bool:
    """Whether output is `empty`, `exactly one JSON document, KEY VALUE`, or one `or` the other."""
    return any(_printed(text, each.strip()) for each in words.split(" or "))


def _printed(text: str, words: str) -> bool:
    if words in ("empty", "nothing"):
        return not text.strip()
    first, *clauses = (clause.strip() for clause in words.split(","))
    document = _DOCUMENT.fullmatch(first)
    if document is None:
        raise NotUnderstood(f"output cannot be {words!r}")
    clauses += document.group(1).split(" and ") if document.group(1) else []
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, Mapping) and all(_has(value, clause) for clause in clauses)


def _has(value: Mapping[str, Json], clause: str) -> bool:
    key, _, wanted = clause.partition(" ")
    name = key if key in value else _RESULT.get(key, key)
    return name in value and value[name] in (wanted, *_read(wanted))


def _read(text: str) -> list[Json]:
    try:
        return [json.loads(text)]
    except ValueError:
        return []
