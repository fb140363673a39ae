"""Forks, joins with policies, foreach, `writes`: what a run does, and how long it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

import orka
from orka.errors import ConfigError
from orka.event.event import Event, NodeSkipped
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Refusal, Reply, Script, ScriptedModel
from orka.value import Json
from orka.view.run import Run


def ran(flow: str, script: Mapping[str, list[Any]], input: Json = "x") -> tuple[Run, ScriptedModel]:
    model = ScriptedModel(Script({id: list(replies) for id, replies in script.items()}))

    async def driven() -> Run:
        return await orka.run(
            flow, input, models={"scripted": model}, store=":memory:", clock=clock
        )

    return run_virtual(driven()), model


def llms(*ids: str) -> str:
    return "\n".join(
        f'  - {{id: {id}, type: llm, model: scripted, prompt: "{{{{ input }}}}"}}' for id in ids
    )


def forked(policy: str) -> str:
    return f"""
orchestrator: {{id: f, agents: [f, j, after]}}
agents:
  - {{id: f, type: fork, targets: [[a, a2], [b], [c]]}}
{llms("a", "a2", "b", "c")}
  - {{id: j, type: join, group: f, {policy}}}
  - {{id: after, type: llm, model: scripted, prompt: "{{{{ previous_outputs.j }}}}"}}
"""


def slow(text: str, seconds: float) -> Reply:
    return Reply(value=text, delay=seconds)


def late(run: Run) -> list[str]:
    return [e.node for e in events(run) if isinstance(e, NodeSkipped) and e.reason == "late"]


def events(run: Run) -> list[Event]:
    return list(run.events)


SCRIPT: Mapping[str, list[Any]] = {
    "a": ["A"],
    "a2": [slow("A2", 5)],
    "b": [slow("B", 1)],
    "c": [slow("C", 60)],
}


def test_any_goes_on_with_the_first_branch_and_stops_the_others() -> None:
    run, model = ran(forked("policy: any"), {**SCRIPT, "after": ["done"]})
    assert (run.status, run.output) == ("completed", "done")
    assert model.prompts("after") == ['{"b": "B"}']
    assert late(run) == ["a2", "c"]
    assert run.seconds == pytest.approx(1, abs=0.01)


def test_a_quorum_waits_for_so_many_branches() -> None:
    run, model = ran(forked("policy: {quorum: 2}"), {**SCRIPT, "after": ["done"]})
    assert model.prompts("after") == ['{"a2": "A2", "b": "B"}']
    assert run.seconds == pytest.approx(5, abs=0.01)


def test_a_deadline_takes_what_is_there() -> None:
    run, model = ran(forked("policy: {deadline: 30s}"), {**SCRIPT, "after": ["done"]})
    assert model.prompts("after") == ['{"a2": "A2", "b": "B"}']
    assert late(run) == ["c"]
    assert run.seconds == pytest.approx(30, abs=0.01)


def test_a_deadline_that_finds_nothing_fails_the_join() -> None:
    run, _ = ran(forked("policy: {deadline: 0.5}"), SCRIPT)
    assert run.failure is not None
    assert (run.status, run.failure.code) == ("failed", "timeout")
    assert "j" in run.failure.message


def test_all_branches_in_time_need_no_deadline() -> None:
    run, model = ran(forked("policy: {deadline: 2m}"), {**SCRIPT, "after": ["done"]})
    assert model.prompts("after") == ['{"a2": "A2", "b": "B", "c": "C"}']
    assert run.seconds == pytest.approx(60, abs=0.01)


def test_a_quorum_that_cannot_be_reached_fails() -> None:
    dead = Reply(error=Refusal(status=400))
    run, _ = ran(forked("policy: {quorum: 2}"), {**SCRIPT, "a": [dead], "c": [dead]})
    assert run.failure is not None
    assert (run.status, run.failure.code) == ("failed", "join.quorum")


def test_partial_keeps_the_good_results_and_names_the_bad_one() -> None:
    dead = Reply(error=Refusal(status=400))
    script = {**SCRIPT, "a": [dead], "after": ["done"]}
    run, model = ran(forked("on_failure: partial"), script)
    assert run.status == "completed"
    (prompt,) = model.prompts("after")
    assert '"b": "B"' in prompt and '"c": "C"' in prompt and '"a": {"error"' in prompt


@pytest.mark.parametrize("when", [0.0, 0.5, 1.0])
def test_of_branches_of_which_one_is_enough_a_failed_one_is_left_out(when: float) -> None:
    dead = Reply(error=Refusal(status=400), delay=when)
    run, model = ran(forked("policy: any"), {**SCRIPT, "a": [dead], "after": ["done"]})
    assert run.status == "completed"
    assert model.prompts("after") == ['{"b": "B"}']


@pytest.mark.parametrize("targets", ["[[a, a2], [b, a2]]", "[[a, a2, a], [b]]", "[a, a]"])
def test_an_agent_stands_in_one_branch_only(targets: str) -> None:
    flow = forked("policy: all").replace("[[a, a2], [b], [c]]", targets)
    with pytest.raises(ConfigError, match="twice"):
        orka.Runtime(store=":memory:").check(flow)


def test_a_failure_waits_for_answers_under_way_but_begins_nothing() -> None:
    dead = Reply(error=Refusal(status=400))
    run, model = ran(forked("policy: all"), {**SCRIPT, "a": [slow("A", 2)], "b": [dead]})
    assert run.status == "failed"
    assert run.outputs["a"] == "A" and run.outputs["c"] == "C"
    assert "a2" not in model.counts


FOREACH = """
orchestrator: {id: each, agents: [plan, each, after]}
agents:
  - {id: plan, type: llm, model: scripted, prompt: go, output_schema: {type: array}}
  - id: each
    type: foreach
    items: "{{ previous_outputs.plan }}"
    max_concurrency: 2
    workflow:
      orchestrator: {id: body}
      agents: [{id: work, type: llm, model: scripted, prompt: "{{ index }}:{{ item }}={{ input }}"}]
  - {id: after, type: llm, model: scripted, prompt: "{{ previous_outputs.each | join('+') }}"}
