"""`validate_and_structure` judges an answer, and gives the record of it."""

from __future__ import annotations

import json

import pytest
from played import play

import orka
from orka.errors import ConfigError

JUDGE = """
  - id: judge
    type: validate_and_structure
    answer: "Paris"
    evidence: "Paris is the capital."%s
"""


def judged(answer: object, more: str = "") -> orka.Run:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return play(JUDGE % more, "judge", {"judge": [text] * 3}, "the capital?")


def test_a_valid_answer_comes_with_its_record() -> None:
    answer = {"valid": True, "reason": "r", "memory_object": {"fact": "Paris"}}
    assert judged(answer).output == answer


def test_a_no_needs_no_record() -> None:
    output = judged({"valid": False, "reason": "r"}).output
    assert output == {"valid": False, "reason": "r", "memory_object": None}


@pytest.mark.parametrize(
    "answer",
    [
        "I think it is fine",
        {"valid": "true", "reason": "r", "memory_object": {"fact": "x"}},
        {"valid": True, "reason": "r"},
        {"valid": True, "reason": "r", "memory_object": None},
        {"valid": True, "reason": "r", "memory_object": {"fact": 7}},
        {"valid": True, "memory_object": {"fact": "x"}},
    ],
)
def test_a_broken_contract_is_a_violation_and_never_a_no(answer: object) -> None:
    failed = judged(answer)
    assert failed.failure and failed.failure.code == "sensor.violation"
    assert failed.nodes[0].remarks


@pytest.mark.parametrize(
    "structure",
    [
        "{city: string, size: number}",
        "{city: str, size: float}",
        '\'{"city": "string", "size": "number"}\'',
        "{type: object, required: [city, size], properties: {city: {type: string}, "
        "size: {type: number}}}",
        "{city: the name of the city, size: {type: number, minimum: 0}}",
    ],
)
def test_the_structure_is_the_form_of_the_record(structure: str) -> None:
    more = f"\n    store_structure: {structure}"
    record = {"city": "Paris", "size": 2.1}
    good = {"valid": True, "reason": "r", "memory_object": record}
    assert judged(good, more).output["memory_object"] == record
    bad = {**good, "memory_object": {"city": "Paris", "size": "big"}}
    failed = judged(bad, more)
    assert failed.failure and "size" in str(failed.failure)


def test_a_breach_can_lead_elsewhere() -> None:
    agents = (
        JUDGE % "\n    on_violation: {route: other}" + "  - {id: other, type: llm, prompt: p}\n"
    )
    done = play(agents, "judge", {"judge": ["hm"], "other": ["o"]})
    assert done.output == "o"


@pytest.mark.parametrize(
    ("more", "names"),
    [("\n    store_structure: '{'", "store_structure"), ("\n    store_structure: {a: 1}", "'a'")],
)
def test_a_structure_that_is_none_is_found_before_the_run(more: str, names: str) -> None:
    with pytest.raises(ConfigError, match=names):
        judged({}, more)


def test_something_to_judge_is_needed() -> None:
    text = "orchestrator: {id: t, model: scripted, agents: [j]}\nagents:\n"
    with pytest.raises(ConfigError, match="nothing to judge"):
        orka.check(text + "  - {id: j, type: validate_and_structure}\n")
