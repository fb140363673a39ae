"""The invariants of an execution, from a trace and from written facts."""

from __future__ import annotations

import msgspec
import pytest

from orka.score.execution import facts_of, observed
from orka.score.invariants import Facts, Rules, report
from orka.value import Json


def node(id: str, status: str = "done", **fields: Json) -> dict[str, Json]:
    return {"id": id, "type": "llm", "status": status, "route": None, "targets": None,
            "group": None, "error": None, **fields}  # fmt: skip


def failed(facts: Facts, **rules: Json) -> list[str]:
    told = report(facts, Rules(**rules))
    found: list[str] = told["validation_summary"]["categories_failed"]
    assert all((told[name]["status"] == "FAIL") is (name in found) for name in CATEGORIES)
    return found


CATEGORIES = (
    "fork_join_integrity",
    "routing_integrity",
    "cycle_detection",
    "tool_integrity",
    "schema_compliance",
    "depth_compliance",
)
FORK = node("f", type="fork", targets=[["a", "b"], ["c"]])
JOIN = node("j", type="join", group="f")


@pytest.mark.parametrize(
    ("settled", "found"),
    [
        ([FORK, node("a"), node("b"), node("c"), JOIN], []),
        ([FORK, node("a"), node("b", "skipped"), node("c"), JOIN], []),
        (
            [FORK, node("a", "failed"), node("b", "skipped"), node("c"), JOIN],
            ["fork_join_integrity"],
        ),
        ([FORK, node("a"), node("b", "late"), node("c"), JOIN], ["fork_join_integrity"]),
        ([FORK, node("a"), node("b"), node("c")], ["fork_join_integrity"]),
        ([FORK, node("a")], []),
        ([node("r", type="router", route="x", targets=["a"])], []),
        ([node("r", type="router", route="x", targets=["a"]), node("a", "skipped")], []),
        (
            [node("r", type="router", route="x", targets=["a"]), node("a", "late")],
            ["routing_integrity"],
        ),
        ([node("r", type="router")], ["routing_integrity"]),
        ([node("r", "skipped", type="router")], []),
        ([node("a", "failed", error={"code": "sensor.violation"})], ["schema_compliance"]),
        ([node("a", "failed", error={"code": "tool.failed"})], []),
    ],
)
def test_facts_come_from_what_became_of_the_nodes(
    settled: list[dict[str, Json]], found: list[str]
) -> None:
    assert failed(observed(settled, {})) == found


def unknown(facts: Facts, **rules: Json) -> list[str]:
    told = report(facts, Rules(**rules))
    found: list[str] = told["validation_summary"]["categories_unknown"]
    assert told["validation_summary"]["unknown_count"] == len(found)
    for name in CATEGORIES:
        assert (told[name]["status"] == "UNKNOWN") is (name in found)
        assert bool(told[name].get("reason")) is (name in found)
    return found


def test_what_the_trace_cannot_tell_never_passes() -> None:
    plain = observed([node("a")], {})
    assert unknown(plain) == ["cycle_detection", "tool_integrity", "depth_compliance"]
    assert unknown(plain, max_depth=1, strict_tool_errors=True) == ["cycle_detection"]
    router = node("r", type="router", route="x", targets=["a"])
    assert "routing_integrity" in unknown(observed([router], {}))
    assert "routing_integrity" not in unknown(observed([router, node("a")], {}))
    assert "fork_join_integrity" in unknown(observed([FORK, node("a")], {}))


def test_what_written_data_leave_out_is_unknown_and_all_of_empty_ones_is() -> None:
    assert unknown(facts_of({}), max_depth=1, strict_tool_errors=True) == list(CATEGORIES)
    assert unknown(facts_of({"tool_calls": []}), max_depth=1) == [
        name for name in CATEGORIES if name != "tool_integrity"
    ]
    routed = {"router_decisions": {"r": {"chosen_target": "a"}}}
    assert "routing_integrity" in unknown(facts_of(routed))
    known = {**routed, "graph_structure": {"nodes": ["a"], "edges": [{"src": "r", "dst": "a"}]}}
    assert "routing_integrity" not in unknown(facts_of(known))


def test_a_failure_that_was_caught_is_a_warning_if_errors_are_strict() -> None:
    facts = observed([node("a", "failed", error={"code": "tool.failed"})], {})
    told = report(facts, Rules(strict_tool_errors=True))
    assert told["tool_integrity"]["status"] == "FAIL"
    assert not told["critical_failures_detected"]
    assert told["validation_summary"]["warning_count"] == 1


def test_depth_counts_what_ran_and_what_was_proposed() -> None:
    facts = observed(
        [node("a"), node("b", "skipped"), node("g", type="graph-scout")],
        {"g": {"target": ["x", "y", "z"]}},
    )
    assert failed(facts, max_depth=3) == []
    assert failed(facts, max_depth=2) == ["depth_compliance"]
    assert failed(facts) == []


@pytest.mark.parametrize(
    ("data", "found", "critical"),
    [
        ({}, [], False),
        ({"nodes_executed": ["a", "b", "a"]}, ["cycle_detection"], True),
        ({"fork_groups": {"f": {"has_join": False}}}, ["fork_join_integrity"], True),
        (
            {"fork_groups": {"f": {"has_join": True, "branches": ["a"], "completed_branches": []}}},
            ["fork_join_integrity"],
            True,
        ),
        ({"router_decisions": {"r": {"chosen_target": None}}}, ["routing_integrity"], True),
        (
            {
                "router_decisions": {"r": {"chosen_target": "a"}},
                "graph_structure": {"nodes": {"a": {}}, "edges": []},
            },
            ["routing_integrity"],
            False,
        ),
        (
            {
                "router_decisions": {"r": {"chosen_target": "b"}},
                "graph_structure": {"nodes": {"a": {}}},
            },
            ["routing_integrity"],
            True,
        ),
        (
            {
                "tool_calls": [
                    {"node_id": "t", "status": "error", "execution_continued_after_error": True}
                ]
            },
            ["tool_integrity"],
            True,
        ),
        ({"tool_calls": [{"node_id": "t", "status": "error", "error_handled": True}]}, [], False),
        ({"structured_outputs": {"a": {"schema_valid": False}}}, ["schema_compliance"], True),
    ],
)
def test_written_facts(data: Json, found: list[str], critical: bool) -> None:
    told = report(facts_of(data), Rules())
    assert failed(facts_of(data)) == found
    assert told["critical_failures_detected"] is critical


def test_a_node_that_may_run_again_is_no_cycle() -> None:
    facts = facts_of({"nodes_executed": ["a", "a"]})
    assert failed(facts, allow_reentrant_nodes=["a"]) == []
    assert report(facts, Rules())["cycle_detection"]["cycles_found"] == ["a"]


@pytest.mark.parametrize("data", [[], "x", {"nodes": []}, {"nodes_executed": "a"}])
def test_what_is_no_facts_is_refused(data: Json) -> None:
    with pytest.raises(msgspec.ValidationError):
        facts_of(data)
