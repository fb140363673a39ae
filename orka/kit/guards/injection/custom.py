"""Patterns of the user's own, as signs of an attack."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from orka.kit.guards.injection.rule import FIRM, Match
from orka.port.timed import timed

Finder = Callable[[str], Iterator[Match]]


class Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A regular expression, matched without regard to case, that may take `time_limit` seconds for
    a text. `score` says how sure a sign it is."""

    name: str
    pattern: str
    score: float = FIRM
    time_limit: float = 0.5


def finder(patterns: tuple[Pattern, ...]) -> Finder:
    """Finds all of the patterns. Raises `ConfigError` for one that cannot be compiled, and, when it
    looks, `ScreenError` for one that takes longer than it may."""
    compiled = [
        (each, timed(each.name, each.pattern, each.time_limit, ignore_case=True))
        for each in patterns
    ]

    def find(text: str) -> Iterator[Match]:
        for each, spans in compiled:
            for start, end in spans(text):
                yield _match(each, start, end)

    return find


def _match(pattern: Pattern, start: int, end: int) -> Match:
    return Match(
        category="custom", start=start, end=end, score=pattern.score, rule=pattern.name, whole=False
    )
