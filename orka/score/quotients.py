"""Scores as functions of one weight, where weights of unknown benefits are handed on: quotients of
polynomials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from orka.score.factor import UNIT
from orka.score.flip import Flip
from orka.score.roots import Polynomial, Root, difference, product, roots, value
from orka.score.scorer import Scored
from orka.score.setting import Factor

_ZERO = Fraction(0)
# What tells two weights apart, in units of 1e-6: of roots that are known exactly, and of others.
_NARROW, _TINY = Fraction(1, 10**14), Fraction(1, UNIT)


class Quotient(NamedTuple):
    """`above` / `below`, whose denominator is positive for weights above 0."""

    above: Polynomial
    below: Polynomial

    def at(self, weight: Fraction) -> Fraction:
        return value(self.above, weight) / value(self.below, weight)


class Event(NamedTuple):
    """A weight at which one rival overtakes the leader, or draws level with it (`at`). `high` of
    the root is the end that is farther from today's weight."""

    root: Root
    at: bool
    order: int


class Quotients:
    """The scores of ranked candidates as functions of one weight, today's being `weight`."""

    def __init__(self, weight: int, ranked: Sequence[Scored], scores: Sequence[Quotient]) -> None:
        self._weight, self._ranked = Fraction(weight), ranked
        self._scores = {each.order: score for each, score in zip(ranked, scores, strict=True)}

    def first(self, weight: Fraction) -> Scored:
        """Who leads at a weight above 0."""
        found = [(-self._scores[each.order].at(weight), each.order) for each in self._ranked]
        order = min(found)[1]
        return next(each for each in self._ranked if each.order == order)

    def flip(self, leader: int, direction: int) -> Flip | None:
        """The nearest change of the leader in a direction (1 or -1), 0 itself left out."""
        events = [
            event
            for each in self._ranked
            if each.order != leader
            for event in self._events(leader, each.order, direction)
        ]
        if not events:
            return None
        nearest = min(events, key=lambda e: direction * e.root.middle)
        exact = nearest.root.low == nearest.root.high
        room = _NARROW if exact else _TINY
        level = [e for e in events if direction * (e.root.middle - nearest.root.middle) < room]
        first = min(level, key=lambda e: (not e.at, e.order))
        order = first.order
        if not first.at:
            edge = first.root.high
            order = self.first(max(edge + direction * room, edge / 2)).order
        return Flip.of(
            first.root.middle / UNIT,
            next(each.candidate.id for each in self._ranked if each.order == order),
            at=first.at,
            exact=first.root.low == first.root.high,
        )

    def _events(self, leader: int, rival: int, direction: int) -> Iterator[Event]:
        """The first of one rival, if there is one."""
        one, other = self._scores[leader], self._scores[rival]
        gap = difference(product(one.above, other.below), product(other.above, one.below))
        found = roots(gap, *((self._weight, None) if direction > 0 else (_ZERO, self._weight)))
        if direction < 0:
            found = [Root(root.high, root.low) for root in reversed(found)]
        end = found[-1].high * 2 + UNIT if found and direction > 0 else self._weight + UNIT
        starts = [self._weight, *(root.high for root in found)]
        ends = [*(root.low for root in found), end if direction > 0 else _ZERO]
        between = [(a + b) / 2 for a, b in zip(starts, ends, strict=True)]
        if value(gap, between[0]) < 0:
            yield Event(Root(self._weight, self._weight), False, rival)
            return
        for root, beyond in zip(found, between[1:], strict=True):
            if value(gap, beyond) < 0 or rival < leader:
                yield Event(root, rival < leader, rival)
                return


def scores_by(
    factors: Sequence[Factor], weights: Sequence[int], at: int, ranked: Sequence[Scored]
) -> Quotients:
    """The scores of `ranked` as functions of the weight at a place."""
    scores = [_score(factors, weights, at, each.effective) for each in ranked]
    return Quotients(weights[at], ranked, scores)


def _score(
    factors: Sequence[Factor], weights: Sequence[int], at: int, effective: Sequence[int | None]
) -> Quotient:
    """A score: penalties, and the gain of known benefits times (all benefits / known ones)."""
    own, penalties, gain, known, benefits = effective[at], 0, 0, 0, 0
    for i, (factor, weight, held) in enumerate(zip(factors, weights, effective, strict=True)):
        if i == at:
            continue
        if factor.penalty:
            penalties += weight * (held or 0)
            continue
        benefits += weight
        if held is not None:
            known += weight
            gain += weight * held
    whole = None not in effective
    if whole or factors[at].penalty:
        gained = Fraction(gain) if whole else Fraction(gain * benefits, known or 1)
        return Quotient([penalties + gained, own or 0], [1])
    if own is None:
        return Quotient([penalties * known + gain * benefits, gain], [known])
    if not known:
        return Quotient([penalties + own * benefits, own], [1])
    above = product([gain, own], [benefits, 1])
    more = [penalties * known, penalties, 0]
    return Quotient([a + b for a, b in zip(above, more, strict=True)], [known, 1])
