"""What would make another candidate lead: exact values, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from orka.score.factor import UNIT
from orka.value import Json

# Decimal places of flips as JSON: they are fractions, and need not end.
_DIGITS = 12


class Flip(msgspec.Struct, frozen=True):
    """A value from which another candidate leads (`leads`; empty: nobody does): at that value
    itself (`at`), or only just beyond it. The value is `above` / `below`; one that is not `exact`
    is known to 1e-9."""

    above: int
    below: int
    leads: str
    at: bool
    exact: bool = True

    @staticmethod
    def of(value: Fraction, leads: str, *, at: bool, exact: bool = True) -> Flip:
        return Flip(value.numerator, value.denominator, leads, at, exact)

    @property
    def value(self) -> Fraction:
        return Fraction(self.above, self.below)

    def json(self) -> dict[str, Json]:
        return {
            "value": digits(self.value),
            "leads": self.leads or None,
            "at": self.at,
            "exact": self.exact,
        }


class WeightFlip(msgspec.Struct, frozen=True):
    """The nearest weights of a factor, below (0 or more) and above today's, that change the leader
    while all others stay. None: none does."""

    factor: str
    weight: Fraction
    below: Flip | None
    above: Flip | None

    def json(self) -> dict[str, Json]:
        return {
            "factor": self.factor,
            "weight": digits(self.weight),
            "below": None if self.below is None else self.below.json(),
            "above": None if self.above is None else self.above.json(),
        }


class ValueFlip(msgspec.Struct, frozen=True):
    """The nearest value of a candidate's factor that changes the leader. `now` is what counts for
    it today, in units of 1e-6 (None: nothing does); `known` says whether it was measured. Without a
    flip no value in the factor's range does it."""

    candidate: str
    factor: str
    known: bool
    now: int | None
    flip: Flip | None

    @property
    def value(self) -> Fraction | None:
        """What counts for it today."""
        return None if self.now is None else Fraction(self.now, UNIT)

    @property
    def move(self) -> Fraction | None:
        """By how much the value must rise or fall."""
        if self.flip is None or self.value is None:
            return None
        return self.flip.value - self.value

    def json(self) -> dict[str, Json]:
        return {
            "candidate": self.candidate,
            "factor": self.factor,
            "known": self.known,
            "value": digits(self.value),
            "move": digits(self.move),
            "flip": None if self.flip is None else self.flip.json(),
        }


class Nearest(msgspec.Struct, frozen=True, kw_only=True):
    """The nearest weights, by Euclidean distance, at which the leader changes (`at`) or just beyond
    which it does. If it is not `exact`, `cause` says why, and what it is instead."""

    distance: float
    weights: Mapping[str, Fraction]
    leads: str
    at: bool
    exact: bool = True
    cause: str = ""

    def json(self) -> dict[str, Json]:
        return {
            "distance": self.distance,
            "weights": {name: digits(weight) for name, weight in self.weights.items()},
            "leads": self.leads or None,
            "at": self.at,
            "exact": self.exact,
            "cause": self.cause or None,
        }


class Distance(msgspec.Struct, frozen=True):
    """How far a rival's score is behind the leader's, and how many standard deviations of the
    judge's noise that is (None: nobody knows, or there is no noise at all)."""

    candidate: str
    gap: Fraction
    deviations: float | None

    def json(self) -> dict[str, Json]:
        return {
            "candidate": self.candidate,
            "gap": digits(self.gap),
            "deviations": self.deviations,
        }


class Flips(msgspec.Struct, frozen=True, kw_only=True):
    """All that would change the leader of a decision. `nearest` is over all weights, `allowed` over
    those that are 0 or more. `noise` is the standard deviation of a difference of two scores;
    `coin_flip` says whether the nearest rival is within two of them (None: nobody knows)."""

    leader: str
    weights: tuple[WeightFlip, ...]
    values: tuple[ValueFlip, ...]
    nearest: Nearest | None
    allowed: Nearest | None
    noise: float | None
    rivals: tuple[Distance, ...]
    coin_flip: bool | None

    def weight(self, factor: str) -> WeightFlip:
        """Raises `KeyError`."""
        return {each.factor: each for each in self.weights}[factor]

    def of(self, candidate: str, factor: str) -> ValueFlip:
        """Raises `KeyError`."""
        return {(each.candidate, each.factor): each for each in self.values}[candidate, factor]

    def json(self) -> dict[str, Json]:
        return {
            "leader": self.leader or None,
            "weights": [each.json() for each in self.weights],
            "values": [each.json() for each in self.values],
            "nearest": None if self.nearest is None else self.nearest.json(),
            "nearest_allowed": None if self.allowed is None else self.allowed.json(),
            "noise": self.noise,
            "rivals": [each.json() for each in self.rivals],
            "coin_flip": self.coin_flip,
        }


def digits(value: Fraction | None) -> float | None:
    """A fraction as a number."""
    return None if value is None else round(float(value), _DIGITS)
