"""The states of a plan: what may follow what, and on whose word."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import orka
import pytest
from desk import PLAN, YES, done, model
from orka.errors import AgentError, ConfigError
from orka.value import Json

from orka_spec_driven.record import MOVES, Move, State, moved

STATES: tuple[State, ...] = ("draft", "in_review", "approved", "implemented")


def record(*states: State) -> dict[str, Json] | None:
    found: dict[str, Json] | None = None
    for state in states:
        found = moved(found, Move(to=state, at="now"), "node", PLAN)
    return found


WAYS: Mapping[str, tuple[State, ...]] = {
    "": (),
    "draft": ("draft",),
    "in_review": ("draft", "in_review"),
    "approved": ("draft", "in_review", "approved"),
    "implemented": STATES,
}


@pytest.mark.parametrize("before", MOVES)
@pytest.mark.parametrize("to", STATES)
def test_only_the_moves_of_the_table_are_possible(before: str, to: State) -> None:
    move = Move(to=to, at="now")
    if to in MOVES[before]:
        found = moved(record(*WAYS[before]), move, "node", PLAN)
        assert (found["state"], found["history"][-1]["from"]) == (to, before)
        return
    with pytest.raises(AgentError) as caught:
        moved(record(*WAYS[before]), move, "node", PLAN)
    assert caught.value.code == "plan.transition"
    assert (MOVES[before] or ("end",))[0] in caught.value.fix


def test_an_approved_plan_cannot_become_another_one() -> None:
    other = {**PLAN, "goal": "Write about gin"}
    with pytest.raises(AgentError) as caught:
        moved(record(*WAYS["approved"]), Move(to="implemented", at="now"), "node", other)
    assert caught.value.code == "plan.changed"


def test_the_version_counts_plans_and_not_transitions() -> None:
    again = moved(record("draft", "in_review"), Move(to="draft", at="now"), "node", PLAN)
    assert again["version"] == 1
    other = moved(again | {}, Move(to="in_review", at="now"), "node", PLAN)
    changed = moved(other, Move(to="draft", at="now"), "node", {**PLAN, "goal": "Write less"})
    assert changed["version"] == 2


FORGED = """
orchestrator: {id: forged, model: scripted}
agents:
  - {id: planner, type: llm, prompt: plan, parse: auto}
  - {id: drafted, type: plan_state, to: draft, plan: planner}
  - {id: reviewed, type: plan_state, to: in_review, after: drafted}
  - {id: clerk, type: llm, prompt: say, parse: auto, writes: reviewed}
  - {id: sign_off, type: approval, prompt: ok}
  - {id: approved, type: plan_state, to: approved, after: reviewed, evidence: sign_off}
"""


def test_a_model_cannot_write_the_record_of_a_plan() -> None:
    claimed = {"state": "in_review", "version": 1, "plan": PLAN, "seal": "0" * 32, "history": []}
    run = asyncio.run(done(YES, model(clerk=[claimed]), FORGED))
    assert run.failure is not None and run.failure.code == "plan.forged"


UNSAID = """
orchestrator: {id: unsaid, model: scripted, agents: [planner, drafted, reviewed, clerk, approved]}
agents:
  - {id: planner, type: llm, prompt: plan, parse: auto}
  - {id: drafted, type: plan_state, to: draft, plan: planner}
  - {id: reviewed, type: plan_state, to: in_review, after: drafted}
  - {id: clerk, type: llm, prompt: say, parse: auto}
  - {id: approved, type: plan_state, to: approved, after: reviewed, evidence: clerk}
"""


def test_a_model_that_says_yes_is_no_approval() -> None:
    run = asyncio.run(done(YES, model(clerk=[{"approved": True, "by": "pia"}]), UNSAID))
    assert run.failure is not None and run.failure.code == "plan.evidence"


SKIPPED = """
orchestrator: {id: skipped, model: scripted, agents: [planner, drafted, sign_off, approved]}
agents:
  - {id: planner, type: llm, prompt: plan, parse: auto}
  - {id: drafted, type: plan_state, to: draft, plan: planner}
  - {id: sign_off, type: approval, prompt: ok}
  - {id: approved, type: plan_state, to: approved, after: drafted, evidence: sign_off}
"""


def test_a_draft_cannot_be_approved_unreviewed() -> None:
    run = asyncio.run(done(YES, model(), SKIPPED))
    assert run.failure is not None and run.failure.code == "plan.transition"
    assert "in_review" in run.failure.fix


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"to": "approved", "after": "a"}, "evidence"),
        ({"to": "in_review", "after": "a", "evidence": "a"}, "evidence"),
        ({"to": "in_review"}, "after"),
        ({"to": "in_review", "after": "a", "plan": "a"}, "plan"),
        ({"to": "draft"}, "plan"),
        ({"to": "done", "after": "a"}, "done"),
        ({"to": "draft", "plan": "nobody"}, "nobody"),
    ],
)
def test_options_that_cannot_work_are_found_before_a_run(
    options: dict[str, Json], told: str
) -> None:
    flow = {
        "orchestrator": {"id": "wrong", "agents": ["a", "b"]},
        "agents": [{"id": "a", "type": "wait", "seconds": 0}, {"id": "b", "type": "plan_state"}],
    }
    flow["agents"][1] |= options  # type: ignore[index]  # a list of maps
    with pytest.raises(ConfigError) as caught:
        orka.check(flow, store=":memory:")
    assert told in str(caught.value)
