"""What a rule found in a plain text, and which of several findings that overlap stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

import msgspec


class Hit(msgspec.Struct, frozen=True):
    """`kind` stands at `start` to `end` of the plain text. `weight` says how telling the rule is:
    the heavier one stands where two overlap."""

    start: int
    end: int
    kind: str
    rule: str
    weight: int
    score: float = 1.0


# A rule looks at a plain text.
Rule = Callable[[str], Iterator[Hit]]


def settled(hits: Iterable[Hit]) -> list[Hit]:
    """The findings that stand, in order: of those that overlap the heaviest, then the longest, then
    the first."""
    starts: list[int] = []
    kept: list[Hit] = []
    for hit in sorted(
        hits, key=lambda hit: (-hit.weight, hit.start - hit.end, hit.start, hit.rule)
    ):
        place = bisect_right(starts, hit.start)
        free = place == 0 or kept[place - 1].end <= hit.start
        if free and (place == len(starts) or hit.end <= starts[place]):
            starts.insert(place, hit.start)
            kept.insert(place, hit)
    return kept
