"""Agreement: how often weights choose what a person says is right, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import msgspec

from orka.score.beta import interval


class Agreement(msgspec.Struct, frozen=True):
    """`right` of `of` decisions, with the 95 % interval of the share that fresh decisions of the
    same kind would have: the exact one of Clopper and Pearson (1934), which holds the share in at
    least 95 % of all cases, whatever the share is."""

    right: int
    of: int
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"


class Paired(msgspec.Struct, frozen=True):
    """Two sets of weights on the same decisions: how many only the second has right (`gained`),
    how many only the first (`lost`), and the two-sided p value of the exact sign test on these
    (McNemar 1947): how often chance alone makes such a difference or a larger one."""

    gained: int
    lost: int
    p: float


def agreement(right: Sequence[bool]) -> Agreement:
    """Of at least one decision."""
    found, of = sum(right), len(right)
    low = interval(found, of - found + 1)[0] if found else 0.0
    high = interval(found + 1, of - found)[1] if found < of else 1.0
    return Agreement(right=found, of=of, share=round(found / of, 6), low=low, high=high)


def paired(before: Sequence[bool], after: Sequence[bool]) -> Paired:
    """Of two sequences over the same decisions."""
    pairs = list(zip(before, after, strict=True))
    gained, lost = pairs.count((False, True)), pairs.count((True, False))
    return Paired(gained, lost, _sign_test(min(gained, lost), gained + lost))


def _sign_test(fewer: int, of: int) -> float:
    """Exact, two-sided: twice the chance of at most `fewer` heads in `of` tosses."""
    tail = sum(math.comb(of, heads) for heads in range(fewer + 1))
    return min(1.0, float(Fraction(2 * tail, 2**of)))
