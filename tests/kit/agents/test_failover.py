"""`failover` and `failing`, each through a whole run that is replayed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import play, replied

import orka
from orka.errors import ConfigError
from orka.event.event import Noted, ScopeOpened
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Refusal, Reply, Script, ScriptedModel
from orka.value import Json

TWO = """
  - id: ans
    type: failover%s
    children:
      - {id: a, type: llm, prompt: "{{ input }}", retries: 2}
      - {id: b, type: llm, prompt: "{{ input }}", retries: 2}
"""

SAID = (TWO % "").replace('llm, prompt: "{{ input }}"', "tool, tool: say")


def notes(run: orka.Run) -> list[Noted]:
    return [event for event in run.events if isinstance(event, Noted)]


def test_the_first_child_that_answers_is_the_answer_and_no_other_is_asked() -> None:
    done = play(TWO % "", "ans", {"a": ["A"]})
    assert done.output == "A" and notes(done) == []


@pytest.mark.parametrize("nothing", ["", "   \n", "NONE", " NONE ", "\u200b", "\u00a0\ufeff"])
def test_an_empty_answer_is_given_up_and_says_so(nothing: str) -> None:
    done = play(TWO % "", "ans", {"a": [nothing], "b": ["B"]})
    assert done.output == "B"
    (note,) = notes(done)
    assert (note.kind, note.node) == ("failover", "ans")
    assert "a: empty" in note.message and note.data["child"] == "a"


EMPTY: list[Json] = [None, [], {}, {"response": ""}, {"response": None, "x": 1},
                     {"result": {"response": "NONE"}}, {"response": [], "result": ""}]  # fmt: skip
FULL: list[Json] = [0, False, 0.0, "0", "none of them", [""], {"a": None}, {"response": 0},
                    {"response": False}, {"response": "", "result": "x"}]  # fmt: skip


@pytest.mark.parametrize("value", EMPTY)
def test_values_that_hold_no_answer(value: Json) -> None:
    assert replied(value, SAID).output == "second"


@pytest.mark.parametrize("value", FULL)
def test_zero_and_false_are_answers(value: Json) -> None:
    assert replied(value, SAID).output == value


def test_retries_belong_to_the_child_and_each_is_asked_once() -> None:
    refusals: list[object] = [Reply(error=Refusal(status=429))] * 9
    failed = play(TWO % "", "ans", {"a": refusals, "b": refusals})
    assert failed.failure and failed.failure.code == "failover.exhausted"
    for word in ("'ans'", "a:", "b:", "429"):
        assert word in failed.failure.message
    opened = [event.graph for event in failed.events if isinstance(event, ScopeOpened)]
    assert opened == ["a", "b"]
    assert sum(1 for node in failed.nodes if node.id in "ab") == 2


def test_a_child_that_fails_is_told_with_its_cause() -> None:
    agents = """
  - id: ans
    type: failover
    children:
      - {id: a, type: failing, prompt: "no {{ input }} here"}
      - {id: b, type: llm, prompt: "{{ input }}"}
"""
    done = play(agents, "ans", {"b": ["B"]}, "light")
    assert done.output == "B"
    (note,) = notes(done)
    assert "no light here" in note.message and note.data["code"] == "agent.failing"


def test_a_report_names_the_child() -> None:
    done = play(TWO % "\n    report: true", "ans", {"a": [" "], "b": ["B"]})
    assert done.output == {"result": "B", "successful_child": "b", "b": "B"}


def test_children_see_what_came_before_and_may_be_of_any_type() -> None:
    agents = """
  - {id: first, type: llm, prompt: p}
  - id: ans
    type: failover
    children:
      - id: inner
        type: failover
        children:
          - {id: x, type: failing}
      - {id: b, type: llm, prompt: "after {{ previous_outputs.first }}"}
"""
    done = play(agents, "first, ans", {"first": ["1"], "b": ["B"]})
    assert done.output == "B"
    assert "failover.exhausted" in notes(done)[-1].message


def test_the_end_of_the_runs_time_is_not_swallowed() -> None:
    agents = """
  - id: ans
    type: failover
    children:
      - {id: a, type: wait, seconds: 100}
      - {id: b, type: llm, prompt: p}
