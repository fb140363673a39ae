"""Patterns of the user's own, each within its time limit."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from orka.errors import ConfigError, ScreenError
from orka.kit.guards.pii.hit import Hit, Rule
from orka.kit.guards.pii.options import Custom


def custom_rule(said: Custom) -> Rule:
    """The rule of one pattern. Raises `ConfigError` for a pattern or a name that is none."""
    pattern = _compiled(said)
    kind = said.name.upper()

    def custom(text: str) -> Iterator[Hit]:
        try:
            for match in pattern.finditer(text, timeout=said.time_limit):
                if match.end() > match.start():
                    yield Hit(match.start(), match.end(), kind, f"custom.{said.name}", 98)
        except TimeoutError:
            raise ScreenError(
                f"the pattern {said.name!r} took more than {said.time_limit:g} s on one text",
                code="screen.timeout",
                fix="write it without repeats inside of repeats, or give it a larger `time_limit`",
            ) from None

    return custom


def _compiled(said: Custom) -> Any:  # Any: a pattern of the library that keeps time
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
    library = importlib.import_module("regex")
    try:
        return library.compile(said.pattern)
    except library.error as error:
        raise ConfigError(
            f"the pattern {said.name!r} cannot be read: {error}", fix="correct it"
        ) from None
