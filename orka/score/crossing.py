"""Where a leader is overtaken on a line: exact, in whatever unit the numbers are."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from orka.score.scorer import Exact

Rival = tuple[int, Exact, Exact]
"""One who may overtake: its declared place, how far it is behind (0 or more), and by how much that
falls for each unit of the way."""


class Crossing(NamedTuple):
    """After which way (`above` / `below`) the leader changes, the declared place of who leads then,
    and whether at that very point (else only just beyond it)."""

    above: Exact
    below: Exact
    order: int
    at: bool

    @property
    def way(self) -> Fraction:
        return Fraction(self.above, self.below)


def crossing(rivals: Iterable[Rival], leader: int, limit: Exact | None) -> Crossing | None:
    """The nearest change of the leader (its declared place) on a way of at most `limit`.

    Whoever was declared before the leader leads already when both are equal; anybody else only
    beyond that, so not at the limit itself. Of several, the one that leads then is named.
    """
    best: Rival | None = None
    for rival in rivals:
        order, gap, fall = rival
        if fall <= 0:
            continue
        if limit is not None:
            beyond = gap - limit * fall
            if beyond > 0 or (beyond == 0 and order > leader):
                continue
        if best is not None:
            here, there = gap * best[2], best[1] * fall
            if here > there or (here == there and not _sooner(rival, best, leader)):
                continue
        best = rival
    if best is None:
        return None
    return Crossing(best[1], best[2], best[0], best[0] < leader)


def _sooner(one: Rival, other: Rival, leader: int) -> bool:
    """Which of two that are level with the leader at the same point leads then."""
    if one[0] > leader and other[0] > leader and one[2] != other[2]:
        return one[2] > other[2]
    return one[0] < other[0]