"""
    failed = play(agents, "ans", {"b": ["B"]}, timeout=5)
    assert failed.failure and failed.failure.code == "timeout"
    assert "b" not in {node.id for node in failed.nodes}


def test_a_childs_timeout_is_its_own() -> None:
    agents = """
  - id: ans
    type: failover
    children:
      - {id: a, type: wait, seconds: 100, timeout: 1}
      - {id: b, type: llm, prompt: p}
"""
    done = play(agents, "ans", {"b": ["B"]})
    assert done.output == "B" and "timeout" in notes(done)[0].message


def test_when_all_fail_an_error_edge_can_go_on() -> None:
    agents = """
  - id: ans
    type: failover
    on_error: rescue
    children:
      - {id: a, type: failing}
  - {id: rescue, type: llm, prompt: p}
"""
    assert play(agents, "ans", {"rescue": ["R"]}).output == "R"


OUTCOMES = st.lists(st.sampled_from(["fails", "empty", "answers"]), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(OUTCOMES)
def test_the_first_answer_wins_and_what_came_before_it_was_tried_once(outcomes: list[str]) -> None:
    agents = "  - id: ans\n    type: failover\n    children:\n"
    replies: dict[str, list[object]] = {"fails": [], "empty": [" "], "answers": ["A"]}
    given_: dict[str, list[object]] = {}
    for at, outcome in enumerate(outcomes):
        kind = "type: failing" if outcome == "fails" else "type: llm, prompt: p"
        agents += f"      - {{id: c{at}, {kind}}}\n"
        given_[f"c{at}"] = replies[outcome]
    run = play(agents, "ans", given_)
    wins = outcomes.index("answers") if "answers" in outcomes else len(outcomes)
    opened = [event.graph for event in run.events if isinstance(event, ScopeOpened)]
    assert opened == [f"c{at}" for at in range(min(wins + 1, len(outcomes)))]
    assert len(notes(run)) == wins
    assert run.output == "A" if wins < len(outcomes) else run.status == "failed"


@pytest.mark.parametrize(
    ("children", "names"),
    [
        ("[]", "children"),
        ("[{id: a, type: failing}, {id: a, type: failing}]", "'a'"),
        ("[{id: a, type: nothing_such}]", "nothing_such"),
        ("[{id: a, type: llm}]", "prompt"),
        ("[{type: failing}]", "id"),
    ],
)
def test_children_that_cannot_be_are_found_before_the_run(children: str, names: str) -> None:
    text = "orchestrator: {id: t, model: scripted, agents: [x]}\nagents:\n"
    with pytest.raises(ConfigError) as caught:
        orka.check(f"{text}  - {{id: x, type: failover, children: {children}}}\n")
    assert names in str(caught.value)


def test_failing_waits_only_if_it_is_told_to() -> None:
    failed = play("  - {id: f, type: failing, seconds: 5}\n", "f", {})
    assert failed.failure and failed.failure.code == "agent.failing"
    assert "'f'" in failed.failure.message and 5 <= failed.seconds < 6
    assert play("  - {id: f, type: failing}\n", "f", {}).seconds == 0


def test_a_resume_of_an_exhausted_failover_asks_again() -> None:
    refused = Reply(error=Refusal(status=503))
    model = ScriptedModel(Script({"a": [refused], "b": [refused, "B"]}))
    flow = "version: 1\norchestrator: {id: t, model: scripted}\nagents:" + TWO % ""
    flow = flow.replace(", retries: 2", "")

    async def go() -> orka.Run:
        async with orka.Runtime(
            store=":memory:", models={"scripted": model}, clock=clock
        ) as runtime:
            failed = await runtime.run(flow, "in", run_id="r")
            assert failed.failure and failed.failure.code == "failover.exhausted"
            return await runtime.resume("r")

    assert run_virtual(go()).output == "B"
    assert model.counts == {"a": 1, "b": 2}
