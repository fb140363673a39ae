"""The YAML 1.2 core schema: what a scalar means. Yes, no, clock times and dates are text."""

from __future__ import annotations

import math
import re

from orka.value import Json

CORE = "tag:yaml.org,2002:"
_NULL = ("", "~", "null", "Null", "NULL")
_BOOL = {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
# Digits behind a leading zero are an identifier more often than a number: `01067` stays text, so
# that nothing is lost. The schema itself would drop the zero.
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_ANY_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_ANY_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_DIGITS = 400


def plain(text: str) -> Json:
    """The value of an unquoted scalar. Raises `ValueError` for numbers that JSON does not have."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return _int(text)
    if _FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return _float(text)
    return text


def tagged(kind: str, text: str) -> Json:
    """The value of a scalar with a core tag: `kind` is null, bool, int, float or str. Raises
    `ValueError` if the text is none."""
    if kind == "str":
        return text
    if kind == "null" and text in _NULL:
        return None
    if kind == "bool" and text in _BOOL:
        return _BOOL[text]
    if kind == "int" and _ANY_INT.fullmatch(text):
        return _int(text)
    if kind == "float" and (_ANY_FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text)):
        return _float(text)
    raise ValueError(f"{text[:40]!r} is not a value of the tag '!!{kind}'")


def _int(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"a number of {len(text)} digits is too long")
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)


def _float(text: str) -> float:
    value = math.inf if _NOT_FINITE.fullmatch(text) else float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is not a finite number, and JSON has no other")
    return value
