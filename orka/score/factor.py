"""A factor of a candidate: a value with its reason, or an abstention with its cause."""

from __future__ import annotations

import math

import msgspec

# Decimal places of factors and weights; scores are exact, so they have twice as many.
PLACES = 6
UNIT = 1_000_000
# What the built-in factors say against a candidate; everything else speaks for it.
PENALTIES = ("cost", "latency")
# Whole numbers from here on are not written out.
_LONG = 10**30
FACTORS = ("llm", "heuristics", "prior", *PENALTIES)


class Known(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="is",
    tag="known",
):
    """A value in [0, 1] (a benefit) or [-1, 0] (a penalty), and why it is that."""

    value: float
    reason: str = ""


class Abstained(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="unknown"
):
    """Nobody knows; `cause` says why. It is never a number."""

    cause: str


Reading = Known | Abstained


def reading(value: object, *, penalty: bool, reason: str = "") -> Reading:
    """What somebody says of a factor: a number, a (number, reason) pair, or a reading. A value that
    is none, not a number or out of range is an abstention that names it."""
    match value:
        case Abstained(cause=str()):
            return value
        case Known(reason=str() as told):
            return reading(value.value, penalty=penalty, reason=told)
        case Known() | Abstained():
            return Abstained("its reason is no text")
        case (number, str() as told):
            return reading(number, penalty=penalty, reason=told)
        case None:
            return Abstained(reason or "no value was given")
        case bool() | str():
            return Abstained(f"{value!r} is not a number")
        case int() | float():
            return _within(value, *bounds(penalty), reason)
    return Abstained(f"a {type(value).__name__} is not a number")


def bounds(penalty: bool) -> tuple[int, int]:  # noqa: FBT001  # the one thing it is about
    """The lowest and the highest value there can be."""
    return (-1, 0) if penalty else (0, 1)


def exact(value: float) -> int:
    """A value in units of 1e-6: scores are sums of whole numbers, the same on every machine."""
    return round(value * UNIT)


def _within(value: float, low: int, high: int, reason: str) -> Reading:
    if isinstance(value, float) and not math.isfinite(value):
        return Abstained(f"{value} is not a finite number")
    if not low <= value <= high:
        told = f"{value}" if abs(value) < _LONG else "a huge number"
        return Abstained(f"{told} is out of range: it must be in [{low}, {high}]")
    return Known(exact(value) / UNIT, reason)
