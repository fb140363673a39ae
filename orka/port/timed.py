"""Regular expressions of a user's own, each within its time limit."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from orka.errors import ConfigError, PluginError, ScreenError

Spans = Callable[[str], list[tuple[int, int]]]


def timed(name: str, pattern: str, seconds: float, *, ignore_case: bool = False) -> Spans:
    """What gives the places of a pattern in a text, empty ones left out.

    Raises `ConfigError` for what is no pattern, `PluginError` (`plugin.not_installed`) without the
    package that keeps time; and when it looks, `ScreenError` (`screen.timeout`) for one text that
    takes more than these seconds.
    """
    library = _library()
    flags = library.VERSION1 | library.IGNORECASE if ignore_case else 0
    try:
        compiled = library.compile(pattern, flags)
    except library.error as error:
        raise ConfigError(
            f"the pattern {name!r} is not a regular expression that can be read: {error}",
            fix="correct it; the syntax is that of the package regex",
            code="config.guard",
        ) from None

    def spans(text: str) -> list[tuple[int, int]]:
        try:
            found = [match.span() for match in compiled.finditer(text, timeout=seconds)]
        except TimeoutError:
            raise ScreenError(
                f"the pattern {name!r} took longer than {seconds:g} s on one text",
                code="screen.timeout",
                fix="write it without repeats inside of repeats, or give it a larger `time_limit`",
            ) from None
        return [(start, end) for start, end in found if end > start]

    return spans


def _library() -> Any:  # Any: it has no types
    try:
        return importlib.import_module("regex")
    except ModuleNotFoundError:
        raise PluginError(
            "patterns of your own need the package regex, which is not installed",
            fix="pip install 'orka[guards]'",
            code="plugin.not_installed",
        ) from None
