"""`path_executor`: where a path is found, what is run, and what is told of failures."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import play

import orka
from orka.errors import ConfigError
from orka.event.event import EffectRequested
from orka.value import Json

POOL = """
  - {id: validated_path, type: tool, tool: say}
  - {id: ex, type: path_executor%s}
  - {id: a, type: llm, prompt: "{{ input }}"}
  - {id: b, type: llm, prompt: "{{ input }} after {{ previous_outputs.a | default('nobody') }}"}
  - {id: web.search, type: failing, prompt: it is dark}
"""
ANSWERS: dict[str, list[object]] = {"a": ["A"], "b": ["B"]}


def ran(path: Json, more: str = "") -> orka.Run:
    """The run in which an agent `validated_path` decides on `path`."""

    @orka.tool
    async def say() -> object:
        """The path."""
        return path

    return play(POOL % more, "validated_path, ex", ANSWERS, use=(say,))


STEP = [{"node_id": "a"}, {"node_id": "b"}]
BEST = [{"node_id": "b", "path": ["b"], "score": 0.2}, {"path": ["a", "b"], "score": 0.9}]
WHOLE: list[Json] = [
    {"scout": {"decision": "commit_path", "target": ["a", "b"]}, "said": {"response": "words"}},
    {"said": {"response": "words"}, "plan": {"path": ["a", "b"]}},
    ["a", "b"],
    STEP,
    [{"id": "a"}, {"agent": "b"}],
    '["a", "b"]',
    {"path": ["a", "b"]},
    {"target": ["a", "b"]},
    {"decision": "commit_path", "target": ["a", "b"]},
    {"decision": "fallback", "path": ["a", "b"]},
    {"decision": "shortlist", "target": BEST},
    {"decision": "shortlist", "target": json.dumps(BEST)},
    {"decision": "commit_path", "target": {"path": ["a", "b"], "score": 1}},
    {"response": ["a", "b"]},
    {"result": {"response": {"decision": "commit_path", "path": ["a", "b"]}}},
    {"response": json.dumps({"decision": "commit_path", "target": ["a", "b"]}), "confidence": 1},
    {"payload": {"validated_path": ["a", "b"]}},
    {"output": {"scout": {"decision": "commit_path", "target": ["a", "b"]}, "judge": {"score": 1}},
     "score": 0.9, "loops": 2},
]  # fmt: skip


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: json.dumps(path)[:60])
def test_a_path_is_found_by_its_form(path: Json) -> None:
    output = ran(path).output
    assert output == {
        "executed_path": ["a", "b"],
        "results": {"a": "A", "b": "B"},
        "status": "success",
    }


FIRST: list[Json] = [
    "a",
    {"decision": "commit_next", "target": "a"},
    {"decision": "commit_next", "path": ["a", "b"]},
    {"decision": "commit_next", "target": ["a", "b"]},
    {"decision": "shortlist", "target": [{"path": ["a"]}, {"path": ["a", "b"]}]},
    {"decision": "commit_next", "result": {"path": ["a", "b"]}},
]


@pytest.mark.parametrize("path", FIRST, ids=lambda path: json.dumps(path)[:60])
def test_what_commits_to_the_next_step_runs_one_agent(path: Json) -> None:
    assert ran(path).output["executed_path"] == ["a"]


NONE: list[Json] = [
    None,
    [],
    {},
    7,
    {"decision": "human_gate", "target": None},
    {"decision": "fallback", "path": []},
    {"decision": "surrender", "path": ["a"]},
    {"decision": "commit_path", "target": []},
    {"one": {"path": ["a"]}, "two": {"path": ["b"]}},
]


@pytest.mark.parametrize("path", NONE, ids=lambda path: json.dumps(path)[:60])
def test_what_holds_no_path_fails(path: Json) -> None:
    failed = ran(path)
    assert failed.failure and failed.failure.code == "path.none"
    assert "validated_path" in failed.failure.message


@pytest.mark.parametrize("path", [["a", "c"], ["A"], ["ex"], ["validated_path"], [7], "a then b"])
def test_an_agent_it_cannot_run_is_named_with_those_it_can(path: Json) -> None:
    failed = ran(path)
    assert failed.failure and failed.failure.code == "path.unknown_agent"
    assert "a, b, web.search" in failed.failure.message
    assert "a" not in {node.id for node in failed.nodes}


def test_each_agent_sees_what_those_before_it_gave_and_stands_in_the_trace() -> None:
    done = ran(["a", "b"])
    assert {node.id: node.value for node in done.nodes}["b"] == "B"
    assert any(b"in after A" in line for line in done.lines)


def test_a_failed_agent_makes_it_partial() -> None:
    output = ran(["web.search", "a"]).output
    assert output["status"] == "partial" and output["results"] == {"a": "A"}
    (error,) = output["errors"]
    assert error["agent"] == "web.search" and "dark" in error["message"]
    assert output["executed_path"] == ["web.search", "a"]


def test_abort_ends_at_the_first_failure() -> None:
    output = ran(["a", "web.search", "b"], ", on_agent_failure: abort").output
    assert output["executed_path"] == ["a", "web.search"] and output["status"] == "partial"


def test_if_nobody_succeeds_the_node_fails() -> None:
    failed = ran(["web.search"])
    assert failed.failure and failed.failure.code == "path.failed"
    assert "web.search" in failed.failure.message and "dark" in failed.failure.message


def test_sources_are_dotted_paths_and_ids_may_hold_dots() -> None:
    agents = """
  - {id: the.plan, type: tool, tool: say}
  - {id: ex, type: path_executor, path_source: the.plan.response.steps, input_source: the.plan.ask}
  - {id: a, type: tool, tool: echo, args: {text: "{{ input }}"}}
