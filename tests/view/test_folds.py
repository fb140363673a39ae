"""Outline, critical path, costs, failures, salvage: what a reader is told about a run."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from orka.value import Json
from orka.view.cost import by_model, by_node
from orka.view.critical import critical_path
from orka.view.failure import at_fault, failure_report, remedies
from orka.view.outline import outline
from orka.view.run import Run
from orka.view.salvage import valid_prefix
from view.runs import flow, llm, ran

SHIP = {"id": "a", "type": "tool", "tool": "ship"}


def usage(prompt: int, completion: int) -> Mapping[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion}


def test_the_outline_has_a_row_for_each_node_and_counts_attempts() -> None:
    run = ran(
        flow(llm("a", retries=1, backoff={"initial": 0.001}), {**SHIP, "id": "b", "when": "false"}),
        {"a": [{"raise": {"status": 500}}, {"reply": "yes", "usage": usage(5, 2)}]},
    )
    rows = {row.node.id: row for row in outline(run)}
    assert list(rows) == ["a", "b"]
    assert (rows["a"].state, rows["a"].attempts, rows["a"].totals.prompt_tokens) == ("done", 2, 5)
    assert rows["b"].state == "skipped (when)"


def test_nodes_of_inner_workflows_stand_below_their_opener() -> None:
    inner = flow(SHIP, id="inner")
    run = ran(flow({"id": "w", "type": "workflow", "workflow": inner}, {**SHIP, "id": "z"}))
    assert [(row.node.path, row.depth) for row in outline(run)] == [
        ("w", 0),
        ("w#0/a", 1),
        ("z", 0),
    ]


def test_a_node_that_asks_a_person_is_waiting() -> None:
    run = ran(flow({"id": "ok", "type": "approval", "prompt": "go?"}))
    (row,) = outline(run)
    assert (row.state, row.seconds) == ("waiting", None)
    assert remedies(run) == ()


def test_the_critical_path_follows_the_slow_branch() -> None:
    run = ran(
        flow(
            {"id": "f", "type": "fork", "targets": [["a", "b"], "c"]},
            SHIP,
            {**SHIP, "id": "b"},
            {**SHIP, "id": "c"},
            {"id": "j", "type": "join", "group": "f"},
            {**SHIP, "id": "z"},
        )
    )
    steps = critical_path(run)
    assert [step.node.id for step in steps][-1] == "z"
    assert "f" not in [step.node.id for step in steps]
    for one, other in pairwise(steps):
        assert one.node.ended_at == other.node.started_at
    assert abs(sum(step.share for step in steps) - 1) < 0.001


def test_a_run_without_events_of_nodes_has_no_critical_path() -> None:
    run = ran(flow(SHIP))
    assert critical_path(Run(run.id, run.lines[:1], lambda _: b"")) == []


def test_costs_are_told_by_node_and_by_model_and_unknown_stays_unknown() -> None:
    run = ran(
        flow(llm("cheap"), llm("dear", model="scripted/dear"), SHIP),
        {
            "cheap": [{"reply": "x", "usage": usage(1, 1)}],
            "dear": [{"reply": "y", "usage": usage(3, 1)}],
        },
    )
    assert [line.name for line in by_node(run)] == ["dear", "cheap"]
    costs = {line.name: line.totals for line in by_model(run)}
    assert (costs["scripted/dear"].cost, costs["scripted/dear"].currency) == (5.0, "EUR")
    assert costs["scripted/scripted"].cost is None
    assert costs["scripted/scripted"].unknown_cost == 1


def test_a_failure_report_names_the_node_the_cause_and_each_attempt() -> None:
    run = ran(
        flow(SHIP, {"id": "b", "type": "tool", "tool": "refuse"}, {**SHIP, "id": "c"}),
    )
    report = failure_report(run)
    assert report is not None and report.node is not None
    assert report.node.id == "b" and "the warehouse is closed" in report.failure.message
    assert [attempt.number for attempt in report.attempts] == [1]
    assert any("orka resume r" in remedy for remedy in report.remedies)
    assert any("--at b" in remedy for remedy in report.remedies)


def test_the_innermost_node_is_at_fault() -> None:
    inner: Json = flow({"id": "deep", "type": "tool", "tool": "refuse"}, id="inner")
    run = ran(flow({"id": "w", "type": "workflow", "workflow": inner}))
    node = at_fault(run)
    assert node is not None and node.path == "w#0/deep"
    assert any("--at w " in remedy for remedy in remedies(run))


def test_the_item_that_ended_the_run_is_at_fault_and_not_one_like_it() -> None:
    run = ran(flow(each(max_concurrency=2)))
    node = at_fault(run)
    assert node is not None and run.failure is not None
    assert node.scope == run.failure.effect == "e#0.0.0"


def test_a_failure_that_would_be_decided_again_is_not_resumed() -> None:
    fork = {"id": "f", "type": "fork", "targets": ["a", "b"]}
    join = {"id": "j", "type": "join", "group": "f", "policy": {"quorum": 2}}
    told = remedies(ran(flow(fork, SHIP, {"id": "b", "type": "tool", "tool": "refuse"}, join)))
    assert not any("orka resume" in remedy for remedy in told)
    assert any("orka fork r` asks what failed again" in remedy for remedy in told)


def test_a_run_that_completed_has_no_failure_report() -> None:
    run = ran(flow(SHIP))
    assert failure_report(run) is None and at_fault(run) is None


def test_the_valid_prefix_ends_before_the_first_changed_byte() -> None:
    lines = list(ran(flow(SHIP)).lines)
    blob = dict[str, bytes]().__getitem__
    assert valid_prefix(lines, blob) == len(lines)
    for at in range(len(lines)):
        bad = bytearray(lines[at])
        bad[len(bad) // 3] ^= 1
        # A changed byte shows in the line itself, or in the link of the one after it.
        assert valid_prefix([*lines[:at], bytes(bad), *lines[at + 1 :]], blob) in (at, at + 1)


def each(**more: Json) -> Json:
    inner = flow({**SHIP, "id": "x"}, {"id": "y", "type": "tool", "tool": "refuse"}, id="inner")
    return {"id": "e", "type": "foreach", "items": [1, 2], "workflow": inner, **more}


def test_scopes_are_told_apart_where_there_are_several() -> None:
    run = ran(flow(each(on_failure="partial")))
    assert [row.name for row in outline(run)] == [
        "e",
        "#0.0.0/x",
        "#0.0.0/y",
        "#0.1.0/x",
        "#0.1.0/y",
    ]


def test_the_end_of_an_inner_graph_is_the_answer_to_the_question_for_it() -> None:
    inner = flow(SHIP, id="inner")
    run = ran(flow({"id": "w", "type": "workflow", "workflow": inner}))
    (attempt,) = run.nodes[0].attempts
    assert (attempt.value, attempt.error) == ("shipped", None)
    assert attempt.answered_at is not None and attempt.answered_at > attempt.asked_at


def test_the_failure_of_an_inner_graph_is_the_error_of_the_question_for_it() -> None:
    run = ran(flow(each(on_failure="partial")))
    errors = [attempt.error for attempt in run.nodes[0].attempts]
    assert [error.code for error in errors if error] == ["effect.raised", "effect.raised"]
