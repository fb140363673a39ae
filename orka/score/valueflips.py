"""For each candidate and factor, the nearest value that changes the leader while all others stay.

Scores are linear in one value; where others do not know the factor and count as the worst known
value, they follow it as long as it is the worst: piecewise linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

import msgspec

from orka.score.crossing import Rival, crossing
from orka.score.factor import UNIT, Abstained, Known, bounds, exact
from orka.score.flip import Flip, ValueFlip
from orka.score.ledger import Candidate, Ledger
from orka.score.scorer import Exact, PathScorer, Scored, Standing
from orka.score.setting import Factor

# Scores by declared place, for a value in units of 1e-6.
Scores = Mapping[int, Exact]


def value_flips(ledger: Ledger, standing: Standing) -> tuple[ValueFlip, ...]:
    """One for each candidate and factor, in their order."""
    values = _Values(ledger, standing)
    return tuple([flip for order in range(len(ledger.candidates)) for flip in values.of(order)])


class _Values:
    """The values of a decision, each of which may move."""

    def __init__(self, ledger: Ledger, standing: Standing) -> None:
        self._ledger, self._ranked = ledger, standing.ranked
        self._factors = ledger.setting.factors
        self._weights = [exact(each.weight) for each in self._factors]
        self._inside = {each.order: each for each in standing.ranked}
        self._ids = [each.id for each in ledger.candidates]
        self._leader = standing.ranked[0].order if standing.ranked else -1
        self._scorer = PathScorer(ledger.setting)
        self._handed = any(None in each.effective for each in standing.ranked)
        self._known = [not self._handed and self._all_know(f.name) for f in self._factors]
        places = range(len(self._factors))
        self._followers = [() if self._known[at] else self._unknown_of(at) for at in places]
        self._lowest = [() if self._known[at] else self._known_of(at) for at in places]
        self._yes_no = [
            bool(ledger.setting.boolean) and f.severity is not None for f in self._factors
        ]
        self._ranges = [(low * UNIT, high * UNIT) for low, high in map(_bounds, self._factors)]

    def of(self, order: int) -> Iterator[ValueFlip]:
        """Those of a candidate, by its declared place."""
        candidate, scored = self._ledger.candidates[order], self._inside.get(order)
        for at, factor in enumerate(self._factors):
            simple = self._known[at] and scored is not None and not self._yes_no[at]
            if simple and scored is not None:
                found = self._alone(scored, at) if self._weights[at] else None
                yield ValueFlip(candidate.id, factor.name, True, scored.effective[at], found)
            else:
                yield self._any(candidate, order, at)

    def _any(self, candidate: Candidate, order: int, at: int) -> ValueFlip:
        held, scored = candidate.factors[self._factors[at].name], self._inside.get(order)
        known = isinstance(held, Known)
        now = exact(held.value) if isinstance(held, Known) else None
        if not known and scored is not None:
            now = scored.effective[at]
        found: Flip | None = None
        if candidate.excluded:
            found = None
        elif self._yes_no[at]:
            found = self._yes_or_no(order, at, now)
        elif self._weights[at] and not (known and scored is None):
            lone = scored is not None and not self._handed and self._lone(scored, at)
            found = self._alone(scored, at) if lone and scored else self._moved(order, at, now)
        return ValueFlip(candidate.id, self._factors[at].name, known, now, found)

    def _all_know(self, name: str) -> bool:
        return all(isinstance(each.candidate.factors[name], Known) for each in self._ranked)

    def _alone(self, scored: Scored, at: int) -> Flip | None:
        """Nobody follows: the leader must fall to the second, a rival rise to the leader."""
        if len(self._ranked) < 2:
            return None
        weight, value = self._weights[at], scored.effective[at] or 0
        first = self._ranked[0]
        if scored is first:
            other, sign, limit = self._ranked[1], -1, value - self._ranges[at][0]
        else:
            other, sign, limit = scored, 1, self._ranges[at][1] - value
        gap = (first.final or 0) - (other.final or 0)
        earlier = other.order < first.order
        beyond = gap - limit * weight
        if beyond > 0 or (beyond == 0 and not earlier) or not isinstance(gap, int):
            return None
        return Flip(value * weight + sign * gap, weight * UNIT, self._ids[other.order], earlier)

    def _lone(self, scored: Scored, at: int) -> bool:
        """Whether nobody follows on the way to the flip, though some do not know the factor."""
        followers, limit = self._follow(scored.order, at)
        if not followers:
            return True
        now = scored.effective[at] or 0
        if limit is None or now < limit:
            return False
        found = self._alone(scored, at)
        if scored.order == self._leader:  # those that follow fall as it does
            return found is None or found.above > limit * (found.below // UNIT)
        if self._leader not in followers:  # whoever follows a fall does not lead
            return True
        way = None if found is None else found.above - now * (found.below // UNIT)
        return way is not None and found is not None and way < (now - limit) * (found.below // UNIT)

    def _yes_or_no(self, order: int, at: int, now: int | None) -> Flip | None:
        """The other of the two ends, which may let a candidate in or keep it out."""
        ends = list(self._ranges[at])
        if order != self._leader:
            ends.reverse()
        if isinstance(self._ledger.candidates[order].factors[self._factors[at].name], Known):
            ends = [end for end in ends if end != now]
        for end in ends:
            ranked = self._measured(order, at, end).ranked
            first = ranked[0] if ranked else None
            if (first.order if first else -1) != self._leader:
                name = first.candidate.id if first else ""
                return Flip(end, UNIT, name, True)
        return None

    def _moved(self, order: int, at: int, now: int | None) -> Flip | None:
        """Others may follow, or weights are handed on."""
        if self._handed or now is None:
            known = self._measured(order, at, self._ranges[at][0])
            inside = {each.order: each.candidate for each in known.ranked}
            if order not in inside:
                return None
            scores = partial(self._scores, order, at)
        else:
            inside = {each.order: each.candidate for each in self._ranked}
            follow = self._follow(order, at)
            scores = partial(_followed, self._inside, order, at, self._weights[at], *follow)
        return self._walked(order, at, now, self._bends(order, at, now, inside), scores)

    def _follow(self, order: int, at: int) -> tuple[Sequence[int], int | None]:
        """Who follows a value, and up to which value: the worst of the others."""
        followers, known = self._followers[at], self._lowest[at]
        others = [value for value, whose in known if whose != order]
        return [each for each in followers if each != order], others[0] if others else None

    def _known_of(self, at: int) -> list[tuple[int, int]]:
        """The two lowest values that are known of those that are in, and whose they are."""
        name = self._factors[at].name
        held = [(each.order, each.candidate.factors[name]) for each in self._ranked]
        return sorted((exact(r.value), order) for order, r in held if isinstance(r, Known))[:2]

    def _unknown_of(self, at: int) -> list[int]:
        """Those that are in and follow the worst value, since they do not know it."""
        factor = self._factors[at]
        if factor.policy == "floor":
            return []
        return [
            each.order
            for each in self._ranked
            if isinstance(each.candidate.factors[factor.name], Abstained)
        ]

    def _bends(
        self, order: int, at: int, now: int | None, inside: Mapping[int, Candidate]
    ) -> list[int]:
        """The values between which all scores are linear."""
        factor = self._factors[at]
        low, high = self._ranges[at]
        others = (c.factors[factor.name] for o, c in inside.items() if o != order)
        known = [exact(each.value) for each in others if isinstance(each, Known)]
        bends = (low, high, min(known, default=low), low if now is None else now)
        return sorted(dict.fromkeys(bends))

    def _walked(
        self,
        order: int,
        at: int,
        now: int | None,
        bends: Sequence[int],
        scores: Callable[[int], Scores],
    ) -> Flip | None:
        down, up = list(reversed(bends)), list(bends)
        leads = order == self._leader
        if now is None:
            return self._way(down if leads else up, scores, ended=True)
        ways = [[b for b in down if b <= now], [b for b in up if b >= now]]
        found = [
            flip
            for way in (ways if leads else reversed(ways))
            if (flip := self._way(way, scores)) is not None
        ]
        here = Fraction(now, UNIT)
        return min(found, key=lambda f: (abs(f.value - here), not f.at), default=None)

    def _way(
        self, bends: Sequence[int], scores: Callable[[int], Scores], *, ended: bool = False
    ) -> Flip | None:
        """The first change of the leader on the way along `bends`. With `ended` somebody else may
        lead where it begins."""
        before = scores(bends[0])
        if ended:
            first = min(before, key=lambda o: (-before[o], o))
            if first != self._leader:
                return Flip(bends[0], UNIT, self._ids[first], True)
        for start, end in pairwise(bends):
            after = scores(end)
            found = crossing(_rivals(before, after, self._leader), self._leader, 1)
            if found is not None:
                value = (start + found.way * (end - start)) / UNIT
                return Flip.of(value, self._ids[found.order], at=found.at)
            before = after
        return None

    def _scores(self, order: int, at: int, value: int) -> Scores:
        ranked = self._measured(order, at, value).ranked
        return {each.order: each.final or 0 for each in ranked}

    def _measured(self, order: int, at: int, value: int) -> Standing:
        """The standing if the value were known to be this."""
        candidates = list(self._ledger.candidates)
        old, name = candidates[order], self._factors[at].name
        factors = {**old.factors, name: Known(value / UNIT)}
        candidates[order] = msgspec.structs.replace(old, factors=factors)
        return self._scorer.score(candidates)


def _followed(
    inside: Mapping[int, Scored],
    order: int,
    at: int,
    weight: int,
    followers: Sequence[int],
    limit: int | None,
    value: int,
) -> Scores:
    """Scores for a value of one candidate, which others follow up to a limit."""
    told = {each: scored.final or 0 for each, scored in inside.items()}
    worst = value if limit is None else min(value, limit)
    told[order] += weight * (value - (inside[order].effective[at] or 0))
    for each in followers:
        told[each] += weight * (worst - (inside[each].effective[at] or 0))
    return told


def _rivals(before: Scores, after: Scores, leader: int) -> Iterator[Rival]:
    first, last = before[leader], after[leader]
    for order, score in before.items():
        if order != leader:
            gap = first - score
            yield order, gap, gap - (last - after[order])


def _bounds(factor: Factor) -> tuple[int, int]:
    return bounds(factor.penalty)
