"""A view: a page made of a recorded run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import msgspec

from orka.errors import PluginError
from orka.value import Json

ViewFunction = Callable[[Any], Json]  # Any: the recorded run, an `orka.Run`


class ViewType(msgspec.Struct, frozen=True, kw_only=True):
    """What a plugin registers: a pure function of a run that gives text, or JSON."""

    name: str
    function: ViewFunction
    version: str = ""
    doc: str = ""


def view(name: str, *, version: str = "") -> Callable[[ViewFunction], ViewType]:
    """Make a view of a function that takes an `orka.Run` and gives text or JSON.

    Raises `PluginError` for one that is async or cannot be called so.
    """

    def register(function: ViewFunction) -> ViewType:
        wrong = "is async" if inspect.iscoroutinefunction(function) else ""
        try:
            inspect.signature(function).bind("run")
        except (TypeError, ValueError) as error:
            wrong = wrong or f"cannot be called with (run): {error}"
        if wrong:
            raise PluginError(
                f"view {name!r} {wrong}",
                fix="write a plain function of (run)",
                code="plugin.signature",
            )
        doc = (function.__doc__ or "").strip()
        return ViewType(name=name, function=function, version=version, doc=doc)

    return register
