"""Patterns of the user's own, as rules."""

from __future__ import annotations

from collections.abc import Iterator

from orka.errors import ConfigError
from orka.kit.guards.pii.hit import Hit, Rule
from orka.kit.guards.pii.options import Custom
from orka.port.timed import timed


def custom_rule(said: Custom) -> Rule:
    """The rule of one pattern. Raises `ConfigError` for a pattern or a name that is none."""
    if not said.name.isidentifier() or not said.name.isascii():
        raise ConfigError(
            f"a pattern is called {said.name!r}",
            fix="name it with letters, digits and `_`, such as `employee_id`",
        )
    if said.time_limit <= 0:
        raise ConfigError(
            f"the pattern {said.name!r} has a `time_limit` of {said.time_limit:g} s",
            fix="give it more than 0 seconds",
        )
    spans, kind = timed(said.name, said.pattern, said.time_limit), said.name.upper()

    def custom(text: str) -> Iterator[Hit]:
        for start, end in spans(text):
            yield Hit(start, end, kind, f"custom.{said.name}", 98)

    return custom
