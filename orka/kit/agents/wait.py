"""`wait`: lets time pass, durably."""

from __future__ import annotations

import msgspec

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.value import Json


class WaitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` to wait; a run that was down meanwhile does not wait twice."""

    seconds: float


@agent(
    "wait",
    config=WaitOptions,
    check=lambda options: "" if options.seconds >= 0 else "`seconds` is negative",
    version="1",
)
async def wait(ctx: Context) -> Json:
    """Wait."""
    await ctx.sleep(ctx.config.seconds)
    return None
