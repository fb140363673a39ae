"""A measurement as a record writes it, in numbers: one value, with its unit, in the usual unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

Vital = Literal["temperature", "heart_rate", "respiratory_rate", "weight"]
# The unit that values are given in.
UNIT: Mapping[Vital, str] = {
    "temperature": "°C",
    "heart_rate": "/min",
    "respiratory_rate": "/min",
    "weight": "kg",
}
_NUMBER = re.compile(r"(?<![\w.,−-])\d+(?:[.,]\d+)?(?![\d.,]*\d)")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[a-z°℃℉/]+")
_CELSIUS = ("°c", "c", "℃", "celsius")
_FAHRENHEIT = ("°f", "f", "℉", "fahrenheit")
_PER_MINUTE = ("bpm", "brpm", "/min", "/minute", "min", "minute", "beats/min")
# What a rate is called; its name says that it is per minute.
_NAMES: Mapping[Vital, tuple[str, ...]] = {
    "heart_rate": ("hr", "heart", "heartbeat", "pulse", "beats"),
    "respiratory_rate": ("rr", "resp", "respiration", "respiratory", "breath", "breaths"),
}
# Factors to the usual unit.
_WEIGHTS: Mapping[str, float] = {
    **dict.fromkeys(("kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"), 1.0),
    **dict.fromkeys(("g", "gram", "grams"), 0.001),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), 0.45359237),
}


class Measure(msgspec.Struct, frozen=True):
    """A value in the usual unit; or none, with the `kind` of problem and what it is in words."""

    value: float | None
    kind: str = ""
    problem: str = ""


def stands_in(said: str, text: str) -> bool:
    """True if the words of a measurement stand in the text, and not within another number."""
    words = r"\s+".join(re.escape(word) for word in said.split())
    whole = rf"(?<![\w.,]){words}(?![\w])(?![.,]\d)"
    return bool(words) and re.search(whole, text, re.IGNORECASE) is not None


def measured(vital: Vital, said: str) -> Measure:
    """The one value that `said` names. A unit is never guessed; the name of a rate says that it is
    one per minute."""
    numbers = _NUMBER.findall(said)
    if len(numbers) != 1 or len(_DIGITS.findall(numbers[0])) != len(_DIGITS.findall(said)):
        return Measure(None, "ambiguous", f"{said!r} holds no single number")
    if "," in numbers[0] and len(numbers[0].partition(",")[2]) == 3:
        return Measure(None, "ambiguous", f"the comma in {numbers[0]!r} can mean two things")
    number = float(numbers[0].replace(",", "."))
    after = _WORD.findall(said[said.index(numbers[0]) + len(numbers[0]) :].casefold())
    if vital == "temperature":
        return _temperature(number, after, said)
    if vital == "weight":
        return _weight(number, after, said)
    return _rate(vital, number, after, said)


def _rate(vital: Vital, number: float, units: list[str], said: str) -> Measure:
    words = set(_WORD.findall(said.casefold()))
    others = {word for name, own in _NAMES.items() if name != vital for word in own}
    wrong = [unit for unit in units if unit in (*_CELSIUS, *_FAHRENHEIT, *_WEIGHTS)]
    if wrong := [*wrong, *sorted(words & others)]:
        return Measure(None, "wrong_unit", f"{said!r} is about {wrong[0]!r}, no {vital} per minute")
    if words & {*_PER_MINUTE, *_NAMES[vital]}:
        return Measure(number)
    return Measure(None, "no_unit", f"{said!r} says neither what it is nor that it is per minute")


def _temperature(number: float, units: list[str], said: str) -> Measure:
    if any(unit in _CELSIUS for unit in units):
        return Measure(number)
    if any(unit in _FAHRENHEIT for unit in units):
        return Measure(round((number - 32) / 1.8, 2))
    return _without_unit(units, said, "°C or °F")


def _weight(number: float, units: list[str], said: str) -> Measure:
    found = [_WEIGHTS[unit] for unit in units if unit in _WEIGHTS]
    if found:
        return Measure(round(number * found[0], 4))
    return _without_unit(units, said, "kg, g or lb")


def _without_unit(units: list[str], said: str, wanted: str) -> Measure:
    known = (*_CELSIUS, *_FAHRENHEIT, *_PER_MINUTE, *_WEIGHTS)
    if wrong := [unit for unit in units if unit in known]:
        return Measure(None, "wrong_unit", f"{said!r} is in {wrong[0]!r}, not in {wanted}")
    return Measure(None, "no_unit", f"{said!r} names no unit: {wanted}")
