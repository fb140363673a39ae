"""The validators, through whole runs; each run is replayed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from played import Played

import orka
from orka.event.event import Noted, Repaired, Violation
from orka.score.boolean import rubric
from orka.value import Json

QUALITY = rubric("quality")


def answer(said: object = True, context: str = "quality", **others: object) -> str:
    """A model's answer: every criterion `said`, but for `others`."""
    made = {
        dimension: {name: others.get(name, said) for name in criteria}
        for dimension, criteria in rubric(context).dimensions.items()
    }
    return json.dumps({**made, "rationale": "because"})


class Judged(Played):
    """A run with a scripted model."""

    def __init__(
        self, agents: Sequence[Json], replies: Mapping[str, Sequence[object]], given: Json = "why?"
    ) -> None:
        order = [each["id"] for each in agents if each["id"] not in ("b1", "b2", "x", "caught")]
        head = {"id": "t", "model": "scripted", "agents": order}
        super().__init__({"orchestrator": head, "agents": list(agents)}, replies, given)


DRAFT = {"id": "d", "type": "llm", "prompt": "p"}
JUDGE = {
    "id": "v",
    "type": "loop_validator",
    "evaluation_target": "d",
    "scoring_context": "quality",
}


def test_a_loop_validator_weighs_what_the_model_judged() -> None:
    replies = {"d": ["the draft"], "v": [answer(well_structured=False)]}
    played = Judged([DRAFT, JUDGE], replies)
    out = played.output
    assert out["validation_score"] == 0.9 and out["overall_assessment"] == "APPROVED"
    assert out["failed_criteria"] == ["clarity.well_structured"] and out["rationale"] == "because"
    assert out["boolean_evaluations"]["clarity"]["well_structured"] is False
    (asked,) = played.model.prompts("v")
    assert "the draft" in asked and all(name in asked for name in QUALITY.weights)


@pytest.mark.parametrize("reply", ["I like it", "{}", answer("perhaps"), '{"accuracy": true}'])
def test_an_answer_that_cannot_be_read_leaves_everything_unknown(reply: str) -> None:
    played = Judged([DRAFT, JUDGE], {"d": ["x"], "v": [reply]})
    out = played.output
    assert out["validation_score"] is None and out["overall_assessment"] == "UNKNOWN"
    assert len(out["unknown_criteria"]) == 8 and not out["failed_criteria"] and out["error"]
    assert played.told(Violation)[0].raw == reply


def test_unknown_criteria_do_not_pass() -> None:
    replies = {"d": ["x"], "v": [answer(None, factually_correct=True)]}
    out = Judged([DRAFT, JUDGE], replies).output
    assert out["validation_score"] == 0.22 and out["overall_assessment"] == "UNKNOWN"


def test_words_for_true_and_false_are_repairs() -> None:
    played = Judged([DRAFT, JUDGE], {"d": ["x"], "v": [answer("true", well_structured="false")]})
    assert played.output["validation_score"] == 0.9 and played.told(Repaired)


def test_a_breach_may_be_asked_again_or_routed() -> None:
    again = {**JUDGE, "on_violation": "retry"}
    played = Judged([DRAFT, again], {"d": ["x"], "v": ["hm", answer()]})
    assert played.output["validation_score"] == 1.0 and len(played.told(Violation)) == 1
    routed = {**JUDGE, "on_violation": {"route": "caught"}}
    caught = {"id": "caught", "type": "llm", "prompt": "p"}
    played = Judged([DRAFT, routed, caught], {"d": ["x"], "v": ["hm"], "caught": ["seen"]})
    assert "seen" in json.dumps(played.output)


def test_a_custom_prompt_has_its_place_and_may_have_braces() -> None:
    own = {**JUDGE, "custom_prompt": 'Judge {content}; answer like {"a": 1}'}
    played = Judged([DRAFT, own], {"d": ["<it>"], "v": [answer()]})
    assert 'Judge <it>; answer like {"a": 1}' in played.model.prompts("v")[0]


def test_a_judge_inside_a_loop_sees_earlier_rounds_and_ends_it() -> None:
    judge = {**JUDGE, "scoring_context": "", "evaluation_target": "d"}
    inner = {"orchestrator": {"id": "i", "model": "scripted"}, "agents": [DRAFT, judge]}
    loop = {"id": "l", "type": "loop", "max_loops": 3, "score_threshold": 0.8,
            "scoring": {"preset": "moderate"}, "internal_workflow": inner}  # fmt: skip
    first = answer(False, "loop_convergence", not_degrading=True)
    replies = {"d": ["one", "two"], "v": [first, answer(True, "loop_convergence")]}
    played = Judged([loop], replies)
    out = played.output
    assert out["scores"] == [0.18, 1.0] and out["threshold_met"] and out["best_result"] == "two"
    one, two = played.model.prompts("v")
    assert "Earlier rounds" not in one and "0.8" in one
    assert "round 1, score 0.18" in two and "d: one" in two and "rationale" in two
    assert "boolean_evaluations" not in two
    assert (
        "Earlier rounds" in two
        and "improvement.better_than_previous" in out["past_loops"][0]["mistakes"]
    )


PLAN = {"id": "plan_proposer", "type": "llm", "prompt": "p"}


