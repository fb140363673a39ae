"""From a workflow file to a Workflow: shapes, names, and every mistake at its line."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping

import pytest

from orka.errors import ConfigError, ConfigErrors
from orka.spec.load import inner, load
from orka.spec.workflow import AgentSpec, Backoff, Workflow
from orka.value import Json

FULL = """\
version: 1
name: Support
meta: {owner: me}
orchestrator:
  id: support
  strategy: graph
  agents: [classify, answer]
  timeout: 60
  model: small
  params: {temperature: 0}
agents:
  - id: classify
    type: llm
    prompt: "{{ input }}"
    next: [answer, human.desk]
    retries: 2
    backoff: {initial: 1}
  - id: answer
    type: llm
    depends_on: classify
    when: "classify == 'bug'"
    on_error: human.desk
    timeout: 1.5
    routing_map:
      yes: [a]
  - {id: human.desk, type: tool, next: []}
"""


def refusal(data: bytes | str | Mapping[str, Json]) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(data, "w.yml")
    return caught.value


def with_agent(lines: str) -> str:
    """A valid file whose agent, `a`, says `lines` from line 5 on."""
    return (
        "orchestrator: {id: w}\nagents:\n  - id: a\n    type: llm\n"
        + "".join(f"    {line}\n" for line in lines.splitlines())
        + "  - {id: b, type: llm}\n"
    )


def test_a_workflow_is_read_whole() -> None:
    workflow = load(FULL, "w.yml")
    assert (workflow.id, workflow.strategy, workflow.timeout) == ("support", "graph", 60.0)
    assert workflow.order == ("classify", "answer")
    assert workflow.defaults == {"model": "small", "params": {"temperature": 0}}
    assert (workflow.source, workflow.text, workflow.path) == ("w.yml", FULL, ())
    assert workflow.agents == (
        AgentSpec(
            id="classify",
            type="llm",
            next=("answer", "human.desk"),
            retries=2,
            backoff=Backoff(initial=1.0),
            options={"prompt": "{{ input }}"},
            path=("agents", 0),
        ),
        AgentSpec(
            id="answer",
            type="llm",
            depends_on=("classify",),
            when="classify == 'bug'",
            on_error="human.desk",
            timeout=1.5,
            options={"routing_map": {"yes": ["a"]}},
            path=("agents", 1),
        ),
        AgentSpec(id="human.desk", type="tool", next=(), path=("agents", 2)),
    )


def test_the_order_is_that_of_the_file_when_none_is_written() -> None:
    workflow = load(with_agent("prompt: x"))
    assert (workflow.order, workflow.strategy) == (("a", "b"), "sequential")


def test_a_part_of_an_agent_is_found_by_line_and_column() -> None:
    workflow = load(FULL, "w.yml")
    assert workflow.where("answer") == "w.yml, line 18, column 5 (agent 'answer')"
    assert workflow.where("answer", "when") == "w.yml, line 21, column 5 (agent 'answer')"
    assert workflow.where("answer", "routing_map", "yes", 0, "x") == (
        "w.yml, line 25, column 13 (agent 'answer')"
    )
    assert workflow.where("answer", "absent") == workflow.where("answer")
    assert workflow.where("", "orchestrator", "id") == "w.yml, line 5, column 3"


def test_a_map_gives_the_same_workflow_as_its_text() -> None:
    written = load(FULL, "w.yml")
    built = load(written.document.value, "here")
    assert built.agents == written.agents
    assert load(built.text).agents == built.agents
    assert list(json.loads(built.text)) == list(written.document.value), "the order is kept"
    assert built.where("answer", "when") == "here, agents[1].when (agent 'answer')"


def test_bytes_and_text_give_the_same_workflow() -> None:
    assert load(FULL.encode(), "w.yml") == load(FULL, "w.yml")
    assert load(b"\xef\xbb\xbf" + FULL.encode(), "w.yml").text == FULL


LOOP = """\
orchestrator: {id: outer}
agents:
  - id: loop
    type: loop
    internal_workflow:
      orchestrator: {id: inner}
      agents:
        - id: step
          type: llm
          next: loop
