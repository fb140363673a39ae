"""`join`: waits for the branches of a fork and merges their outputs in the order written."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from orka.agent.agent import JoinPolicy, Shape, agent
from orka.agent.context import Context
from orka.value import Json

_SECONDS = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?")
_UNIT = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class Quorum(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`quorum`: how many branches are enough. `deadline`: how long to wait for all of them, in
    seconds, or as "30s", "5m"."""

    quorum: int | None = None
    deadline: float | str | None = None


class JoinOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`group` is the id of the fork. Without it the join takes whatever leads to it. `policy` says
    when it goes on; branches it does not wait for are stopped. With `on_failure: partial` a branch
    that fails does not fail the run: its error stands in the output. `members` are agents upstream
    whose outputs are merged too."""

    group: str = ""
    policy: Literal["all", "any"] | Quorum = "all"
    on_failure: Literal["fail", "partial"] = "fail"
    members: list[str] = []


def _policy(options: JoinOptions) -> JoinPolicy:
    count, deadline = (1 if options.policy == "any" else None), None
    if isinstance(options.policy, Quorum):
        count, deadline = options.policy.quorum, _seconds(options.policy.deadline)
    partial = options.on_failure == "partial"
    return JoinPolicy(count=count, deadline=deadline, partial=partial)


def _seconds(written: float | str | None) -> float | None:
    """Raises `ValueError` for a text that is no duration."""
    if not isinstance(written, str):
        return written
    match = _SECONDS.fullmatch(written.strip())
    if not match:
        raise ValueError(written)
    return float(match.group(1)) * _UNIT[match.group(2) or "s"]


def _shape(options: JoinOptions) -> Shape:
    return Shape(joins=options.group, policy=_policy(options))


def _check(options: JoinOptions) -> str:
    try:
        policy = _policy(options)
    except ValueError as error:
        return f"`deadline` is {str(error)!r}; write seconds, or a text such as 30s or 5m"
    if policy.tolerant and not options.group:
        return "`policy` and `on_failure` need `group`: the fork whose branches they are about"
    if policy.count is not None and policy.count < 1:
        return "`quorum` must be 1 or more"
    if policy.deadline is not None and policy.deadline <= 0:
        return "`deadline` must be above 0"
    return ""


@agent("join", config=JoinOptions, shape=_shape, check=_check, version="2")
async def join(ctx: Context) -> Json:
    """Merge what came in: node id -> output. Branches routed away are left out; one that failed
    where that is tolerated has its error, but among branches of which some are enough it is one of
    those that were not needed."""
    options: JoinOptions = ctx.config
    held = {id: ctx.outputs[id] for id in options.members if id in ctx.outputs}
    policy = _policy(options)
    failed = ctx.failed if policy.partial or policy.count is None else {}
    return {**held, **ctx.upstream, **failed}
