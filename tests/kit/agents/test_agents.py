"""The built-in agent types, each through a whole run."""

from __future__ import annotations

import asyncio

import pytest

import orka
from orka.event.event import Violation
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Reply, Script, ScriptedModel
from orka.value import Json


def run(agents: str, order: str, replies: dict[str, list[object]], given: Json = "in") -> orka.Run:
    model = ScriptedModel(Script(replies))
    flow = f"orchestrator: {{id: t, model: scripted, agents: [{order}]}}\nagents:\n{agents}"

    async def go() -> orka.Run:
        async with orka.Runtime(
            store=":memory:", models={"scripted": model}, clock=clock
        ) as runtime:
            found = await runtime.run(flow, given)
            runtime.replay(found.id)
            return found

    return run_virtual(go())


SCHEMA = "{type: object, required: [n], properties: {n: {type: integer}}}"


def test_an_llm_gives_its_text() -> None:
    assert run('  - {id: a, type: llm, prompt: "{{ input }}"}\n', "a", {"a": ["hi"]}).output == "hi"


def test_an_llm_with_a_schema_gives_the_checked_object() -> None:
    agents = f"  - {{id: a, type: llm, prompt: p, output_schema: {SCHEMA}}}\n"
    assert run(agents, "a", {"a": ['{"n": 1}']}).output == {"n": 1}


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ('{"m": 1}', ["n", "required"]),
        ('{"n": "1"}', ["n", "integer"]),
        ("not json", ["JSON"]),
        (Reply(text='{"n": 1', finish_reason="length"), ["length"]),
    ],
)
def test_a_broken_contract_is_an_event_and_fails_the_node(reply: object, names: list[str]) -> None:
    agents = f"  - {{id: a, type: llm, prompt: p, output_schema: {SCHEMA}}}\n"
    failed = run(agents, "a", {"a": [reply]})
    assert failed.status == "failed"
    assert failed.failure and failed.failure.code == "sensor.violation"
    (violation,) = failed.nodes[0].remarks
    assert isinstance(violation, Violation)
    for name in names:
        assert name in f"{violation.where} {violation.message}"
    assert violation.raw and len(violation.schema) == 64


def test_a_violation_can_be_asked_again_apart_from_retries() -> None:
    agents = f"  - {{id: a, type: llm, prompt: p, violation_retries: 1, output_schema: {SCHEMA}}}\n"
    done = run(agents, "a", {"a": ['{"m": 1}', '{"n": 2}']})
    assert done.output == {"n": 2}
    assert len(done.nodes[0].remarks) == 1


def test_a_text_that_was_cut_off_is_marked_and_kept() -> None:
    done = run(
        "  - {id: a, type: llm, prompt: p}\n",
        "a",
        {"a": [Reply(text="so", finish_reason="length")]},
    )
    assert done.output == "so"
    (violation,) = done.nodes[0].remarks
    assert isinstance(violation, Violation) and "length" in violation.message


def test_choices_give_the_most_probable_one_with_its_probability() -> None:
    agents = '  - {id: a, type: llm, prompt: p, choices: ["yes", "no"]}\n'
    reply = Reply(text="no", probabilities={"yes": 0.7, "no": 0.3}, mass=0.9)
    output = run(agents, "a", {"a": [reply]}).output
    assert (output["choice"], output["probability"], output["mass"]) == ("yes", 0.7, 0.9)


def test_choices_that_are_none_of_them_are_a_violation() -> None:
    agents = '  - {id: a, type: llm, prompt: p, choices: ["yes", "no"]}\n'
    failed = run(agents, "a", {"a": ["perhaps"]})
    assert failed.status == "failed" and "perhaps" in str(failed.failure)


ROUTER = """
  - {id: a, type: llm, prompt: p}
  - {id: r, type: router, decision_key: a, routing_map: {yes: [b], No: [c]}%s}
  - {id: b, type: llm, prompt: p}
  - {id: c, type: llm, prompt: p}
"""


@pytest.mark.parametrize(("word", "ran"), [("yes", "b"), (" YES ", "b"), ("no", "c")])
def test_a_router_takes_the_route_of_the_word(word: str, ran: str) -> None:
    done = run(ROUTER % "", "a, r", {"a": [word], ran: ["x"]})
    assert done.output == "x" and ran in done.outputs


def test_a_router_takes_its_default_or_fails_naming_the_routes() -> None:
    assert run(ROUTER % ", default: No", "a, r", {"a": ["hm"], "c": ["x"]}).output == "x"
    failed = run(ROUTER % "", "a, r", {"a": ["hm"]})
    assert failed.failure and failed.failure.code == "router.no_route"
    assert "hm" in failed.failure.message and "yes" in failed.failure.fix


def test_a_join_gives_what_each_branch_ended_with_and_none_routed_away() -> None:
    agents = """
  - {id: f, type: fork, targets: [[slow], [a, r], [quick]]}
  - {id: slow, type: llm, prompt: p}
  - {id: quick, type: llm, prompt: p}
  - {id: a, type: llm, prompt: p}
  - {id: r, type: router, decision_key: a, routing_map: {x: [dx], y: [dy]}}
  - {id: dx, type: llm, prompt: p}
  - {id: dy, type: llm, prompt: p}
  - {id: j, type: join, group: f}
"""
    replies: dict[str, list[object]] = {
        "slow": [Reply(text="1", delay=9)], "quick": ["3"], "a": ["y"], "dy": ["2"],
    }  # fmt: skip
    done = run(agents, "f, j", replies)
    assert done.output == {"slow": "1", "dy": "2", "quick": "3"}


def test_an_inner_workflow_has_its_own_input() -> None:
    agents = """
  - id: w
    type: workflow
    input: {q: "{{ input }}!"}
    workflow:
      orchestrator: {id: in, model: scripted, agents: [a]}
      agents: [{id: a, type: llm, prompt: "{{ input.q }}"}]
"""
    assert run(agents, "w", {"a": [Reply(echo_prompt=True)]}).output == "in!"


def test_a_wait_lets_time_pass() -> None:
    assert run("  - {id: w, type: wait, seconds: 3600}\n", "w", {}).seconds >= 3600


def test_an_agent_that_fails_can_have_a_successor_for_it() -> None:
    agents = """
  - {id: a, type: llm, prompt: p, on_error: sorry}
  - {id: b, type: llm, prompt: p}
  - {id: sorry, type: llm, prompt: "{{ previous_outputs.a.error.code }}"}
"""
    done = run(agents, "a, b", {"sorry": [Reply(echo_prompt=True)]})
    assert done.status == "completed" and done.output == "model.script_exhausted"


def test_tools_get_values_with_their_types() -> None:
    seen: list[object] = []

    @orka.tool
    def take(n: int, words: list[str], flag: bool = False) -> None:
        seen.append((n, words, flag))

    flow = """
orchestrator: {id: t, agents: [a]}
agents:
  - id: a
    type: tool
    tool: take
    args: {n: "{{ input.n }}", words: "{{ input.words }}", flag: true}
"""

    async def go() -> orka.Run:
        return await orka.run(flow, {"n": 4, "words": ["x"]}, use=[take], store=":memory:")

    assert asyncio.run(go()).status == "completed"
    assert seen == [(4, ["x"], True)]
