"""What a reading is when it is compared: models say "9", "True" and "2.0" for what is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import msgspec

from orka.agent.view import text_of
from orka.value import Json

# A whole number as floats are written.
_WHOLE = re.compile(r"([+-]?\d+)\.0+")
_BOOLEANS = {"true": True, "false": False}


def label(text: str) -> str:
    """What two words must have in common to be the same label: 2.0 is 2, and Yes is yes."""
    word = text.strip().casefold()
    whole = _WHOLE.fullmatch(word)
    return whole.group(1) if whole else word


def as_compared(value: Json, condition: str) -> Json:
    """The value as what it is compared with: a text that is a number, as models give it, is that
    number, "true" is true, and beside texts alone a number or a truth value is its text."""
    tree = ast.parse(condition.strip(), mode="eval").body
    if any(isinstance(node, ast.Call) for node in ast.walk(tree)):
        return value  # len(value) is about the text
    constants = list(_constants(tree))
    texts = [each for each in constants if isinstance(each, str)]
    others = [each for each in constants if not isinstance(each, str)]
    if isinstance(value, str):
        word = value.strip()
        if word in texts:
            return word
        if texts and not others:
            return next((each for each in texts if _says(each, word, _number(word))), word)
        flags = any(isinstance(each, bool) for each in others)
        return (
            _BOOLEANS[word.casefold()] if flags and word.casefold() in _BOOLEANS else _number(word)
        )
    if isinstance(value, (bool, int, float)) and texts and not others:
        word = text_of(value)
        return next((each for each in texts if _says(each, word, value)), word)
    return value


def _says(text: str, word: str, value: Json) -> bool:
    """Whether a literal is the text of a value, in whatever form: 1e-3 is 0.001."""
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    same = numeric and _number(text.strip()) == value
    return same or label(text) == label(word)


def _constants(node: ast.AST) -> Iterator[Json]:
    """The literals of a condition, but those that name a field."""
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.Name):
        yield from [_BOOLEANS[node.id]] if node.id in _BOOLEANS else []
    elif isinstance(node, ast.Subscript):
        yield from _constants(node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _constants(child)


def _number(word: str) -> Json:
    try:
        return msgspec.json.decode(word, type=int | float)
    except msgspec.DecodeError:
        return word
