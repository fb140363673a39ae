"""The species this module knows, and what their vital signs are at rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import msgspec

from orka_veterinary.measure import Vital

SPECIES = ("dog", "cat", "rabbit", "horse")
VITALS: tuple[Vital, ...] = get_args(Vital)


class Range(msgspec.Struct, frozen=True):
    """Both ends belong to it."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def told(self, unit: str) -> str:
        return f"{self.low:g} to {self.high:g} {unit}"


# What adult animals have at rest, in °C, beats and breaths per minute. Published tables differ by
# breed and size (Texas AgriLife Extension, Normal Physiological Values for Select Animals, 2009;
# reference tables of practices): each band holds the usual ones, so a value outside it is a reason
# to look and no diagnosis. A weight has no usual band: breeds differ too much.
USUAL: Mapping[str, Mapping[Vital, Range]] = {
    "dog": {
        "temperature": Range(37.5, 39.5),
        "heart_rate": Range(60, 140),
        "respiratory_rate": Range(10, 34),
    },
    "cat": {
        "temperature": Range(37.8, 39.5),
        "heart_rate": Range(110, 220),
        "respiratory_rate": Range(16, 40),
    },
    "rabbit": {
        "temperature": Range(38.3, 40.0),
        "heart_rate": Range(120, 325),
        "respiratory_rate": Range(30, 60),
    },
    "horse": {
        "temperature": Range(37.2, 38.6),
        "heart_rate": Range(28, 44),
        "respiratory_rate": Range(8, 20),
    },
}

# What a living animal can have: a value outside is a slip of the pen or of the reading, not a sign.
POSSIBLE: Mapping[str, Mapping[Vital, Range]] = {
    "dog": {
        "temperature": Range(30, 43.5),
        "heart_rate": Range(20, 300),
        "respiratory_rate": Range(4, 250),
        "weight": Range(0.1, 120),
    },
    "cat": {
        "temperature": Range(30, 43),
        "heart_rate": Range(40, 350),
        "respiratory_rate": Range(4, 200),
        "weight": Range(0.05, 16),
    },
    "rabbit": {
        "temperature": Range(32, 43),
        "heart_rate": Range(60, 400),
        "respiratory_rate": Range(8, 300),
        "weight": Range(0.03, 12),
    },
    "horse": {
        "temperature": Range(33, 43),
        "heart_rate": Range(16, 260),
        "respiratory_rate": Range(3, 160),
        "weight": Range(20, 1300),
    },
}


def possible(species: str | None, vital: Vital) -> Range:
    """What an animal of the species can have; any of them, if nobody knows which it is."""
    if species is not None:
        return POSSIBLE[species][vital]
    ranges = [POSSIBLE[each][vital] for each in SPECIES]
    return Range(min(each.low for each in ranges), max(each.high for each in ranges))


def usual(species: str | None, vital: Vital) -> Range | None:
    """What is usual at rest; None if nobody can say."""
    return None if species is None else USUAL[species].get(vital)
