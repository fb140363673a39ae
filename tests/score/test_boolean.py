"""Boolean scoring: weights that sum to one, and unknown that counts for nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.errors import ConfigError
from orka.score.boolean import answers_in, covers, judged, rubric
from orka.score.criteria import QUESTIONS, answer_schema, asked
from orka.score.presets import CONTEXTS, PRESETS, WEIGHTS

LOOP = rubric("loop_convergence", "moderate")


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("preset", PRESETS)
def test_weights_sum_to_one_and_each_criterion_has_a_question(context: str, preset: str) -> None:
    made = rubric(context, preset)
    assert abs(sum(made.weights.values()) - 1) < 1e-9
    assert all(name in QUESTIONS for name in made.weights)
    assert all(name in asked(made) for name in made.weights)
    assert set(answer_schema(made)["properties"]) == {*made.dimensions, "rationale"}
    assert judged(made, dict.fromkeys(made.weights, True))["validation_score"] == 1.0
    assert judged(made, dict.fromkeys(made.weights, False))["overall_assessment"] == "REJECTED"


@given(st.lists(st.sampled_from([True, False, None]), min_size=7, max_size=7))
def test_unknown_never_helps(said: list[bool | None]) -> None:
    answers = dict(zip(LOOP.weights, said, strict=True))
    score = judged(LOOP, answers)["validation_score"]
    known = judged(LOOP, {name: bool(value) for name, value in answers.items()})
    if all(value is None for value in said):
        assert score is None
    else:
        assert score == known["validation_score"]
    assert 0 <= (score or 0) <= 1


def test_nothing_known_is_unknown_and_never_approved() -> None:
    told = judged(LOOP, {})
    assert told["validation_score"] is None and told["overall_assessment"] == "UNKNOWN"
    assert len(told["unknown_criteria"]) == 7 and not told["failed_criteria"]
    almost = dict.fromkeys(LOOP.weights, True) | {"improvement.better_than_previous": None}
    assert judged(LOOP, almost)["overall_assessment"] == "UNKNOWN"
    assert (
        judged(LOOP, {**almost, "stability.not_degrading": False})["overall_assessment"]
        == "REJECTED"
    )


def test_custom_weights_replace_single_ones_and_choose_the_context() -> None:
    made = rubric(
        "", "moderate", {"accuracy.factually_correct": 0.78, "accuracy.no_hallucinations": 0}
    )
    assert made.context == "quality"
    assert abs(made.weights["accuracy.factually_correct"] - 0.78 / 1.44) < 1e-9
    assert made.weights["accuracy.no_hallucinations"] == 0


@pytest.mark.parametrize(
    ("context", "preset", "custom", "names"),
    [
        ("qality", "", {}, ["qality", "quality"]),
        ("", "strikt", {}, ["strikt", "strict"]),
        ("quality", "", {"accuracy.factual": 1}, ["accuracy.factual", "factually_correct"]),
        ("quality", "", {"accuracy.no_hallucinations": -1}, ["no_hallucinations", "0 or more"]),
        ("quality", "", dict.fromkeys(WEIGHTS["quality"], 0), ["0"]),
    ],
)
def test_names_that_do_not_exist_are_refused(
    context: str, preset: str, custom: dict[str, float], names: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        rubric(context, preset, custom)
    for name in names:
        assert name in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        {"boolean_evaluations": {"improvement": {"better_than_previous": True}}},
        {"Improvement": {"Better_Than_Previous": "yes"}},
        {"better_than_previous": True},
        {"improvement.better_than_previous": "PASS"},
        {"response": '{"improvement": {"better_than_previous": true}}'},
        '```json\n{"improvement": {"better_than_previous": {"passed": true}}}\n```',
    ],
)
def test_answers_are_found_in_each_form(value: object) -> None:
    found = answers_in(value, LOOP)
    assert found == {"improvement.better_than_previous": True}
    assert not covers(LOOP, found)


def test_words_that_are_neither_are_unknown() -> None:
    said = {"better_than_previous": "perhaps", "significant_delta": 1, "not_degrading": [True]}
    assert set(answers_in(said, LOOP).values()) == {None}
