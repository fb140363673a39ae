"""`graph-scout` proposes a path, `path_executor` runs it; `validate_and_structure` judges."""

from __future__ import annotations

import json

import pytest
from played import play

import orka
from orka.errors import ConfigError
from orka.event.event import Noted
from orka.value import Json

SCOUT = """
  - {id: scout, type: graph-scout, prompt: "the task: {{ input }}"%s}
  - {id: search, type: tool, tool: look}
  - {id: digest, type: llm, prompt: "sum up {{ previous_outputs.search }}"}
"""


@orka.tool
async def look() -> str:
    """What is found."""
    return "owls"


def scouted(answer: Json, more: str = "", order: str = "scout") -> orka.Run:
    replies: dict[str, list[object]] = {"scout": [json.dumps(answer)] * 3, "digest": ["short"]}
    return play(SCOUT % more, order, replies, use=(look,))


def test_one_agent_is_the_next_step() -> None:
    output = scouted({"path": ["search"], "reasoning": "r"}).output
    assert (output["decision"], output["target"]) == ("commit_next", "search")
    assert output["reasoning"] == "r" and output["scored"] is False
    assert output["candidates"] == [
        {"id": "search", "type": "tool", "score": None},
        {"id": "digest", "type": "llm", "score": None},
    ]


def test_several_are_a_path_that_can_be_run() -> None:
    agents = SCOUT % "" + "  - {id: go, type: path_executor, path_source: scout}\n"
    answer = json.dumps({"path": ["search", "digest"], "reasoning": "r"})
    done = play(agents, "scout, go", {"scout": [answer], "digest": ["short"]}, use=(look,))
    assert done.outputs["scout"]["decision"] == "commit_path"
    assert done.output["results"] == {"search": "owls", "digest": "short"}
    assert any(b"sum up owls" in line for line in done.lines)


def test_none_is_a_question_for_a_person() -> None:
    output = scouted({"path": [], "reasoning": "nothing fits"}).output
    assert (output["decision"], output["target"], output["path"]) == ("human_gate", None, [])


@pytest.mark.parametrize(
    "answer",
    [
        {"path": ["serach"], "reasoning": "r"},
        {"path": ["scout"], "reasoning": "r"},
        {"path": ["search", "search"], "reasoning": "r"},
        {"path": "search", "reasoning": "r"},
        {"path": ["search"]},
    ],
)
def test_a_path_that_is_none_is_a_violation(answer: Json) -> None:
    failed = scouted(answer)
    assert failed.failure and failed.failure.code == "sensor.violation"


@pytest.mark.parametrize("more", [", max_depth: 1", ", params: {max_depth: 1, k_beam: 5}"])
def test_a_path_longer_than_max_depth_is_a_violation(more: str) -> None:
    failed = scouted({"path": ["search", "digest"], "reasoning": "r"}, more)
    assert failed.failure and failed.failure.code == "sensor.violation"


def test_the_model_is_told_the_candidates_and_the_task() -> None:
    done = scouted({"path": [], "reasoning": "r"})
    asked = next(line.decode() for line in done.lines if b'"kind":"llm"' in line)
    for words in ("the task: in", "- search (tool)", "- digest (llm)", "sum up"):
        assert words in asked
    assert "- scout" not in asked


def test_nobody_to_propose_is_an_error() -> None:
    failed = play("  - {id: scout, type: graph-scout}\n", "scout", {})
    assert failed.failure and failed.failure.code == "scout.no_candidates"


def test_parameters_that_do_not_exist_are_told() -> None:
    with pytest.raises(ConfigError, match="k_beem"):
        scouted({}, ", params: {k_beem: 3}")
    with pytest.raises(ConfigError, match="max_depth"):
        scouted({}, ", max_depth: 0")


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


ENDS = """
  - {id: scout, type: graph-scout, prompt: p, params: {require_terminal: true}}
  - {id: search, type: tool, tool: look}
  - {id: final_note, type: llm, prompt: n}
  - {id: answer_builder, type: llm, prompt: a}
"""


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        (["search"], ["search", "answer_builder"]),
        (["final_note", "search"], ["search", "final_note"]),
        (["search", "final_note"], ["search", "final_note"]),
        ([], []),
    ],
)
def test_a_path_ends_with_an_agent_that_answers_if_that_is_asked(path: Json, whole: Json) -> None:
    answer = json.dumps({"path": path, "reasoning": "r"})
    run = play(ENDS, "scout", {"scout": [answer]}, use=(look,))
    assert run.output["path"] == whole and run.output["status"] == "success"
    noted = [r.kind for r in run.nodes[0].remarks if isinstance(r, Noted)]
    assert noted == ["scout.terminal"] * (path != whole)
    assert any(b"it is one of: answer_builder, final_note" in line for line in run.lines)
