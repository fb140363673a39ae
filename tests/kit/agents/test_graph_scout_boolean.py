"""Boolean mode of a `graph-scout`: criteria that are true, false or unknown of a path."""

from __future__ import annotations

import pytest
from scouts import ABC, MODEL, Scouted, by_first, does, flow, said, scouted

from orka.score.factor import Abstained, Known
from orka.value import Json

Options = dict[str, Json]
ONE: Options = {"max_depth": 1, "strategy": "strict", "history": 0}


def check(name: str, when: str, severity: str, **more: Json) -> Options:
    return {"name": name, "when": when, "severity": severity, **more}


def passed(checks: list[Options], pool: list[Options] | None = None, **boolean: Json) -> Scouted:
    return scouted(
        pool or ABC, **ONE, scoring_mode="boolean", boolean={"checks": checks, **boolean}
    )


def test_a_critical_criterion_that_is_false_or_unknown_excludes() -> None:
    run = passed([check("not_a", "first.id != 'a'", "critical", message="a is out")])
    assert run.out == {"a": "critical criterion not_a is false (a is out)"}
    assert run.output["scores"] == {"b": 1.0, "c": 1.0, "a": None}
    run = passed([check("cheap", "cost < 1", "critical")])
    assert run.failure == "scout.no_path"
    assert "critical criterion cheap is unknown" in run.out["a"]
    run = passed([check("not_a", "first.id != 'a'", "critical")], require_critical=False)
    assert run.output["scores"] == {"b": 1.0, "c": 1.0, "a": 0.0}


def test_what_an_agent_does_not_declare_passes_no_check_that_needs_it() -> None:
    pool = [does("a"), {**does("b"), "capabilities": ["drawing"]}, {**does("c"), "type": "wait"}]
    pool[2] = {"id": "c", "type": "wait", "seconds": 0}
    checks = [check("tame", "len(risky) == 0", "critical", declared=True)]
    run = passed(checks, pool)
    assert run.out == {
        "a": "critical criterion tame is unknown (a: `capabilities` does not say what it can do)"
    }
    assert run.output["scores"] == {"b": 1.0, "c": 1.0, "a": None}


def test_enough_of_the_important_ones_have_to_be_true() -> None:
    checks = [
        check("one", "first.id in ['a', 'b']", "important"),
        check("two", "first.id in ['a', 'c']", "important"),
    ]
    assert passed(checks).out == dict.fromkeys(
        "bc", "1 of 2 important criteria are true, below 80%"
    )
    assert not passed(checks, important_threshold=0.5).out
    assert passed(checks, important_threshold=0.5).output["scores"] == {"a": 1, "b": 0.5, "c": 0.5}


def test_strict_demands_the_nice_ones_too() -> None:
    checks = [check("nice", "first.id == 'a'", "nice_to_have", message="so it is")]
    assert passed(checks).output["scores"] == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert passed(checks, strict=True).out == dict.fromkeys(
        "bc", "strict: criterion nice is false (so it is)"
    )


def test_checks_compare_with_the_authors_limits_and_have_weights() -> None:
    checks = [
        check("short", "length <= longest", "nice_to_have", weight=3),
        check("first", "first.id == 'a'", "nice_to_have"),
    ]
    run = passed(checks, limits={"longest": 1})
    assert run.output["scores"] == {"a": 1.0, "b": 0.75, "c": 0.75}


def test_the_usual_checks_are_told_from_what_agents_declare() -> None:
    pool = [
        does("shell", capabilities=["code_execution"]),
        does("box", capabilities=["code_execution", "sandboxed", "validation"]),
        does("plain"),
    ]
    run = scouted(pool, **ONE, scoring_mode="boolean")
    assert set(run.out) == {"shell", "plain"}
    assert "does not say what it can do" in run.out["plain"]
    assert "safety.no_risky_capabilities_without_sandbox is false" in run.out["shell"]
    assert "historical_performance.success_rate_above_threshold" in run.ledger.setting.weights


@pytest.mark.parametrize(("score", "suits"), [(10, 1.0), (5, 1.0), (4, 0.0)])
def test_the_model_says_in_boolean_mode_if_a_path_suits(score: int, suits: float) -> None:
    written = flow(
        ABC[:1], **ONE, model=MODEL, judge={"repeat": 1}, scoring_mode="boolean", fallback=""
    )
    run = Scouted(written, {"scout": [said(score)]})
    assert run.values("capability_match.suits_the_task") == {"a": suits}


GRAPHSCOUT = {
    "completeness": ["has_all_required_steps", "addresses_all_query_aspects",
                     "handles_edge_cases", "includes_fallback_path"],
    "efficiency": ["minimizes_redundant_calls", "uses_appropriate_agents", "optimizes_cost",
                   "optimizes_latency"],
    "safety": ["validates_inputs", "handles_errors_gracefully", "has_timeout_protection",
               "avoids_risky_combinations"],
    "coherence": ["logical_agent_sequence", "proper_data_flow", "no_conflicting_actions"],
}  # fmt: skip


def rubric(truth: bool | None, **other: bool | None) -> Json:
    held = {d: {n: other.get(n, truth) for n in names} for d, names in GRAPHSCOUT.items()}
    return {**held, "rationale": "it is so"}


def test_a_rubric_is_answered_by_the_model_for_each_path() -> None:
    written = flow(ABC[:2], **ONE, model=MODEL, scoring_mode="boolean",
                   boolean={"rubric": "strict"})  # fmt: skip
    answers = [rubric(True, handles_edge_cases=None), rubric(True, validates_inputs=False)]
    run = Scouted(written, {"scout": answers})
    assert run.factor("completeness.handles_edge_cases")["a"] == Abstained("it is so")
    assert run.factor("safety.validates_inputs")["b"] == Known(0.0, "it is so")
    assert run.ledger.setting.boolean is not None and len(run.ledger.candidates) == 2


def test_a_rubric_that_is_not_answered_leaves_its_criteria_unknown() -> None:
    written = flow(ABC[:2], **ONE, model=MODEL, scoring_mode="boolean", fallback="b",
                   boolean={"rubric": "lenient"})  # fmt: skip
    run = Scouted(written, {"scout": ["it is good"]})
    held = run.factor("completeness.has_all_required_steps")["a"]
    assert isinstance(held, Abstained) and "it is good" not in str(run.output["scores"])
    assert run.output["path"] == ["b"]


def test_a_plugin_is_a_yes_no_criterion_in_boolean_mode() -> None:
    mine = by_first({"a": 0.0, "b": 1.0, "c": None})
    options: Options = {**ONE, "scoring_mode": "boolean", "criteria": ["mine"]}
    boolean = {"checks": [check("any", "length > 0", "critical")], "important_threshold": 1}
    run = Scouted(flow(**options, boolean=boolean), use=[mine])
    assert set(run.out) == {"a", "c"} and run.output["path"] == ["b"]
    dear = by_first(dict.fromkeys("abc", -0.5), "mine", penalty=True)
    run = Scouted(flow(**options, boolean=boolean), use=[dear])
    assert run.failure == "score.criterion"
