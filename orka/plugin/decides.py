"""Checks of criteria and strategies: how they can be called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from orka.errors import PluginError


def check_signature(
    kind: str,
    name: str,
    function: Callable[..., Any],  # Any: a stranger's function
    parameters: tuple[str, ...],
) -> None:
    """Raises `PluginError` for a function that cannot be called with these, by position."""
    told = f"({', '.join(parameters)})"
    if inspect.iscoroutinefunction(function):
        wrong = "is async"
    else:
        try:
            inspect.signature(function).bind(*parameters)
        except (TypeError, ValueError) as error:
            wrong = f"cannot be called with {told}: {error}"
        else:
            return
    raise PluginError(
        f"{kind} {name!r} {wrong}",
        fix=f"write a plain function of {told}",
        code="plugin.signature",
    )
