"""The options of the injection guard, and what they make of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.errors import ConfigError, nearest
from orka.kit.guards.injection.classifier import classifier
from orka.kit.guards.injection.custom import Pattern, finder
from orka.kit.guards.injection.detect import Layers
from orka.kit.guards.injection.rule import CATEGORIES

# Where a text comes from. What the author of the workflow wrote himself is not looked at.
Origin = Literal["untrusted", "customer_text", "tool_output", "document", "trusted_prompt"]


class Looking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a text is looked at. `threshold`: how sure a finding must be (0 to 1). `categories`:
    those that count, all if it is empty. `patterns`: further ones of your own. Without
    `classifier` only the rules look."""

    threshold: float = 0.7
    categories: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    classifier: bool = True
    origin: Origin = "untrusted"


class InjectionOptions(Looking, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`action`: `quarantine` lets what was found into a prompt as data only, `block` lets the
    text not pass at all."""

    action: Literal["quarantine", "block"] = "quarantine"


def problem(options: Looking) -> str:
    """What is wrong with the options, if anything."""
    for category in options.categories:
        if category not in CATEGORIES:
            return f"no category is called {category!r}: {nearest(category, CATEGORIES)}"
    scores = {f"the score of {each.name!r}": each.score for each in options.patterns}
    for name, score in {"`threshold`": options.threshold, **scores}.items():
        if not 0 < score <= 1:
            return f"{name} is {score}, not above 0 and up to 1"
    for each in options.patterns:
        if each.time_limit <= 0:
            return f"the pattern {each.name!r} has a `time_limit` of {each.time_limit:g} s"
    return ""


def layers(options: Looking) -> Layers:
    """What the options ask for. Raises `ConfigError` for what cannot be meant so."""
    if found := problem(options):
        raise ConfigError(
            f"the injection guard cannot be made: {found}",
            fix="see docs/guards-injection.md",
            code="config.guard",
        )
    return Layers(
        threshold=options.threshold,
        categories=frozenset(options.categories or CATEGORIES),
        classifier=classifier() if options.classifier else None,
        custom=finder(options.patterns),
    )
