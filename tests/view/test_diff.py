"""The first divergence of two runs, and its cause."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec import structs

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.event.codec import Chain
from orka.event.event import EffectAnswered, Event, RunStarted
from orka.value import Json
from orka.view.diff import diff
from orka.view.run import Run
from view.runs import flow, llm, ran

TWO = flow(llm("a", "ask {{ input }}"), llm("b", "more {{ previous_outputs.a }}"))
REPLIES: Mapping[str, list[Json]] = {"a": ["A"], "b": ["B"]}


def rewritten(run: Run, events: list[Event]) -> Run:
    chain, blobs = Chain(), dict[str, bytes]()
    return Run(run.id, [chain.add(event, blobs) for event in events], blobs.__getitem__)


def test_two_runs_of_the_same_say_the_same_whatever_the_clock() -> None:
    assert diff(ran(TWO, REPLIES), ran(TWO, REPLIES, clock=lambda: 5.0)) is None


def test_another_input_is_the_cause_of_all_that_follows() -> None:
    found = diff(ran(TWO, REPLIES, "x"), ran(TWO, REPLIES, "y"))
    assert found is not None
    assert (found.cause, found.path) == ("input", "input")
    assert (found.left.text, found.right.text) == ("x", "y")
    assert found.left.seq == found.right.seq == 0


def test_the_place_in_a_large_input_is_named() -> None:
    one, other = {"age": {"years": 2}, "name": "Rex"}, {"age": {"years": 3}, "name": "Rex"}
    found = diff(ran(TWO, REPLIES, one), ran(TWO, REPLIES, other))
    assert found is not None and found.path == "input.age.years"


def test_another_answer_to_the_same_question_is_the_cause() -> None:
    found = diff(ran(TWO, REPLIES), ran(TWO, {**REPLIES, "a": ["Z"]}))
    assert found is not None
    assert (found.cause, found.what) == ("answer", "effect answered a#0")
    assert (found.left.text, found.right.text) == ("A", "Z")


def test_another_prompt_is_the_cause_although_the_workflows_differ() -> None:
    other = flow(llm("a", "ask kindly {{ input }}"), llm("b", "more {{ previous_outputs.a }}"))
    found = diff(ran(TWO, REPLIES), ran(other, REPLIES))
    assert found is not None
    assert (found.cause, found.what) == ("prompt", "effect requested a#0")
    assert found.path == "payload.messages[0].content"
    assert any("workflows differ" in note for note in found.notes)


@pytest.mark.parametrize("change", [{"model": "scripted/dear"}, {"temperature": 0.5}])
def test_another_model_or_setting_is_the_cause(change: Mapping[str, Json]) -> None:
    other = flow({**llm("a", "ask {{ input }}"), **change}, llm("b", "{{ previous_outputs.a }}"))
    found = diff(ran(TWO, REPLIES), ran(other, REPLIES))
    assert found is not None and found.cause == "model"


def test_a_node_that_was_added_is_a_difference_of_the_graph() -> None:
    one = flow({"id": "a", "type": "tool", "tool": "ship"})
    two = flow(*one["agents"], {"id": "b", "type": "tool", "tool": "ship"})
    found = diff(ran(one), ran(two))
    assert found is not None
    assert (found.cause, found.what) == ("graph", "start of node b")
    assert found.left.seq is None and "no such event" in found.left.text


def test_a_condition_that_was_changed_is_a_difference_of_the_graph() -> None:
    def when(text: str) -> Mapping[str, Json]:
        return flow({"id": "a", "type": "tool", "tool": "ship", "when": text})

    found = diff(ran(when("input == 'in'")), ran(when("input == 'out'")))
    assert found is not None
    assert (found.cause, found.what) == ("graph", "start of node a")


def test_code_that_decides_otherwise_is_the_cause() -> None:
    @agent("own", version="1")
    async def one(ctx: Context) -> Json:
        return "one"

    @agent("own", version="2")
    async def two(ctx: Context) -> Json:
        return "two"

    own = flow({"id": "a", "type": "own"})
    found = diff(ran(own, use=(one,)), ran(own, use=(two,)))
    assert found is not None
    assert (found.cause, found.what) == ("code", "end of node a")
    assert found.notes == ("agent:own is 1 and 2",)


def test_other_rules_are_the_cause() -> None:
    run = ran(TWO, REPLIES)
    first, *rest = run.events
    assert isinstance(first, RunStarted)
    found = diff(run, rewritten(run, [structs.replace(first, rules=first.rules + 1), *rest]))
    assert found is not None and found.cause == "rules"


def test_a_run_that_ends_early_differs_by_timing() -> None:
    run = ran(TWO, REPLIES)
    cut = next(at for at, e in enumerate(run.events) if isinstance(e, EffectAnswered))
    found = diff(run, rewritten(run, list(run.events[:cut])))
    assert found is not None
    assert found.cause == "timing" and "the run is running" in found.right.text


def test_answers_in_another_order_are_a_difference_only_if_nothing_else_is() -> None:
    fork = flow(
        {"id": "f", "type": "fork", "targets": ["a", "b"]},
        llm("a"),
        llm("b"),
        {"id": "j", "type": "join", "group": "f"},
    )

    def swapped(run: Run) -> Run:
        """The answers to `a` and `b`, and what follows from each, the other way round."""
        first, second = (at for at, e in enumerate(run.events) if isinstance(e, EffectAnswered))
        events = list(run.events)
        span = second - first
        events[first : second + span] = events[second : second + span] + events[first:second]
        return rewritten(run, events)

    one = ran(fork, REPLIES)
    found = diff(one, swapped(one))
    assert found is not None
    assert (found.cause, found.what) == ("timing", "order of events")
    content = diff(one, swapped(ran(fork, {"a": ["A"], "b": ["other"]})))
    assert content is not None
    assert (content.cause, content.what) == ("answer", "effect answered b#0")


def test_the_place_where_long_texts_part_is_shown() -> None:
    long = "x" * 5000
    found = diff(ran(TWO, REPLIES, long + " cat"), ran(TWO, REPLIES, long + " dog"))
    assert found is not None
    assert found.left.text.endswith("x cat") and found.right.text.endswith("x dog")
    assert len(found.left.text) < 150
