"""For each weight, the nearest values that change the leader while all others stay."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from orka.score.crossing import Crossing, Rival, crossing
from orka.score.factor import UNIT, Abstained, exact
from orka.score.flip import Flip, WeightFlip
from orka.score.ledger import Ledger
from orka.score.quotients import Quotients, scores_by
from orka.score.scorer import PathScorer, Scored, Standing

_NONE, _TINY = Fraction(0), Fraction(1, 10**14)


def weight_flips(ledger: Ledger, standing: Standing) -> tuple[WeightFlip, ...]:
    """One for each factor, in their order."""
    odd = _odd(ledger)
    weights = _Weights(ledger, standing)
    return tuple(
        weights.odd(at) if odd[at] else weights.plain(at)
        for at in range(len(ledger.setting.factors))
    )


class _Weights:
    """The weights of a decision. Who is in, and what counts for not knowing, is the same for all
    weights above 0. At 0 itself it may be another, since what weighs nothing excludes nobody: such
    a weight is odd."""

    def __init__(self, ledger: Ledger, standing: Standing) -> None:
        self._ledger, self._ranked = ledger, standing.ranked
        self._factors = ledger.setting.factors
        self._weights = [exact(each.weight) for each in self._factors]
        self._total = sum(self._weights)
        self._leader = standing.ranked[0].order if standing.ranked else -1
        self._ids = [each.id for each in ledger.candidates]
        first = standing.ranked[0].final or 0 if standing.ranked else 0
        self._gaps = [(each, first - (each.final or 0)) for each in standing.ranked[1:]]

    def plain(self, at: int) -> WeightFlip:
        """Scores are linear, down to 0."""
        weight, leader = self._weights[at], self._leader
        told = Fraction(weight, UNIT)
        if not self._gaps:
            return WeightFlip(self._factors[at].name, told, None, None)
        own = self._ranked[0].effective[at] or 0
        rising: list[Rival] = []
        falling: list[Rival] = []
        for each, gap in self._gaps:
            difference = (each.effective[at] or 0) - own
            if difference > 0:
                rising.append((each.order, gap, difference))
            elif difference < 0:
                falling.append((each.order, gap, -difference))
        above = self._flip(weight, 1, crossing(rising, leader, None))
        below = None
        if self._mixed(at):
            below = self._flip(weight, -1, crossing(falling, leader, weight))
        return WeightFlip(self._factors[at].name, told, below, above)

    def odd(self, at: int) -> WeightFlip:
        """Scores may be quotients, and 0 is a case of its own."""
        below = self._below(at) if self._mixed(at) else None
        told = Fraction(self._weights[at], UNIT)
        return WeightFlip(self._factors[at].name, told, below, self._above(at))

    def _mixed(self, at: int) -> bool:
        """Whether it weighs something, and others do: it can be taken down to 0."""
        return 0 < self._weights[at] < self._total

    def _flip(self, weight: int, direction: int, found: Crossing | None) -> Flip | None:
        if found is None:
            return None
        above, below = weight * found.below + direction * found.above, found.below * UNIT
        if isinstance(above, int) and isinstance(below, int):
            return Flip(above, below, self._ids[found.order], found.at)
        return Flip.of(Fraction(above, below), self._ids[found.order], at=found.at)

    def _above(self, at: int) -> Flip | None:
        if self._weights[at]:
            return self._scores(at, self._ranked).flip(self._leader, 1)
        positive = self._with(at, 1.0).ranked
        if not positive:
            return None if self._leader < 0 else Flip.of(_NONE, "", at=False)
        scores = self._scores(at, positive)
        first = scores.first(_TINY)
        if first.order != self._leader:
            return Flip.of(_NONE, first.candidate.id, at=False)
        return scores.flip(self._leader, 1)

    def _below(self, at: int) -> Flip | None:
        found = self._scores(at, self._ranked).flip(self._leader, -1)
        if found is not None:
            return found
        ranked = self._with(at, 0.0).ranked
        first = ranked[0].order if ranked else -1
        if first == self._leader:
            return None
        return Flip.of(_NONE, self._ids[first] if ranked else "", at=True)

    def _with(self, at: int, weight: float) -> Standing:
        """The standing with another weight of a factor."""
        factors = list(self._factors)
        factors[at] = msgspec.structs.replace(factors[at], weight=weight)
        setting = msgspec.structs.replace(self._ledger.setting, factors=tuple(factors))
        return PathScorer(setting).score(self._ledger.candidates)

    def _scores(self, at: int, ranked: Sequence[Scored]) -> Quotients:
        return scores_by(self._factors, self._weights, at, ranked)


def _odd(ledger: Ledger) -> list[bool]:
    """Of each factor, whether its weight is odd: not knowing it excludes somebody, or weights are
    handed on."""
    factors = ledger.setting.factors
    lost = [
        factor.policy in ("exclude", "renormalise")
        and any(
            isinstance(each.factors[factor.name], Abstained)
            for each in ledger.candidates
            if not each.excluded
        )
        for factor in factors
    ]
    handed = any(
        each and factor.policy == "renormalise" for each, factor in zip(lost, factors, strict=True)
    )
    return [each or handed for each in lost]