"""


def open_loop(workflow: Workflow) -> Workflow:
    loop = workflow.agents[0]
    path = (*loop.path, "internal_workflow")
    return inner(workflow, loop.options["internal_workflow"], path)


def test_an_inner_workflow_keeps_its_lines() -> None:
    found = open_loop(load(LOOP.replace("next: loop", "retries: 1"), "w.yml"))
    assert (found.id, found.order, found.path) == (
        "inner",
        ("step",),
        ("agents", 0, "internal_workflow"),
    )
    assert found.agents[0].path == ("agents", 0, "internal_workflow", "agents", 0)
    assert found.where("step", "retries") == "w.yml, line 10, column 11 (agent 'step')"


def test_an_inner_workflow_knows_only_its_own_agents() -> None:
    with pytest.raises(ConfigError) as caught:
        open_loop(load(LOOP, "w.yml"))
    assert caught.value.code == "config.unknown_agent"
    assert caught.value.where == "w.yml, line 10, column 11 (agent 'step')"


def test_an_inner_workflow_must_be_a_map() -> None:
    workflow = load(with_agent("internal_workflow: x"), "w.yml")
    with pytest.raises(ConfigError) as caught:
        inner(workflow, "x", ("agents", 0, "internal_workflow"))
    assert "found the text 'x'" in str(caught.value)
    assert "line 5, column 5" in str(caught.value)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("retries: -1", "the number -1"),
        ("retries: true", "true"),
        ("retries: 1.0", "the number 1.0"),
        ("retries: '3'", "the text '3'"),
        ("timeout: 0", "the number 0"),
        ("timeout: true", "true"),
        ("timeout: soon", "the text 'soon'"),
        ("timeout:", "nothing"),
        ("backoff: 3", "the number 3"),
        ("backoff: {factor: 0.5}", "the number 0.5"),
        ("backoff: {initial: -1}", "the number -1"),
        ("backoff: {limit: [1]}", "a list"),
        ("next: 3", "the number 3"),
        ("next:", "nothing"),
        ("next: ''", "empty text"),
        ("next: [b, 3]", "the number 3"),
        ("depends_on: {b: 1}", "a map"),
        ("when: true", "true"),
        ("on_error: [b]", "a list"),
    ],
)
def test_a_wrong_type_says_what_was_found_and_what_is_expected(written: str, found: str) -> None:
    error = refusal(with_agent(written))
    assert error.code == "config.type"
    assert error.what.endswith(f"found {found}")
    assert "must be" in error.what
    assert error.where.startswith("w.yml, line 5, column ")
    assert error.where.endswith("(agent 'a')")


def test_text_that_yaml_took_for_something_else_is_told_to_be_quoted() -> None:
    assert 'write it in quotes: "true"' in str(refusal(with_agent("when: true")))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            "orchestrator: {id: w}\nagents: [{id: a, type: x}]\nagent: 1\n",
            ["'agents'", "line 3, column 1"],
        ),
        (
            "orchestrator:\n  id: w\n  stratgy: x\nagents: [{id: a, type: x}]\n",
            ["'strategy'", "line 3, column 3"],
        ),
        (with_agent("backoff: {inital: 1}"), ["'initial'", "line 5, column 15", "agent 'a'"]),
    ],
)
def test_an_unknown_key_is_an_error_with_a_suggestion(data: str, words: list[str]) -> None:
    error = refusal(data)
    assert error.code == "config.unknown_key"
    assert all(word in str(error) for word in words)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ("orchestrator: {id: w}\n", "'agents'"),
        ("agents: [{id: a, type: x}]\n", "'orchestrator'"),
        ("orchestrator: {strategy: graph}\nagents: [{id: a, type: x}]\n", "'id'"),
        ("orchestrator: {id: w}\nagents: [{type: x}]\n", "'id'"),
        ("orchestrator: {id: w}\nagents: [{id: x}]\n", "'type'"),
        ("orchestrator: {id: w}\nagents: []\n", "'agents'"),
        ("orchestrator: {id: w, agents: []}\nagents: [{id: a, type: x}]\n", "'agents'"),
    ],
)
def test_a_missing_key_is_named(data: str, key: str) -> None:
    error = refusal(data)
    assert error.code == "config.missing_key"
    assert key in error.what
    assert "line " in error.where


@pytest.mark.parametrize("name", ["5a", "a b", "-a", "é", "a/b", "a\\n", "{{x}}"])
def test_an_id_that_cannot_stand_in_a_guard_is_refused(name: str) -> None:
    error = refusal(f'orchestrator: {{id: w}}\nagents:\n- id: "{name}"\n  type: x\n')
    assert error.code == "config.type"
    assert "cannot be an agent's id" in error.what
    assert "line 3" in error.where


def test_an_id_used_twice_is_named_with_both_lines() -> None:
    error = refusal("orchestrator: {id: w}\nagents:\n- {id: a, type: x}\n- {id: a, type: y}\n")
    assert error.code == "config.duplicate_id"
    assert all(word in str(error) for word in ("'a'", "line 3", "line 4"))


@pytest.mark.parametrize("key", ["next", "depends_on", "on_error"])
def test_a_name_that_no_agent_has_is_found_before_any_run(key: str) -> None:
    data = "orchestrator: {id: w}\nagents:\n- id: a\n  type: x\n  KEY: bb\n- {id: b, type: x}\n"
    error = refusal(data.replace("KEY", key))
    assert error.code == "config.unknown_agent"
    assert error.what == f"{key!r} of agent 'a' names 'bb', and there is no such agent"
    assert error.where == "w.yml, line 5, column 3 (agent 'a')"
    assert error.fix == "did you mean 'b'?"


def test_the_order_names_agents_that_exist_once_each() -> None:
    agents = [{"id": "answer", "type": "x"}, {"id": "a", "type": "x"}]
    error = refusal({"orchestrator": {"id": "w", "agents": ["answr", "a", "a"]}, "agents": agents})
    assert isinstance(error, ConfigErrors)
    assert [problem.code for problem in error.problems] == [
        "config.unknown_agent",
        "config.duplicate_id",
    ]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("paralel", "known"),
        ("parallel", "'graph'"),
        ("simple", "'sequential'"),
        ("sequental", "'sequential'"),
    ],
)
def test_an_unknown_strategy_is_refused_with_the_one_meant(name: str, meant: str) -> None:
    error = refusal(f"orchestrator: {{id: w, strategy: {name}}}\nagents: [{{id: a, type: x}}]\n")
    assert meant in error.fix
    assert "line 1, column 23" in error.where


def test_all_problems_of_a_file_are_told_at_once_in_its_order() -> None:
    error = refusal(
        "orchestrator: {id: w, agnts: [a]}\nagents:\n- {id: a, type: x, retries: x}\n- 3\n"
        "- {id: b, type: x, next: c}\nfoo: 1\n"
    )
    assert isinstance(error, ConfigErrors)
    assert [problem.code for problem in error.problems] == [
        "config.unknown_key",
        "config.type",
        "config.type",
        "config.unknown_agent",
        "config.unknown_key",
    ]
    message = str(error)
    assert "5 problems" in message
    assert all(f"line {line}, " in message for line in (1, 3, 4, 5, 6))


@pytest.mark.parametrize(
    "value",
    [
        {
            "orchestrator": {"id": "w"},
            "agents": [{"id": "a", "type": "x", "at": datetime.date(2025, 12, 1)}],
        },
        {"orchestrator": {"id": "w"}, "agents": [{"id": "a", "type": "x", "map": {True: 1}}]},
        {"orchestrator": {"id": "w"}, "agents": [{"id": "a", "type": "x", "at": float("nan")}]},
    ],
)
def test_a_map_of_values_that_json_does_not_have_is_refused(value: Mapping[str, Json]) -> None:
    error = refusal(value)
    assert "not a JSON value" in error.what


def test_a_map_that_contains_itself_is_refused() -> None:
    value: dict[str, Json] = {}
    value["agents"] = [value]
    assert refusal(value).code == "config.too_large"


def test_a_map_with_an_object_in_it_is_refused() -> None:
    value: dict[str, Json] = {"orchestrator": {"id": "w"}, "agents": [object()]}
    assert refusal(value).code == "config.type"


def test_a_number_too_large_for_a_float_is_no_timeout() -> None:
    assert refusal(with_agent(f"timeout: {'9' * 320}")).code == "config.type"
    assert load(with_agent(f"seed: {'9' * 320}")).agents[0].options["seed"] == int("9" * 320)


def test_top_keys_that_begin_with_x_are_the_authors() -> None:
    text = (
        "x-base: &base {type: llm, model: m/x}\n"
        "orchestrator: {id: w, agents: [a]}\n"
        "agents:\n  - {<<: *base, id: a, prompt: p}\n"
    )
    assert load(text).agents[0].type == "llm"
    with pytest.raises(ConfigError, match="y-base"):
        load(text.replace("x-base", "y-base"))


def test_text_may_hold_characters_that_yaml_does_not_take() -> None:
    written = load('orchestrator: {id: "a\u00a0b"}\nagents: [{id: x, type: wait, says: a “z”}]\n')
    assert (written.id, written.agents[0].options["says"]) == ("a\u00a0b", "a “z”")