"""


def test_foreach_gives_outputs_in_order_and_no_more_at_once_than_allowed() -> None:
    replies = [slow("one", 5), slow("two", 1), slow("three", 1), slow("four", 1)]
    run, model = ran(FOREACH, {"plan": ['["p","q","r","s"]'], "work": replies, "after": ["."]})
    assert run.status == "completed", run.failure
    assert model.prompts("work") == ["0:p=p", "1:q=q", "2:r=r", "3:s=s"]
    assert model.prompts("after") == ["one+two+three+four"]
    assert run.seconds == pytest.approx(5, abs=0.01)


def test_no_item_of_a_foreach_begins_once_one_has_failed() -> None:
    replies = [slow("one", 1), {"raise": {"status": 400}}, "never asked for"]
    run, model = ran(FOREACH, {"plan": ['["p","q","r","s"]'], "work": replies})
    assert run.status == "failed"
    assert model.prompts("work") == ["0:p=p", "1:q=q"]


def test_a_foreach_resumes_with_the_item_that_failed_and_those_that_never_began() -> None:
    async def twice() -> orka.Run:
        dead = {"raise": {"status": 400}}
        script: dict[str, list[Any]] = {
            "plan": ['["p","q","r"]'],
            "work": ["1", dead, "2", "3"],
            "after": ["."],
        }
        settings: Any = {"models": {"scripted": ScriptedModel(Script(script))}, "clock": clock}
        async with orka.Runtime(store=":memory:", **settings) as runtime:
            run = await runtime.run(FOREACH.replace("max_concurrency: 2", "max_concurrency: 1"))
            assert run.status == "failed"
            return await runtime.resume(run.id)

    run = run_virtual(twice())
    assert run.outputs["each"] == ["1", "2", "3"]


def test_foreach_over_something_else_says_so() -> None:
    run, _ = ran(FOREACH.replace("output_schema: {type: array}", "retries: 0"), {"plan": ["none"]})
    assert run.failure is not None
    assert run.failure.code == "foreach.no_list" and "'none'" in run.failure.message


def test_two_writers_that_may_run_at_once_are_refused() -> None:
    flow = forked("policy: all").replace(
        '{id: b, type: llm, model: scripted, prompt: "{{ input }}"}',
        '{id: b, type: llm, model: scripted, prompt: "{{ input }}", writes: a}',
    )
    with pytest.raises(ConfigError, match="'a' and 'b' both write 'a'"):
        orka.Runtime(store=":memory:").check(flow)


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ("policy: {quorum: 0}", "`quorum` must be 1 or more"),
        ("policy: {quorum: 9}", "9 branches"),
        ("policy: {deadline: soon}", "`deadline` is 'soon'"),
        ("policy: most", "policy"),
    ],
)
def test_policies_that_make_no_sense(policy: str, told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        orka.Runtime(store=":memory:").check(forked(policy))
    assert told in str(raised.value)


def test_sequential_branches_follow_one_another() -> None:
    flow = forked("policy: all").replace("type: fork,", "type: fork, mode: sequential,")
    run, _ = ran(flow, {**SCRIPT, "after": ["done"]})
    assert run.seconds == pytest.approx(66, abs=0.01)


def test_a_join_waits_for_what_takes_over_in_a_branch() -> None:
    flow = f"""
orchestrator: {{id: f, agents: [f, j, z]}}
agents:
  - {{id: f, type: fork, targets: [[a], [b]]}}
  - {{id: a, type: llm, model: scripted, prompt: x, on_error: fix}}
{llms("b", "fix")}
  - {{id: j, type: join, group: f}}
  - {{id: z, type: llm, model: scripted, prompt: "{{{{ previous_outputs.j }}}}"}}