"""

    @orka.tool
    async def say() -> dict[str, object]:
        """A plan."""
        return {"steps": ["a"], "ask": "why"}

    @orka.tool
    async def echo(text: str) -> str:
        """What it was given."""
        return text

    done = play(agents, "the.plan, ex", {}, use=(say, echo))
    assert done.output["results"] == {"a": "why"}


@pytest.mark.parametrize("source", ["nothing", "validated_path.no.such"])
def test_a_source_that_is_not_there_is_told(source: str) -> None:
    failed = ran({"path": ["a"]}, f", path_source: {source}")
    assert failed.failure and failed.failure.code == "path.missing"
    assert source in failed.failure.message


# ---- falling back along a shortlist

DARK, LIT = ["a", "web.search", "b"], ["a", "b"]


def decision(*paths: list[str], **more: Json) -> Json:
    """A scout's decision: the first path, and the shortlist it is of."""
    shortlist = [{"path": path, "score": 0.9} for path in paths]
    return {"decision": "commit_path", "path": paths[0], "shortlist": shortlist, **more}


@pytest.mark.parametrize(("on_failure", "starts"), [("continue", 1), ("restart", 2)])
def test_the_next_path_of_the_shortlist_follows_one_that_failed(
    on_failure: str, starts: int
) -> None:
    run = ran(decision(DARK, LIT), f", on_path_failure: {on_failure}")
    assert run.output["executed_path"] == LIT and run.output["status"] == "success"
    assert run.output["results"] == {"a": "A", "b": "B"}
    (gone,) = run.output["given_up"]
    assert (gone["path"], gone["agent"], gone["code"]) == (DARK, "web.search", "agent.failing")
    assert [node.id for node in run.nodes].count("a") == starts
    asked = [e for e in run.events if isinstance(e, EffectRequested) and e.kind == "llm"]
    assert len([e for e in asked if not e.answer]) == 2


def test_without_it_a_failed_agent_is_passed_over() -> None:
    output = ran(decision(DARK, LIT)).output
    assert output["executed_path"] == DARK and output["status"] == "partial"
    assert "given_up" not in output


def test_a_shortlist_whose_paths_all_fail_is_told_with_each_cause() -> None:
    failed = ran(decision(["web.search"], ["web.search", "a"]), ", on_path_failure: continue")
    assert failed.failure and failed.failure.code == "path.failed"
    assert "web.search" in failed.failure.message and "dark" in failed.failure.message


def test_a_shortlist_that_names_what_cannot_run_fails_before_anything_runs() -> None:
    failed = ran(decision(["a"], ["zebra"]), ", on_path_failure: continue")
    assert failed.failure and failed.failure.code == "path.unknown_agent"
    assert "a" not in {node.id for node in failed.nodes}


def test_a_path_without_a_shortlist_has_nothing_to_fall_back_to() -> None:
    failed = ran(
        decision(DARK, LIT), ", path_source: validated_path.path, on_path_failure: restart"
    )
    assert failed.failure and failed.failure.code == "path.failed"


def test_the_next_step_alone_is_run_of_a_decision_for_it() -> None:
    told = {"decision": "commit_next", "path": ["web.search"], "shortlist": [{"path": ["a"]}]}
    output = ran(told, ", on_path_failure: continue").output
    assert output["executed_path"] == ["a"] and len(output["given_up"]) == 1


def test_how_paths_fail_over_is_one_of_three_words() -> None:
    with pytest.raises(ConfigError, match="on_path_failure"):
        ran(LIT, ", on_path_failure: again")


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["decision", "target", "path", "response", "result", "x", "node_id"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(JSONS)
def test_any_output_is_a_path_or_a_named_error(path: Json) -> None:
    run = ran(path)
    if run.status == "completed":
        assert set(run.output["executed_path"]) <= {"a", "b"}
    else:
        assert run.failure and run.failure.code.startswith(("path.", "model.script"))
