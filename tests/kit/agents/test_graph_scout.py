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


@pytest.mark.parametrize("more", [", max_depth: 1", ", params: {max_depth: 1}"])
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
  - {id: scout, type: graph-scout, prompt: p, params: {require_terminal: true%s}}
  - {id: search, type: tool, tool: look}
  - {id: first, type: yes_no, prompt: n}
  - {id: second, type: classify, prompt: a, options: [x, y]}
  - {id: answer, type: tool, tool: look}
"""


def ended(path: Json, more: str = "") -> orka.Run:
    answer = json.dumps({"path": path, "reasoning": "r"})
    return play(ENDS % more, "scout", {"scout": [answer]}, use=(look,))


@pytest.mark.parametrize(
    ("path", "more", "whole"),
    [
        (["search"], "", ["search", "second"]),
        (["second", "search"], "", ["search", "second"]),
        (["search", "second"], "", ["search", "second"]),
        (["search", "answer"], "", ["search", "second"]),
        (["search"], ", max_depth: 1", ["second"]),
        (["search"], ", terminal_agents: [first, search]", ["search"]),
        (["second"], ", terminal_agents: [first]", ["second", "first"]),
        ([], "", []),
    ],
)
def test_a_path_ends_with_an_agent_that_answers(path: Json, more: str, whole: Json) -> None:
    run = ended(path, more)
    assert run.output["path"] == whole and run.output["status"] == "success"
    noted = [r for r in run.nodes[0].remarks if isinstance(r, Noted)]
    assert [r.kind for r in noted] == ["scout.terminal"] * (path != whole)
    dropped = [id for id in path if id not in whole]
    assert all(f"in place of {id!r}" in noted[0].message for id in dropped)


def test_the_model_is_told_which_agents_end_a_path() -> None:
    run = ended(["second"], ", terminal_agents: [second, first]")
    assert any(b"it is one of: first, second" in line for line in run.lines)


def test_an_end_that_is_no_candidate_is_an_error() -> None:
    failed = ended([], ", terminal_agents: [fisrt]")
    assert failed.failure and failed.failure.code == "scout.unknown_agent"


@pytest.mark.parametrize("key", ["k_beam: 3", "commit_margin: 0.1", "use_priors: true"])
def test_settings_of_scores_do_not_exist_yet(key: str) -> None:
    text = "version: 1\norchestrator: {id: t, model: scripted, agents: [s]}\nagents:\n"
    agents = f"  - {{id: s, type: graph-scout, params: {{{key}}}}}\n  - {{id: a, type: binary}}\n"
    with pytest.raises(ConfigError, match=key.split(":")[0]):
        orka.check(text + agents)
