"""Where a round's score is looked for, and in which order."""

from __future__ import annotations

import pytest

from orka.errors import ConfigError
from orka.score.extract import Judge, Scoring, Strategy, pattern_of, verdict
from orka.score.insight import Cognition, learned, quality, summary, trend
from orka.value import Json

ORDER = ("draft", "critic", "judge")


@pytest.mark.parametrize(
    ("strategy", "outputs", "score"),
    [
        ({"type": "pattern", "patterns": [r"Q=([\d.]+)"]}, {"judge": "Q=0.7"}, 0.7),
        (
            {"type": "pattern", "patterns": [r"Q=([\d.]+)"]},
            {"draft": "Q=0.1", "judge": "Q=0.7"},
            0.7,
        ),
        (
            {"type": "pattern", "patterns": [r"quality\W+([\d.]+)"]},
            {"judge": {"quality": 0.7}},
            0.7,
        ),
        ({"type": "direct_key", "key": "judge"}, {"judge": "7/10"}, 0.7),
        ({"type": "direct_key", "key": "quality"}, {"judge": {"quality": 0.7}}, 0.7),
        ({"type": "agent_key", "agents": ["judge"], "key": "q"}, {"judge": {"q": "70%"}}, 0.7),
        (
            {"type": "agent_key", "agents": ["judge"], "key": "response"},
            {"judge": "score 0.7"},
            0.7,
        ),
        ({"type": "json", "key": "q"}, {"judge": '```json\n{"q": 0.7}\n```'}, 0.7),
        ({"type": "json"}, {"judge": '{"score": 0.7}'}, 0.7),
        ({"type": "nested_path", "path": "judge.a.0.b"}, {"judge": {"a": [{"b": 0.7}]}}, 0.7),
        ({"type": "nested_path", "path": "judge.q"}, {"judge": {"response": {"q": 0.7}}}, 0.7),
        (
            {"type": "computed", "weights": {"judge.a": 3, "critic": 1}},
            {"judge": {"a": 0.8}, "critic": "0.4"},
            0.7,
        ),
        ({"type": "computed", "weights": {"judge": 1, "critic": 1}}, {"judge": 0.8}, None),
        ({"type": "json", "key": "q"}, {"judge": "score 0.7"}, None),
        ({"type": "direct_key", "key": "judge"}, {"judge": {"q": 0.7}}, None),
        ({"type": "pattern", "patterns": [r"Q=([\d.]+)"]}, {"judge": "Q=7"}, None),
    ],
)
def test_each_strategy(strategy: dict[str, Json], outputs: Json, score: float | None) -> None:
    found = verdict(Judge(strategies=(Strategy(**strategy),)), ORDER, outputs)
    assert found.score == score and bool(found.problem) is (score is None)


def test_the_agent_named_is_the_only_one_looked_at() -> None:
    outputs = {"draft": "SCORE: 0.9", "judge": "fine"}
    assert verdict(Judge(source="judge"), ORDER, outputs).score is None
    assert verdict(Judge(), ORDER, outputs).score == 0.9


def test_agents_of_high_priority_come_first_and_the_last_agents_next() -> None:
    outputs = {"draft": "score: 0.9", "critic": "score: 0.5", "judge": "score: 0.3"}
    assert verdict(Judge(first=("critic",)), ORDER, outputs).agent == "critic"
    assert verdict(Judge(), ORDER, outputs).agent == "judge"


def test_an_unreadable_score_is_not_replaced_by_another_one() -> None:
    assert verdict(Judge(), ORDER, {"draft": "score: 0.9", "judge": "score: 9"}).score is None


QUALITY = {"accuracy": {"factually_correct": True, "addresses_question": True},
           "clarity": {"well_structured": False, "easy_to_understand": None},
           "completeness": {"comprehensive_answer": True}}  # fmt: skip


def test_boolean_answers_come_before_any_number() -> None:
    judge = Judge(rubrics=tuple(Scoring().rubrics()))
    found = verdict(judge, ORDER, {"judge": {"boolean_evaluations": QUALITY, "score": 0.1}})
    assert found.score == 0.58 and found.how == "boolean quality"
    assert found.criteria["failed_criteria"] == ["clarity.well_structured"]


