"""Decisions as they are read from a run."""

from __future__ import annotations

import pytest
from score.test_why import A, B, candidate, ledger

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.errors import LedgerError
from orka.value import Json
from orka.view.decisions import decisions, written
from view.runs import flow, ran


@agent("recording")
async def recording(ctx: Context) -> Json:
    """Records what it is given as decisions."""
    for value in ctx.input:
        await ctx.decided(value)


GOOD = ledger(candidate("A", A), candidate("B", B))
SCOUT = {"id": "scout", "type": "recording"}


def test_decisions_are_read_in_the_order_they_were_made() -> None:
    run = ran(flow(SCOUT), input=[GOOD.json(), GOOD.json()], use=(recording,))
    first, second = decisions(run)
    assert first.ledger == second.ledger == GOOD
    assert (first.run, first.node) == ("r", "scout")
    assert first.seq + 1 == second.seq


def test_a_decision_in_a_scope_has_the_path_of_its_node() -> None:
    inner = {"orchestrator": {"id": "inner"}, "agents": [SCOUT]}
    outer = {"id": "outer", "type": "workflow", "workflow": inner}
    run = ran(flow(outer), input=[GOOD.json()], use=(recording,))
    (found,) = decisions(run)
    assert found.node == "outer#0/scout"


def test_a_run_without_decisions_has_none() -> None:
    run = ran(flow({"id": "a", "type": "wait", "seconds": 0}))
    assert decisions(run) == []


def test_a_damaged_decision_is_named_by_run_and_event() -> None:
    damaged = GOOD.json()
    damaged["candidates"] = [{**damaged["candidates"][0], "factors": {}}]
    run = ran(flow(SCOUT), input=[GOOD.json(), damaged], use=(recording,))
    seqs = [each.seq for each in written(run)]
    with pytest.raises(LedgerError) as error:
        decisions(run)
    assert error.value.where == f"run 'r', event {seqs[1]}, node 'scout'"
    assert "candidate 'A' has no factor 'llm'" in error.value.what
