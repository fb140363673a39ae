"""The nearest weights, taken together, at which another candidate leads.

The weights at which a rival leads are a half-space `difference · weights <= 0`, so the nearest is
the shortest of the projections on them. With weights of 0 or more the projection is
`max(0, weight - λ · difference)`, whose λ solves a piecewise linear equation; the weights that
come below 0 for the λ of all others are 0 for the true one too, which is larger (Michelot 1986).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from orka.score.factor import UNIT, Abstained, exact
from orka.score.flip import Nearest, WeightFlip
from orka.score.ledger import Ledger
from orka.score.scorer import Standing

_DIGITS = 12
_LET_IN = "weights of 0 would let in what they exclude now, which is not looked at"
_BOUND = "weights are handed on, so this is the nearest change of one weight: an upper bound"
Both = tuple[Nearest | None, Nearest | None]


class _Point(NamedTuple):
    """Where a rival (by its declared place) is level with the leader: today's weights less
    `by / over` times `along`, but 0 at the places `off`. `above` / `below` is the squared distance.
    `pull` is how fast it gains beyond that point: of several that are level there the one that
    gains most leads then, or at the very point (`at`) the one declared first."""

    above: int
    below: int
    order: int
    at: bool
    pull: int
    along: Sequence[int]
    by: int
    over: int
    off: tuple[int, ...] = ()

    def nearer(self, other: _Point | None) -> bool:
        if other is None:
            return True
        here, there = self.above * other.below, other.above * self.below
        if here != there or self.at != other.at:
            return here < there or (here == there and self.at)
        if not self.at and self.pull != other.pull:
            return self.pull > other.pull
        return self.order < other.order


def nearest(ledger: Ledger, standing: Standing, weights: Sequence[WeightFlip]) -> Both:
    """Over all weights, and over those that are 0 or more."""
    ranked = standing.ranked
    if len(ranked) < 2:
        return None, None
    if any(None in each.effective for each in ranked):
        return (bound := _bound(ledger, weights)), bound
    today = [exact(factor.weight) for factor in ledger.setting.factors]
    first = ranked[0]
    anywhere: _Point | None = None
    allowed: _Point | None = None
    for rival in ranked[1:]:
        along = [(a or 0) - (b or 0) for a, b in zip(first.effective, rival.effective, strict=True)]
        square = sum(map(mul, along, along))
        if not square:
            continue
        by, at = sum(map(mul, along, today)), rival.order < first.order
        here = _Point(by * by, square, rival.order, at, square, along, by, square)
        if here.nearer(anywhere):
            anywhere = here
        if allowed is None or here.above * allowed.below <= allowed.above * here.below:
            inside = _inside(here, today)
            if inside is not None and inside.nearer(allowed):
                allowed = inside
    cause = _LET_IN if _excluding(ledger) else ""
    return _told(anywhere, ledger, today, cause), _told(allowed, ledger, today, cause)


def _inside(point: _Point, today: Sequence[int]) -> _Point | None:
    """The same with weights of 0 or more; None if the rival never leads there."""
    along, by, over, lost = point.along, point.by, point.over, 0
    if min(along) >= 0 and not (point.at and _left(today, along)):
        return None
    off: list[int] = []
    places = range(len(today))
    while over:
        low = [i for i in places if by * along[i] > over * today[i] and i not in off]
        if not low:
            break
        for i in low:
            by -= along[i] * today[i]
            over -= along[i] * along[i]
            lost += today[i] * today[i]
        off += low
    free = [i for i in places if i not in off and over * today[i] > by * along[i]]
    pull = sum([along[i] ** 2 for i in places if along[i] < 0 or i in free])
    over = over or 1
    above = lost * over + by * by
    return _Point(above, over, point.order, point.at, pull, along, by, over, tuple(off))


def _left(today: Sequence[int], along: Sequence[int]) -> bool:
    """Whether any weight is left where all that tell the two apart are 0."""
    return any(weight for weight, each in zip(today, along, strict=True) if not each)


def _told(point: _Point | None, ledger: Ledger, today: Sequence[int], cause: str) -> Nearest | None:
    if point is None:
        return None
    by, along = Fraction(point.by, point.over), point.along
    weights = {
        factor.name: (today[i] - by * along[i]) / UNIT if i not in point.off else Fraction(0)
        for i, factor in enumerate(ledger.setting.factors)
    }
    return Nearest(
        distance=round(math.sqrt(point.above / point.below) / UNIT, _DIGITS),
        weights=weights,
        leads=ledger.candidates[point.order].id,
        at=point.at,
        exact=not cause,
        cause=cause,
    )


def _bound(ledger: Ledger, weights: Sequence[WeightFlip]) -> Nearest | None:
    """The nearest flip of a single weight."""
    found = [
        (abs(flip.value - each.weight), each.factor, flip)
        for each in weights
        for flip in (each.below, each.above)
        if flip is not None
    ]
    if not found:
        return None
    distance, factor, flip = min(found, key=lambda each: each[0])
    today = {f.name: Fraction(exact(f.weight), UNIT) for f in ledger.setting.factors}
    return Nearest(
        distance=round(float(distance), _DIGITS),
        weights={**today, factor: flip.value},
        leads=flip.leads,
        at=flip.at,
        exact=False,
        cause=_BOUND,
    )


def _excluding(ledger: Ledger) -> bool:
    """Whether not knowing excludes somebody, or would if its factor weighed anything."""
    names = [f.name for f in ledger.setting.factors if f.policy == "exclude"]
    return bool(names) and any(
        isinstance(candidate.factors[name], Abstained)
        for candidate in ledger.candidates
        if not candidate.excluded
        for name in names
    )