"""
    dead = Reply(error=Refusal(status=400))
    run, model = ran(flow, {"a": [dead], "b": ["B"], "fix": [slow("F", 9)], "z": ["."]})
    assert run.status == "completed", run.failure
    assert model.prompts("z") == ['{"b": "B", "fix": "F"}']


def test_a_group_must_be_a_fork() -> None:
    flow = forked("policy: all").replace(
        "type: fork, targets: [[a, a2], [b], [c]]", "type: wait, seconds: 0"
    )
    flow = flow.replace("agents: [f, j, after]", "agents: [f, a, a2, b, c, j, after]")
    with pytest.raises(ConfigError, match="'j' has the group 'f', which is no fork"):
        orka.Runtime(store=":memory:").check(flow)


NESTED = """
orchestrator: {{id: n, agents: [outer, all]}}
agents:
  - {{id: outer, type: fork, targets: [[a, inner, met, b], c]}}
  - {{id: inner, type: fork, targets: [i, k]}}
{agents}
  - {{id: met, type: join, group: inner, {met}}}
  - {{id: all, type: join, group: outer, {all}}}
"""
DEAD: Mapping[str, list[Any]] = {
    "a": ["A"],
    "b": ["B"],
    "c": ["C"],
    "i": ["I"],
    "k": [Reply(error=Refusal(status=400, message="no"))],
}


def nested(met: str, all: str) -> Run:
    flow = NESTED.format(agents=llms("a", "b", "c", "i", "k"), met=met, all=all)
    unused: dict[str, list[Any]] = {} if met == "policy: any" else {"b": []}
    return ran(flow, {**DEAD, **unused})[0]


def test_a_failure_that_an_inner_join_tolerates_is_none_to_the_outer_one() -> None:
    run = nested("policy: any", "on_failure: partial")
    assert run.output == {"b": "B", "c": "C"}


def test_an_inner_join_that_tolerates_no_failure_ends_its_branch() -> None:
    run = nested("policy: all", "on_failure: partial")
    assert sorted(run.output) == ["c", "met"]
    assert "agent 'k' of a branch failed" in run.output["met"]["error"]["message"]


def test_a_branch_in_which_an_inner_join_failed_does_not_count_as_ended_well() -> None:
    run = nested("policy: all", "policy: {quorum: 2}")
    assert run.failure is not None and run.failure.code == "join.quorum"


ROUTED = """
orchestrator: {id: w, agents: [a, r, after]}
agents:
  - {id: a, type: llm, model: scripted, prompt: x}
  - {id: r, type: router, decision_key: a, when: "input == 'go'", routing_map: {x: [b], y: []}}
  - {id: b, type: llm, model: scripted, prompt: x}
  - {id: after, type: llm, model: scripted, prompt: x}
"""


@pytest.mark.parametrize(("input", "ran_too"), [("go", ["b"]), ("stay", [])])
def test_a_router_that_is_skipped_lets_the_path_go_on(input: str, ran_too: list[str]) -> None:
    script: dict[str, list[Any]] = {"a": ["x"], "after": ["Z"], **{id: ["B"] for id in ran_too}}
    run, model = ran(ROUTED, script, input)
    assert (run.status, run.output) == ("completed", "Z")
    assert sorted(model.counts) == sorted(["a", "after", *ran_too])


@pytest.mark.parametrize("policy", ["policy: all", "policy: {quorum: 2}", "policy: any"])
def test_a_fork_that_is_skipped_lets_the_path_go_on_without_its_branches(policy: str) -> None:
    flow = forked(policy).replace("type: fork,", "type: fork, when: \"input == 'go'\",")
    run, model = ran(flow, {"after": ["Z"]}, "stay")
    assert (run.status, run.output) == ("completed", "Z"), run.failure
    assert model.prompts("after") == ["{}"]


def test_one_resume_asks_all_items_that_failed_together() -> None:
    flow = """
orchestrator: {id: each}
agents:
  - id: each
    type: foreach
    items: [1, 2, 3]
    max_concurrency: 0
    workflow:
      orchestrator: {id: body}
      agents: [{id: work, type: llm, model: scripted, prompt: "{{ item }}"}]
"""
    dead = Reply(error=Refusal(status=400))
    script = Script({"work": [dead, dead, "three", "one", "two"]})

    async def twice() -> Run:
        models = {"scripted": ScriptedModel(script)}
        async with orka.Runtime(store=":memory:", models=models, clock=clock) as runtime:
            failed = await runtime.run(flow)
            assert failed.status == "failed"
            return await runtime.resume(failed.id)

    assert run_virtual(twice()).output == ["one", "two", "three"]


def test_a_deadline_that_passed_while_a_person_was_asked_is_kept_on_resume() -> None:
    flow = """
orchestrator: {id: asks, agents: [f, j]}
agents:
  - {id: f, type: fork, targets: [[ask], [quick]]}
  - {id: ask, type: approval, prompt: "Go on?"}
  - {id: quick, type: wait, seconds: 0}
  - {id: j, type: join, group: f, policy: {deadline: 10s}}
"""

    async def waited() -> Run:
        async with orka.Runtime(store=":memory:", clock=clock) as runtime:
            run = await runtime.run(flow)
            assert run.status == "waiting"
            await asyncio.sleep(60)  # virtual
            return await runtime.resume(run.id)

    run = run_virtual(waited())
    assert run.status == "completed" and list(run.output) == ["quick"]
    assert late(run) == ["ask"]
