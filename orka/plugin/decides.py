"""Checks of criteria and strategies: how they can be called, and what they may give."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from orka.errors import AgentError, PluginError
from orka.score.strategy import Choice, Situation


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


def check_choice(name: str, choice: object, situation: Situation) -> None:
    """Raises `AgentError` for a choice of what is not ranked."""
    ids = [each.candidate.id for each in situation.standing.ranked]
    if not isinstance(choice, Choice):
        wrong = f"gave {type(choice).__name__}"
    elif unknown := [id for id in (choice.chosen, *choice.shortlist) if id and id not in ids]:
        wrong = f"chose {unknown[0]!r}"
    else:
        return
    raise AgentError(
        f"strategy {name!r} {wrong}, which is no choice among the ranked candidates",
        fix="a strategy gives a `Choice` of ids that its situation has ranked",
        code="strategy.choice",
    )