def test_too_few_answers_leave_the_validators_own_score() -> None:
    judge = Judge(rubrics=tuple(Scoring(context="loop_convergence").rubrics()))
    said = {"boolean_evaluations": QUALITY, "validation_score": 0.4}
    assert verdict(judge, ORDER, {"judge": said}).score == 0.4
    assert verdict(judge, ORDER, {"judge": {"validation_score": 0.4}}).how == "label"
    lost = {**said, "boolean_evaluations": {"a": {"b": None}}, "validation_score": None}
    for each in (judge, Judge()):
        told = verdict(each, ORDER, {"judge": {**lost, "error": "no JSON"}, ORDER[0]: {"score": 1}})
        assert told.score is None and told.problem == "'judge' could not judge: no JSON"


def test_agreement_is_the_last_resort() -> None:
    outputs = {"draft": "use more tests", "critic": "use more tests"}
    assert verdict(Judge(agreement=True), ORDER, outputs).score == 1.0
    assert verdict(Judge(agreement=True), ORDER, {**outputs, "judge": "0.2"}).score == 0.2


def test_insights_are_found_by_patterns_and_by_priority() -> None:
    rules = Cognition(
        max_length_per_category=40,
        extract_patterns={"insights": [r"shows that (.+?)(?:\n|$)"]},
        agent_priorities={"critic": ["insights"], "judge": ["mistakes"]},
    )
    outputs = {
        "draft": "This shows that   caching helps a lot\nand so on",
        "critic": "It shows that tests are missing",
        "judge": "This one shows that nobody reads it",
    }
    assert (
        learned(rules, ORDER, outputs, None)["insights"]
        == "tests are missing | caching helps a lot"
    )
    assert not any(learned(Cognition(enabled=False), ORDER, outputs, None).values())


def test_criteria_speak_where_patterns_find_nothing() -> None:
    criteria = {"passed_criteria": ["a.b"], "failed_criteria": ["c.d"], "unknown_criteria": ["e.f"]}
    found = learned(Cognition(), ORDER, {}, criteria)
    assert found == {"insights": "a.b", "improvements": "c.d, e.f", "mistakes": "c.d"}


def test_the_rounds_are_summed_up_newest_first() -> None:
    past: list[dict[str, Json]] = [{"mistakes": "one", "k": 1}, {"mistakes": "two", "k": 2}]
    told = summary(past, ["k", "z"])
    assert told["mistakes"] == "two | one" and told["k"] == 2
    assert told["z"] == "No z available" and told["insights"] == "No insights available"


def test_quality_and_trend_are_read_or_unknown() -> None:
    assert quality({"judge": "REASONING_QUALITY: 8/10"}) == 0.8
    assert quality({"judge": "fine"}) is None
    assert trend({"judge": "CONVERGENCE_TREND: stable"}, [0.1, 0.9]) == "STABLE"
    assert trend({}, [0.1, 0.9]) == "IMPROVING" and trend({}, [None, 0.9]) == "UNKNOWN"


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a*)*b", r"(\w+\s?)*$", "(a|aa)+$", "((a)+)+", "(.+){2,9}x", r"(.)\1", "(a{2,})+"],
)
def test_a_pattern_that_a_text_can_make_run_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="very long"):
        pattern_of(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"SCORE:\s*([0-9.]+)",
        r"SCORE:\s*(-?\d+(?:\.\d+)?)",
        r"(\d+(?:[.,]\d+)?)\s*%",
        r"[*+-]+\s*(\d+)",
        r"\(score\)+ (\d\.\d{1,3})",
        r'"score"\s*:\s*{"value": ([0-9.]+)',
        r"(?:score|rating)s?[:\s]+(.+?)(?:\n|$)",
    ],
)
def test_usual_patterns_are_taken(pattern: str) -> None:
    assert pattern_of(pattern).pattern == pattern


@pytest.mark.parametrize(
    ("strategies", "said", "score"),
    [
        ((), "a plan", None),
        ((), "SCORE: 0.4", 0.4),
        ((Strategy(type="direct_key", key="judge"),), "SCORE: 0.4", 0.4),
        ((Strategy(type="pattern", patterns=[r"(0\.[5-9])"]),), "a plan", None),
        ((Strategy(type="agent_key", agents=["judge"], key="confidence"),), "a plan", 0.9),
    ],
)
def test_how_sure_a_model_is_of_its_answer_is_no_score_of_the_round(
    strategies: tuple[Strategy, ...], said: str, score: float | None
) -> None:
    told = {"response": said, "confidence": "0.9", "internal_reasoning": "because"}
    assert verdict(Judge(strategies=strategies), ("judge",), {"judge": told}).score == score
    as_text = '{"response": "%s", "confidence": 0.9}' % said  # noqa: UP031
    if not strategies:
        assert verdict(Judge(), ("judge",), {"judge": as_text}).score == score
