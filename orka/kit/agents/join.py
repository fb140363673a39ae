"""`join`: waits for the branches of a fork and merges their outputs in the order written."""

from __future__ import annotations

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.value import Json


class JoinOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`group` is the id of the fork. Without it the join takes whatever leads to it."""

    group: str = ""


@agent("join", config=JoinOptions, shape=lambda o: Shape(joins=o.group), version="1")
async def join(ctx: Context) -> Json:
    """Merge what came in: node id -> output. Branches routed away are left out."""
    return ctx.upstream
