"""`brain` nodes through whole runs: skills and episodes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

import orka
from orka.event.event import Noted, Repaired
from orka.testing.clock import clock, run_virtual
from orka.value import Json, canonical

DAY = 86_400.0
Step = tuple[str, Json] | float
PLAN = {
    "domain": "ecology",
    "task": "diagnose why the lake is losing fish: compare samples and identify the cause",
    "steps": [
        {"action": "collect samples", "result": "a table of samples"},
        {"action": "compare them"},
        "identify the cause",
    ],
    "confidence": "0.8",
    "skill_name": "find the cause",
}
CASE = {
    "domain": "software",
    "task": "diagnose why the queue is losing messages: compare logs and identify the cause",
}


def brain(operation: str) -> dict[str, Json]:
    agent = {"id": "b", "type": "brain", "operation": operation, "prompt": "{{ input.text }}"}
    return {"orchestrator": {"id": "t", "agents": ["b"]}, "agents": [agent]}


def runs(*steps: Step) -> list[orka.Run]:
    """One operation after another on one brain, each replayed; a number is seconds that pass."""

    async def go() -> list[orka.Run]:
        found = []
        async with orka.Runtime(store=":memory:", clock=clock) as runtime:
            for step in steps:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    continue
                operation, given = step
                text = given if isinstance(given, str) else canonical(given).decode()
                run = await runtime.run(brain(operation), {"text": text})
                runtime.replay(run.id)
                found.append(run)
        return found

    return run_virtual(go())


def output(*steps: Step) -> Mapping[str, Json]:
    run = runs(*steps)[-1]
    assert run.status == "completed", run.failure
    found: Mapping[str, Json] = run.output
    return found


def test_a_skill_is_learned_and_recalled_for_a_task_of_another_domain() -> None:
    learned = output(("learn", PLAN))
    assert learned["learned"] is True
    assert learned["skill_steps"] == ["collect samples", "compare them", "identify the cause"]
    assert learned["confidence"] == pytest.approx(0.66)
    found = output(("learn", PLAN), ("recall", CASE))
    assert found["skill_name"] == "find the cause"
    assert found["structural_score"] == 0.7
    assert found["transfer_score"] is None
    assert found["unknown"] == ["transfer"]
    known = 0.35 * 0.7 + 0.25 * found["semantic_score"] + 0.15 * 0.66
    assert found["combined_score"] == pytest.approx(known, abs=1e-6)
    assert [each["skill_id"] for each in found["all_candidates"]] == [learned["skill_id"]]


def test_an_unrelated_skill_is_not_recalled_and_defaults_of_templates_act() -> None:
    found = output(("learn", PLAN), ("recall", {"task": "translate a poem", "domain": "art"}))
    assert found["all_candidates"] == []
    assert "skill_name" not in found


def test_a_text_gives_its_numbered_steps_or_its_sentences_of_doing() -> None:
    listed = output(("learn", "Do this:\n1. Collect the samples\n2) Compare them\n- note\nDone."))
    assert listed["skill_steps"] == ["Collect the samples", "Compare them", "note"]
    told = output(
        ("learn", "First, collect all the samples. The sky is blue today. Compare the two tables.")
    )
    assert told["skill_steps"] == ["collect all the samples", "Compare the two tables"]
    nothing = output(("learn", "Lovely weather."))
    assert nothing["learned"] is False
    assert "skill_id" not in nothing


def test_an_anti_pattern_never_touches_a_skill_and_comes_back_as_a_warning() -> None:
    anti = {**CASE, "what_failed": "restart everything at once", "why": "it hides the cause"}
    learned, bad, found = (
        run.output for run in runs(("learn", PLAN), ("learn_anti", anti), ("recall", CASE))
    )
    assert bad["skill_id"] != learned["skill_id"]
    assert bad["confidence"] == 0.9
    assert found["skill_id"] == learned["skill_id"]
    assert found["confidence"] is not None
    (warning,) = found["warnings"]
    assert warning["what_failed"] == "restart everything at once"
    (only,) = runs(("learn_anti", anti), ("recall", CASE))[1:]
    assert only.output["all_candidates"] == []


def test_the_same_skill_is_one_and_every_other_name_type_or_domain_is_another() -> None:
    others = [
        {**PLAN, "skill_name": "other"},
        {**PLAN, "domain": "law"},
        {**PLAN, "skill_name": None},
        {**PLAN, "skill_name": None, "task": "compare two poems"},
    ]
    steps: list[Step] = [("learn", PLAN), ("learn", PLAN), *(("learn", each) for each in others)]
    ids = [run.output["skill_id"] for run in runs(*steps)]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 5


def test_feedback_counts_as_a_transfer_and_moves_the_confidence() -> None:
    learned = output(("learn", PLAN))
    good = {"skill_id": learned["skill_id"], "success": "yes", "domain": "software"}
    bad = {**good, "success": "no"}
    _, first, second, found = (
        run.output
        for run in runs(("learn", PLAN), ("feedback", good), ("feedback", bad), ("recall", CASE))
    )
    assert first["confidence"] == pytest.approx(0.66 + 0.05 * 0.34)
    assert second["confidence"] == pytest.approx(0.677 * 0.9)
    assert (second["transfer_count"], second["transfer_success"]) == (2, False)
    assert second["transfer_rate"] == found["transfer_score"] == 0.5
    assert found["unknown"] == []


def test_feedback_rates_nothing_it_was_not_told() -> None:
    assert "nothing was rated" in output(("feedback", {"response": "no skill"}))["response"]
    maybe = {"skill_id": output(("learn", PLAN))["skill_id"], "success": "maybe"}
    _, run = runs(("learn", PLAN), ("feedback", maybe))
    assert "nothing was rated" in run.output["response"]
    (failed,) = runs(("feedback", {"skill_id": "x"}))
    assert failed.failure and failed.failure.code == "brain.unknown_skill"


def test_a_skill_that_is_of_use_lives_longer_and_one_that_fails_does_not() -> None:
    learned = output(("learn", PLAN))
    life = 7 * DAY * (0.5 + 0.66)
    rated = {"skill_id": learned["skill_id"]}
    bad = {**rated, "success": False}

    def known(*steps: Step) -> bool:
        return bool(output(("learn", PLAN), *steps, ("recall", CASE))["all_candidates"])

    assert known(life - 1)
    assert not known(life)
    assert known(life - 1, ("feedback", rated), 2.0)
    assert not known(life - 1, ("feedback", bad), 2.0)


def test_recipes_and_paths_are_kept_with_what_they_are_made_of() -> None:
    recipe = {"agents": '["a", "b"]', "pattern": "parallel", "domain": "d", "success": True}
    made = output(("learn_recipe", recipe))
    assert made["skill_name"] == "recipe:d:parallel-a+b"
    assert made["usage_count"] == 1
    path = output(("learn_path", {"path": "a → b → c", "score": 0.9, "domain": "d"}))
    assert path["skill_name"] == "path:d:a→b→c"
    assert path["skill_steps"] == ["a", "b", "c"]
    assert path["confidence"] == 0.8
    assert output(("learn_path", {"path": []}))["learned"] is False
    assert output(("learn_recipe", {"agents": ""}))["learned"] is False


EPISODE = {
    "task": "migrate the database",
    "domain": "ops",
    "success": False,
    "quality": 0.3,
    "outcome_summary": "the migration stopped half way",
    "what_failed": "no backup, wrong order",
    "lessons": ["take a backup", "test the order", "plan a way back"],
    "failure_analysis": "nobody had tried it before",
}


def test_an_episode_is_recorded_and_told_to_the_next_task() -> None:
    recorded, found = runs(
        ("record_episode", EPISODE),
        DAY,
        ("recall_episodes", {"task_input": "migrate the users", "domain": "ops"}),
    )
    assert recorded.output["episode_success"] is False
    (episode,) = found.output["episodes"]
    assert episode["episode_id"] == recorded.output["episode_id"]
    assert episode["semantic_score"] == pytest.approx(2 / 3, abs=1e-6)
    assert episode["outcome_relevance"] == 1.0
    assert episode["domain_score"] == 1.0
    assert episode["recency_score"] == pytest.approx(0.5 ** (1 / 7), abs=1e-6)
    for words in ("FAILED", "take a backup", "Root cause", "24 h ago", "wrong order"):
        assert words in found.output["response"]


def test_what_nobody_said_of_an_episode_stays_unknown() -> None:
    recorded, found = runs(
        ("record_episode", {"task": "sweep the floor"}),
        ("recall_episodes", {"task": "sweep the floor"}),
    )
    assert recorded.output["episode_success"] is None
    assert recorded.output["confidence"] is None
    (episode,) = found.output["episodes"]
    assert episode["outcome_relevance"] is episode["domain_score"] is None
    assert "outcome unknown" in found.output["response"]


def test_episodes_can_be_left_out_limited_and_cut() -> None:
    good = {**EPISODE, "success": True, "task": "migrate the mail"}
    both: list[Step] = [("record_episode", EPISODE), ("record_episode", good)]
    ask = {"task": "migrate", "domain": "ops"}
    assert output(*both, ("recall_episodes", ask))["episode_count"] == 2
    for more in ({"include_failures": "no"}, {"top_k": 1}, {"domain_filter": "ops", "top_k": "1"}):
        assert output(*both, ("recall_episodes", {**ask, **more}))["episode_count"] == 1
    assert output(*both, ("recall_episodes", {**ask, "domain_filter": "law"}))["episodes"] == []
    assert (
        output(*both, ("recall_episodes", {**ask, "task": "migrate ships", "min_score": 0.95}))[
            "response"
        ]
        == ""
    )
    assert output(*both, ("recall_episodes", {**ask, "max_tokens": 20}))["response"] == ""


def test_what_a_model_wrote_badly_is_mended_or_unknown_and_either_is_recorded() -> None:
    (mended,) = runs(("learn", "{'task': 'compare', 'steps': ['compare the two'],}"))
    assert mended.output["learned"] is True
    assert any(isinstance(each, Repaired) for each in mended.nodes[0].remarks)
    (unread,) = runs(("learn", {**PLAN, "confidence": "very high"}))
    assert unread.output["confidence"] == 0.5
    assert any(isinstance(n, Noted) and n.kind == "brain.unread" for n in unread.nodes[0].remarks)
    (text,) = runs(("learn", '{"task": "cut'))
    assert text.output["learned"] is False
    assert any(isinstance(n, Noted) and n.kind == "brain.not_json" for n in text.nodes[0].remarks)
