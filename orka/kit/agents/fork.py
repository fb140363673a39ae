"""`fork`: starts its branches at once."""

from __future__ import annotations

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.value import Json


class ForkOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Each target is an agent, or a list of agents that run one after another."""

    targets: list[list[str] | str]


def _shape(options: ForkOptions) -> Shape:
    branches = [(t,) if isinstance(t, str) else tuple(t) for t in options.targets]
    return Shape(branches=branches)


@agent(
    "fork",
    config=ForkOptions,
    shape=_shape,
    check=lambda options: "" if all(options.targets) else "`targets` has an empty branch",
    version="1",
)
async def fork(ctx: Context) -> Json:
    """Start the branches."""
    return None
