"""`fork`: starts its branches, at once or one after another."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.value import Json


class ForkOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Each target is an agent, or a list of agents that run one after another. `mode: sequential`
    runs the branches one after another too."""

    targets: list[list[str] | str]
    mode: Literal["parallel", "sequential"] = "parallel"


def _shape(options: ForkOptions) -> Shape:
    branches = [(t,) if isinstance(t, str) else tuple(t) for t in options.targets]
    return Shape(branches=branches, chained=options.mode == "sequential")


def _check(options: ForkOptions) -> str:
    if not options.targets:
        return "`targets` is empty"
    if not all(options.targets):
        return "`targets` has an empty branch"
    named = [id for branch in _shape(options).branches for id in branch]
    twice = next((id for at, id in enumerate(named) if id in named[:at]), "")
    if twice:
        return (
            f"`targets` names {twice!r} twice: a branch is run by agents of its own; give one of "
            "them another id, or put it behind the join"
        )
    return ""


@agent("fork", config=ForkOptions, shape=_shape, check=_check, version="1")
async def fork(ctx: Context) -> Json:
    """Start the branches."""
    return None
