"""Patterns of the user's own, each with a limit on the time it may take."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from orka.errors import ConfigError, PluginError, ScreenError
from orka.kit.guards.injection.rule import FIRM, Match

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
    if not patterns:
        return lambda _: iter(())
    regex = _module()
    compiled = [(each, _compiled(regex, each)) for each in patterns]

    def find(text: str) -> Iterator[Match]:
        for each, pattern in compiled:
            try:
                spans = [match.span() for match in pattern.finditer(text, timeout=each.time_limit)]
            except TimeoutError:
                raise ScreenError(
                    f"the pattern {each.name!r} took longer than {each.time_limit:g} s for a text",
                    fix="write it without nested repeats, or raise its `time_limit`",
                    code="screen.timeout",
                ) from None
            for start, end in spans:
                if end > start:
                    yield _match(each, start, end)

    return find


def _match(pattern: Pattern, start: int, end: int) -> Match:
    return Match(
        category="custom", start=start, end=end, score=pattern.score, rule=pattern.name, whole=False
    )


def _module() -> Any:
    try:
        return importlib.import_module("regex")
    except ModuleNotFoundError:
        raise PluginError(
            "patterns of your own need the package regex, which is not installed",
            fix="pip install 'orka[guards]'",
            code="plugin.not_installed",
        ) from None


def _compiled(regex: Any, pattern: Pattern) -> Any:
    try:
        return regex.compile(pattern.pattern, regex.IGNORECASE | regex.VERSION1)
    except regex.error as error:
        raise ConfigError(
            f"the pattern {pattern.name!r} is not a regular expression: {error}",
            fix="see the syntax of the package regex",
            code="config.guard",
        ) from None
