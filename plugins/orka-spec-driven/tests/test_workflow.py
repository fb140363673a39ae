"""The whole workflow: a plan on its way from a draft to what is implemented, and what stops it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import orka
import pytest
from desk import BETTER, NO, PLAN, YES, attack, call, done, flow, model, objection, value
from orka.event.event import Gated, Noted
from orka.value import Json


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tools write below the working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "spec_driven"


def entries(home: Path) -> list[Json]:
    lines = (home / "changelog" / "tea.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["entry"] for line in lines]


def states(record: Json) -> list[str]:
    return [step["to"] for step in record["history"]]


def test_a_plan_goes_all_the_way(home: Path) -> None:
    run = asyncio.run(done(YES, model()))
    assert run.status == "completed", run.failure
    record = value(run, "implemented")
    way = ["draft", "in_review", "draft", "in_review", "approved", "implemented"]
    assert states(record) == way
    assert (record["version"], record["plan"]) == (2, BETTER)
    assert record["history"][4]["by"] == "sign_off: pia"
    assert (home / "work" / "page.txt").read_text() == "Tea is a leaf in hot water."
    (entry,) = entries(home)
    assert entry["plan"]["state"] == "implemented"
    assert entry["review"]["verdict"] == "accepted"


def test_every_transition_is_recorded(home: Path) -> None:
    run = asyncio.run(done(YES, model()))
    noted = [e.data for e in run.events if isinstance(e, Noted) and e.kind == "plan.transition"]
    assert [(each["from"], each["to"]) for each in noted] == [
        ("", "draft"),
        ("draft", "in_review"),
        ("in_review", "draft"),
        ("draft", "in_review"),
        ("in_review", "approved"),
        ("approved", "implemented"),
    ]
    assert all(each["at"] and each["digest"] for each in noted)


def test_a_plan_nobody_objects_to_is_not_revised() -> None:
    given = model(attack=[attack()])
    run = asyncio.run(done(YES, given))
    assert run.status == "completed", run.failure
    assert "revise" not in given.counts
    assert (value(run, "implemented")["version"], value(run, "attack")["stopped"]) == (
        1,
        "satisfied",
    )


def test_the_run_waits_for_a_person_and_nothing_is_carried_out_before(home: Path) -> None:
    async def waiting() -> orka.Run:
        models = {"scripted": model()}
        async with orka.Runtime(store=":memory:", models=models) as runtime:
            return await runtime.run(flow(), "Write a page about tea")

    run = asyncio.run(waiting())
    assert run.status == "waiting"
    assert not home.exists()


def test_a_no_makes_the_plan_a_draft_again_and_nothing_is_carried_out(home: Path) -> None:
    given = model()
    run = asyncio.run(done(NO, given))
    assert run.status == "completed", run.failure
    assert "work" not in given.counts
    (entry,) = entries(home)
    assert entry["plan"]["state"] == "draft"
    assert "too vague" in entry["plan"]["history"][-1]["because"]


def test_a_review_without_answers_leaves_the_plan_approved(home: Path) -> None:
    unsaid: Json = {"question": 0, "answer": "Surely", "quote": None}
    questions: Json = {"questions": [{"step": "s1", "question": "Where is it?"}]}
    run = asyncio.run(done(YES, model(check=[questions, {"answers": [unsaid]}])))
    assert run.status == "completed", run.failure
    (entry,) = entries(home)
    assert entry["plan"]["state"] == "approved"
    assert entry["review"]["verdict"] == "abstained"
    assert entry["review"]["uncovered"] == ["s1", "s2"]


def test_a_tool_that_is_not_offered_is_not_called(home: Path) -> None:
    given = model(work=[call("changelog", session="tea", entry={"forged": True})] * 3)
    run = asyncio.run(done(YES, given))
    assert run.failure is not None and run.failure.code == "tool.unknown"
    assert not (home / "changelog").exists()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("delete_everything", {"path": "/"}), ("changelog", {"session": "tea", "entry": {}})],
)
def test_a_tool_outside_the_role_is_refused_by_the_engine_even_if_it_is_offered(
    home: Path, name: str, arguments: Json
) -> None:
    deleted: list[str] = []

    @orka.tool
    def delete_everything(path: str) -> str:
        """Delete all there is."""
        deleted.append(path)
        return "gone"

    offered = flow().replace("tools: [workspace_write]", f"tools: [workspace_write, {name}]")
    given = model(work=[call(name, **arguments)] * 3)
    run = asyncio.run(done(YES, given, offered, [delete_everything]))
    assert run.failure is not None and run.failure.code == "permission.denied"
    assert (given.counts["work"], deleted, home.exists()) == (1, [], False)
    (gated,) = [event for event in run.events if isinstance(event, Gated)]
    assert (gated.tool, gated.verdict, gated.rule) == (name, "deny", "unlisted")


def test_a_yes_to_another_plan_is_not_taken(home: Path) -> None:
    async def answered() -> None:
        models = {"scripted": model()}
        async with orka.Runtime(store=":memory:", models=models) as runtime:
            run = await runtime.run(flow(), "Write a page about tea")
            shown = run.questions[0].payload
            assert shown["show"] == {"plan": BETTER}
            with pytest.raises(orka.OrkaError) as caught:
                await runtime.answer(run.id, "sign_off", {**YES, "seal": "x" * len(shown["seal"])})
            assert caught.value.code == "approval.mismatch"
            assert runtime.open(run.id).status == "waiting"

    asyncio.run(answered())
    assert not home.exists()


def test_repeated_criticism_ends_the_attack_early() -> None:
    given = model(
        attack=[
            attack(objection("The outline has no review by an expert")),
            attack(objection("Outlines lack reviews by experts.")),
        ]
    )
    run = asyncio.run(done(YES, given))
    found = value(run, "attack")
    assert (found["stopped"], found["rounds"], len(found["objections"])) == ("repetition", 2, 1)
    assert given.counts["attack"] == 2


TWICE = """
orchestrator: {id: twice, model: scripted, agents: [planner, drafted]}
agents:
  - {id: planner, type: llm, prompt: plan, parse: auto}
  - {id: drafted, type: plan_state, to: draft, plan: planner}
"""


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({**PLAN, "steps": [PLAN["steps"][0], PLAN["steps"][0]]}, "'s1' is there twice"),
        ({**PLAN, "steps": []}, "steps"),
        ({"steps": ["Write it"]}, "goal"),
        ("I would begin with an outline", "gave no plan"),
    ],
)
def test_a_planner_that_gives_no_plan_fails_by_name(plan: Json, told: str) -> None:
    run = asyncio.run(done(YES, model(planner=[plan]), TWICE))
    assert run.failure is not None and run.failure.code == "plan.invalid"
    assert told in run.failure.message