def test_a_plan_validator_finds_the_plan_and_judges_it() -> None:
    replies = {"plan_proposer": ['{"path": ["a", "b"]}'], "v": [answer(context="graphscout")]}
    played = Judged([PLAN, {"id": "v", "type": "plan_validator"}], replies)
    out = played.output
    assert out["validation_score"] == 1.0 and out["plan_from"] == "plan_proposer"
    assert out["scoring_context"] == "graphscout" and out["scoring_preset"] == "moderate"
    (asked,) = played.model.prompts("v")
    assert '["a","b"]' in asked and "why?" in asked


def test_the_author_may_say_whose_plan_is_judged() -> None:
    validator = {"id": "v", "type": "plan_validator", "plan_from": "d", "scoring_preset": "strict"}
    replies = {"plan_proposer": ["x"], "d": ["go left"], "v": [answer(context="graphscout")]}
    played = Judged([PLAN, DRAFT, validator], replies)
    assert played.output["plan_from"] == "d" and "go left" in played.model.prompts("v")[0]


def test_no_plan_is_an_error_that_names_what_was_there() -> None:
    played = Judged([DRAFT, {"id": "v", "type": "plan_validator"}], {"d": ["prose"]})
    assert played.run.failure and played.run.failure.code == "judge.nothing"
    assert "d" in played.run.failure.message


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"scoring_preset": "hard"}, ["hard"]),
        ({"scoring_context": "qualty"}, ["qualty", "quality"]),
        ({"custom_weights": {"accuracy.factual": 1}}, ["accuracy.factual"]),
        ({"custom_prompt": "judge it"}, ["{content}"]),
        ({"evaluation_target": "dd"}, ["dd"]),
        ({"violation_retries": -1}, ["violation_retries"]),
    ],
)
def test_options_that_cannot_work_are_refused(options: Json, names: list[str]) -> None:
    written = {
        "orchestrator": {"id": "t", "model": "scripted", "agents": ["d", "v"]},
        "agents": [DRAFT, {**JUDGE, **options}],
    }
    with pytest.raises(orka.OrkaError) as caught:
        orka.Runtime(store=":memory:").check(written)
    for name in names:
        assert name in str(caught.value)


FORK = [
    {"id": "f", "type": "fork", "targets": ["b1", "b2"]},
    {"id": "b1", "type": "llm", "prompt": "p"},
    {"id": "b2", "type": "llm", "prompt": "p"},
    {"id": "j", "type": "join", "group": "f"},
]


def test_invariants_are_checked_on_the_trace() -> None:
    check = {"id": "v", "type": "invariant_validator", "max_depth": 3}
    out = Judged([*FORK, check], {"b1": ["1"], "b2": ["2"]}).output
    assert out["fork_join_integrity"] == {"status": "PASS", "violations": []}
    assert out["depth_compliance"]["status"] == "FAIL" and out["critical_failures_detected"]
    assert out["validation_summary"]["categories_failed"] == ["depth_compliance"]
    older = {"id": "v", "type": "invariant_validator", "params": {"max_depth": 4}}
    assert not Judged([*FORK, older], {"b1": ["1"], "b2": ["2"]}).output[
        "critical_failures_detected"
    ]


@pytest.mark.parametrize(
    "data",
    [
        {"nodes_executed": ["a", "a"]},
        'EXECUTION_DATA_JSON: {"nodes_executed": ["a", "a"]}',
        "{{ input }}",
    ],
)
def test_written_facts_win_and_are_noted(data: Json) -> None:
    check = {"id": "v", "type": "invariant_validator", "execution_data": data}
    played = Judged([check], {}, '{"nodes_executed": ["a", "a"]}')
    assert played.output["cycle_detection"]["cycles_found"] == ["a"]
    assert [note.kind for note in played.told(Noted)] == ["invariants.given"]


@pytest.mark.parametrize("given", [{}, "", " \n", "{}", "EXECUTION_DATA_JSON: "])
@pytest.mark.parametrize("under", ["execution_data", "params"])
def test_of_empty_data_nothing_can_be_told(given: Json, under: str) -> None:
    more = {"execution_data": given}
    check = {"id": "v", "type": "invariant_validator", **(more if under != "params" else {})}
    check |= {"params": more} if under == "params" else {}
    played = Judged([*FORK, check], {"b1": ["1"], "b2": ["2"]})
    assert played.output["validation_summary"]["unknown_count"] == 6
    assert not played.output["critical_failures_detected"]
    assert len(played.told(Noted)) == 1


def test_where_a_router_led_is_checked_and_its_artifacts_are_facts() -> None:
    router = {"id": "r", "type": "router", "decision_key": "d", "routing_map": {"yes": "x"}}
    x = {"id": "x", "type": "llm", "prompt": "p"}
    check = {"id": "v", "type": "invariant_validator"}
    written = {**check, "id": "w", "execution_data": "{{ get_execution_artifacts() }}"}
    out = Judged([DRAFT, router, x, check], {"d": ["yes"], "x": ["1"]}).output
    assert out["routing_integrity"] == {"status": "PASS", "violations": []}
    out = Judged([DRAFT, router, x, *FORK, written], {"d": ["yes"], "x": ["1"], "b1": ["1"],
                 "b2": ["2"]}).output  # fmt: skip
    assert out["routing_integrity"] == {"status": "PASS", "violations": []}
    assert out["fork_join_integrity"]["status"] == "PASS"
    assert out["tool_integrity"]["status"] == "UNKNOWN"


def test_written_data_that_are_no_facts_are_an_error() -> None:
    check = {"id": "v", "type": "invariant_validator", "execution_data": {"nodes": 1}}
    played = Judged([check], {})
    assert played.run.failure and played.run.failure.code == "judge.data"
