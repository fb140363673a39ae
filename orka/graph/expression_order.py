"""Comparisons by order in templates: the engine would put text and numbers into an order of its
own, so they are asked of `__ordered`, which refuses what has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orka.errors import TemplateError
from orka.value import Json

_SIGNS = ("<", ">", "<=", ">=")
_BOUNDS = (
    *("and", "or", "not", "if", "else", "in", "recursive"),
    *(",", "=", ":", "==", "!="),
)


def ordered(pieces: Sequence[str], marks: Sequence[str]) -> list[str]:
    """The pieces of an expression with its comparisons as calls. `marks`: the sign or word that a
    piece begins with, nothing for an operand."""
    if not any(mark in _SIGNS for mark in marks):
        return list(pieces)
    said: list[str] = []
    start = 0
    for at in range(len(pieces) + 1):
        if at < len(pieces) and marks[at] not in _BOUNDS:
            continue
        said += _asked(pieces[start:at], marks[start:at])
        said += pieces[at : at + 1]
        start = at + 1
    return said


def _asked(pieces: Sequence[str], marks: Sequence[str]) -> Sequence[str]:
    signs = [at for at, mark in enumerate(marks) if mark in _SIGNS]
    if len(signs) != 1 or not 0 < signs[0] < len(pieces) - 1:
        return pieces
    at, sign = signs[0], marks[signs[0]]
    left, right = "".join(pieces[:at]), "".join(pieces[at + 1 :])
    first = left.lstrip()
    space = pieces[at].removesuffix(sign)
    return [f"{left[: len(left) - len(first)]}__ordered({first},{space}{right}, '{sign}')"]


def in_order(left: Json, right: Json, sign: str) -> bool:
    """Whether `left` stands so to `right`. Raises `TemplateError` for values without an order."""
    if not any(isinstance(left, kinds) and isinstance(right, kinds) for kinds in _COMPARED):
        raise TemplateError(
            f"'{sign}' compares {_kind(left)} with {_kind(right)}",
            fix="make both numbers with `| float` or `| int`, or both text with `| string`",
        )
    try:
        after, same = left > right, left == right
    except TypeError:
        raise TemplateError(f"'{sign}' compares lists of different things") from None
    if sign in ("<=", ">=") and same:
        return True
    return bool(after if sign[0] == ">" else not after and not same)


_COMPARED: tuple[type | tuple[type, ...], ...] = ((int, float), str, (list, tuple))


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (bool, int, float)):
        return "a truth value" if isinstance(value, bool) else "a number"
    return "a map" if isinstance(value, Mapping) else "a list"
