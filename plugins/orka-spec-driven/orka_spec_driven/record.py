"""The record of a plan: its state, how it came there, and a seal that shows any other change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json, canonical, digest

from orka_spec_driven.plan import same

State = Literal["draft", "in_review", "approved", "implemented"]
# State -> the states that may follow it. The empty text stands for no plan at all.
MOVES: Mapping[str, tuple[State, ...]] = {
    "": ("draft",),
    "draft": ("in_review",),
    "in_review": ("draft", "approved"),
    "approved": ("draft", "implemented"),
    "implemented": (),
}


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """One transition: where to, when (ISO 8601), on whose word, and why."""

    to: State
    at: str
    by: str = ""
    because: str = ""


def moved(
    record: Mapping[str, Json] | None, move: Move, node: str, plan: Mapping[str, Json]
) -> dict[str, Json]:
    """The record after a transition. Raises `AgentError` (`plan.transition`) for one that is not
    allowed, and `plan.changed` for another plan than the record's, unless it is drafted anew."""
    before = record or {"state": "", "version": 0, "plan": None, "history": []}
    if move.to not in MOVES[before["state"]]:
        allowed = ", ".join(MOVES[before["state"]]) or "nothing: it has come to its end"
        raise AgentError(
            f"{node!r} takes a plan from {before['state'] or 'nowhere'!r} to {move.to!r}",
            where=f"node {node!r}",
            fix=f"what may follow is {allowed}; see to which node `after` leads",
            code="plan.transition",
        )
    changed = not same(before["plan"], plan)
    if changed and move.to != "draft":
        raise AgentError(
            f"{node!r} takes another plan to {move.to!r} than the one that is {before['state']!r}",
            where=f"node {node!r}",
            fix="a plan that is changed is a draft again",
            code="plan.changed",
        )
    step: dict[str, Json] = {"from": before["state"], **msgspec.to_builtins(move)}
    return _sealed(
        {
            "state": move.to,
            "version": before["version"] + changed,
            "plan": dict(plan),
            "digest": digest(canonical(plan)),
            "history": [*before["history"], step],
        }
    )


def record_of(ctx: Context, node: str) -> dict[str, Json]:
    """The record that `node`, a `plan_state` upstream, gave. Raises `AgentError` (`plan.forged`)
    for what no `plan_state` made, so that no model can say that a plan is approved."""
    value = ctx.outputs.get(node)
    record = dict(value) if isinstance(value, Mapping) else {}
    if kind_of(ctx, node) != "plan_state" or not _intact(record):
        raise AgentError(
            f"{ctx.node!r} reads {node!r}, and what stands there is no record of a plan",
            where=f"node {ctx.node!r}",
            fix="name a `plan_state` upstream; nothing else may write in its place",
            code="plan.forged",
        )
    return record


def kind_of(ctx: Context, node: str) -> str:
    """The type of a node upstream that has given something; empty text if there is none."""
    ended = {each["id"]: each["type"] for each in ctx.settled() if each["status"] == "done"}
    kind: str = ended.get(node, "")
    return kind


def _sealed(record: dict[str, Json]) -> dict[str, Json]:
    return {**record, "seal": digest(canonical(record))}


def _intact(record: Mapping[str, Json]) -> bool:
    bare = {name: item for name, item in record.items() if name != "seal"}
    return bool(bare) and _sealed(bare) == record
