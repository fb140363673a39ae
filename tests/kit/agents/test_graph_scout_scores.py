"""What a `graph-scout` measures of each path, what counts for not knowing, and what excludes."""

from __future__ import annotations

import math

import pytest
from scouts import ABC, Scouted, Tools, by_first, does, flow, scouted

import orka
from orka.event.event import Decided
from orka.score.criterion import Criterion
from orka.score.factor import Abstained, Known, Reading
from orka.score.ledger import Ledger
from orka.score.setting import PROFILES
from orka.testing.clock import clock, run_virtual
from orka.value import Json

Options = dict[str, Json]
ONE: Options = {"max_depth": 1, "strategy": "strict", "history": 0}


def measured(*use: Criterion, **options: Json) -> Scouted:
    return Scouted(flow(**{**ONE, "criteria": [each.name for each in use], **options}), use=use)


# ---- weights and profiles


def test_a_score_is_the_weighted_sum_of_factors() -> None:
    run = measured(
        by_first({"a": 0.5, "b": 1.0, "c": 0.25}),
        by_first({"a": -0.5, "b": -1.0, "c": 0}, "dear", penalty=True),
        weights={"mine": 0.8, "dear": 0.2},
    )
    assert run.output["scores"] == {"b": 0.6, "a": 0.3, "c": 0.2}
    assert run.output["path"] == ["b"]


@pytest.mark.parametrize("name", ["", *PROFILES])
def test_a_profile_is_a_set_of_weights_and_conservative_is_the_usual_one(name: str) -> None:
    run = scouted(**ONE, profile=name)
    assert run.ledger.setting.weights == PROFILES[name or "conservative"]
    assert run.ledger.setting.profile == (name or "conservative")


def test_a_factor_without_weight_is_measured_and_does_not_count() -> None:
    dear = {"a": {"cost": 0.05}, "b": {"cost": 0.01}, "c": {"cost": 0.02}}
    run = measured(
        by_first({"a": 0.9, "b": 0.8, "c": 0.1}), weights={"mine": 1, "cost": 0}, estimates=dear
    )
    assert run.values("cost") == {"a": -0.5, "b": -0.1, "c": -0.2}
    assert run.output["scores"] == {"a": 0.9, "b": 0.8, "c": 0.1}


# ---- not knowing


@pytest.mark.parametrize(
    ("policy", "scores"),
    [
        ("worst", {"a": 0.8, "c": 0.4, "b": 0.4}),
        ("floor", {"a": 0.8, "c": 0.4, "b": 0.2}),
        ("renormalise", {"a": 0.8, "b": 0.4, "c": 0.4}),
    ],
)
def test_each_policy_says_what_counts_for_not_knowing(
    policy: str, scores: dict[str, float]
) -> None:
    run = measured(
        by_first({"a": 0.8, "b": None, "c": 0.4}),
        by_first({"a": 0.8, "b": 0.4, "c": 0.4}, "other"),
        weights={"mine": 0.5, "other": 0.5},
        policies={"mine": policy},
    )
    assert run.output["scores"] == scores
    assert run.values("mine")["b"] == "no value was given"


def test_a_policy_may_exclude_ask_or_stop() -> None:
    mine = by_first({"a": 0.2, "b": Abstained("nobody said"), "c": 0.1})
    options: Options = {"criteria": ["mine"], "weights": {"mine": 1}, **ONE}
    run = Scouted(flow(**options, policies={"mine": "exclude"}), use=[mine])
    assert run.output["scores"] == {"a": 0.2, "c": 0.1, "b": None}
    assert run.out == {"b": "mine is unknown (nobody said), which excludes it"}
    run = Scouted(flow(**options, policies={"mine": "stop"}), use=[mine])
    assert run.failure == "scout.stopped"
    assert run.run.failure and "mine" in run.run.failure.message
    run = Scouted(flow(**options, policies={"mine": "ask"}), use=[mine], answers={"scout": "b"})
    assert "unknown, so a person decides: mine" in run.asked[0]
    assert (run.output["path"], run.output["status"]) == (["b"], "unknown")


def test_a_penalty_of_a_plugin_cannot_be_renormalised() -> None:
    dear = by_first(dict.fromkeys("abc", -0.5), "dear", penalty=True)
    run = measured(dear, weights={"dear": 1}, policies={"dear": "renormalise"})
    assert run.failure == "score.policy"


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (ValueError("no idea"), "mine raised ValueError: no idea"),
        (math.nan, "nan is not a finite number"),
        (math.inf, "inf is not a finite number"),
        (1.5, "1.5 is out of range: it must be in [0, 1]"),
        (-0.1, "-0.1 is out of range: it must be in [0, 1]"),
        (True, "True is not a number"),
        ("good", "'good' is not a number"),
        ([1], "a list is not a number"),
        (None, "no value was given"),
    ],
)
def test_what_is_no_value_is_recorded_by_name_and_cause_and_never_a_number(
    value: object, cause: str
) -> None:
    run = measured(by_first({"a": value, "b": 0.3, "c": 0.4}), weights={"mine": 1})
    assert run.values("mine") == {"a": cause, "b": 0.3, "c": 0.4}
    assert run.output["scores"] == {"c": 0.4, "a": 0.3, "b": 0.3}
    assert run.output["path"] == ["c"]


@pytest.mark.parametrize("value", [0.5, -1.5, math.nan])
def test_a_penalty_is_never_above_zero(value: float) -> None:
    run = measured(
        by_first({"a": value, "b": -0.5, "c": 0}, "dear", penalty=True), weights={"dear": 1}
    )
    assert isinstance(run.factor("dear")["a"], Abstained)
    assert run.output["scores"]["a"] == -0.5


# ---- heuristics


def test_rules_speak_for_and_against_paths_with_their_reasons() -> None:
    rules = [
        {"when": "'check' in capabilities", "weight": 0.6, "message": "it is checked"},
        {"when": "length > 1", "weight": -0.4, "message": "it is long"},
    ]
    pool = [does("a"), does("b", capabilities=["check"])]
    run = scouted(pool, strategy="strict", weights={"heuristics": 1}, heuristics=rules)
    assert run.values("heuristics") == {"a": 0.4, "b": 1.0, "a → b": 0.6, "b → a": 0.6}
    assert run.factor("heuristics")["b"] == Known(1.0, "+0.6 it is checked")


def test_rules_see_the_input_the_outputs_and_who_is_asked_for() -> None:
    rules = [
        {
            "when": "input.vip and outputs.before == 'before done' and tenant == 'acme'",
            "weight": 1,
            "message": "known",
        }
    ]
    written = flow(weights={"heuristics": 1}, heuristics=rules, tenant="{{ input.tenant }}", **ONE)
    written["orchestrator"]["agents"] = ["before", "scout"]
    written["agents"].append(does("before"))
    run = Scouted(written, input={"vip": True, "tenant": "acme"})
    assert run.values("heuristics")["a"] == 1.0
    assert run.ledger.context["tenant"] == "acme"
    unclear = Scouted(written, input={"tenant": "acme"})
    assert "rule 1 of `heuristics`" in str(unclear.values("heuristics")["a"])


# ---- priors


PRIORS = {
    "domain": "money",
    "rules": [
        {"id": "slow", "when": "first.id == 'b'", "prior": 0.2, "reason": "it was slow"},
        {"id": "never", "when": "'c' in path", "forbid": True, "reason": "it spills"},
    ],
    "otherwise": {"prior": 0.7, "reason": "nothing is known against it"},
    "tenants": {
        "acme": [{"id": "a", "when": "first.id == 'a'", "prior": 0.1, "reason": "they said no"}]
    },
}


def test_priors_weigh_and_forbid_whatever_the_score() -> None:
    run = scouted(**ONE, weights={"prior": 1}, priors=[PRIORS])
    assert run.values("prior") == {"a": 0.7, "b": 0.2, "c": 0.7}
    assert run.out == {"c": "forbidden by never: it spills"}
    other = scouted(**ONE, weights={"prior": 1}, priors=[PRIORS], tenant="acme")
    assert other.output["path"] == ["b"]


# ---- cost, latency, budgets


def test_cost_and_latency_are_measured_on_the_scale_of_the_budget() -> None:
    takes = {"a": {"cost": 0.01, "latency_ms": 1000}, "b": {"cost": 0.04, "latency_ms": 500}}
    weights = {"cost": 0.5, "latency": 0.5}
    run = scouted(ABC[:2], **ONE, weights=weights, estimates=takes)
    assert run.values("cost") == {"a": -0.1, "b": -0.4}
    assert run.values("latency") == {"a": -0.1, "b": -0.05}
    run = scouted(ABC[:2], **ONE, weights=weights, estimates=takes, budget={"cost": 0.04})
    assert run.values("cost") == {"a": -0.25, "b": -1.0}


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        ({"cost": 0.02}, "costs about 0.04 USD, the budget is 0.02 USD"),
        ({"latency_ms": 600}, "takes about 0.7 s, the budget is 0.6 s"),
        ({"tokens": 100}, "takes about 150 tokens, the budget is 100 tokens"),
    ],
)
def test_a_budget_excludes_what_is_known_to_take_more(budget: Json, why: str) -> None:
    takes = {
        "a": {"cost": 0.01, "latency_ms": 500, "tokens": 90},
        "b": {"cost": 0.04, "latency_ms": 700, "tokens": 150},
    }
    run = scouted(**ONE, estimates=takes, budget=budget)
    assert run.out == {"b": why}


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        ({"cost": 0.02}, "nobody knows what it costs, and the budget is 0.02 USD"),
        ({"latency_ms": 600}, "nobody knows what it takes, and the budget is 0.6 s"),
        ({"tokens": 100}, "nobody knows what it takes, and the budget is 100 tokens"),
    ],
)
def test_a_budget_excludes_what_nobody_knows_if_no_policy_counts_against_it(
    budget: Json, why: str
) -> None:
    takes = {"a": {"cost": 0.01, "latency_ms": 500, "tokens": 90}}
    rule = {"when": "'b' in path", "weight": 1, "message": "b"}
    told: dict[str, Json] = {"heuristics": [rule], "estimates": takes, "budget": budget}
    run = scouted(ABC[:2], max_depth=1, weights={"heuristics": 1}, **told)
    assert run.out == {"b": why} and run.output["path"] == ["a"]
    held = {"heuristics": 1, "cost": 0.1, "latency": 0.1}
    assert not scouted(ABC[:2], max_depth=1, weights=held, **told).out


# ---- what runs tell


def ran(written: Json, failing: int) -> list[Ledger]:
    """The decisions of five runs, one after another; the tool fails in the first few."""
    tools = Tools({"a": failing})

    async def go() -> list[orka.Run]:
        async with orka.Runtime(store=":memory:", use=[tools.act], clock=clock) as runtime:
            runs = [await runtime.run(written) for _ in range(5)]
            assert not any(runtime.replay(run.id).unwritten for run in runs)
            return runs

    events = [event for run in run_virtual(go()) for event in run.events]
    return [Ledger.read(event.value) for event in events if isinstance(event, Decided)]


def factors(ledgers: list[Ledger], name: str) -> list[Reading]:
    return [each.candidates[0].factors[name] for each in ledgers]


LEARNING: Options = {
    "weights": {"latency": 0.5, "prior": 0.5},
    "execute": True,
    "priors": [{"domain": "d", "otherwise": {"prior": 0.5, "reason": "who knows"}, "strength": 2}],
    "learn": True,
    "tenant": "acme",
}


def test_a_later_run_sees_how_the_earlier_ones_fared() -> None:
    found = factors(ran(flow(ABC[:1], **LEARNING), failing=1), "prior")
    assert [each.value for each in found if isinstance(each, Known)] == [
        0.5, 0.333333, 0.5, 0.6, 0.666667,
    ]  # fmt: skip
    assert "3 of 4 runs succeeded" in str(found[-1])


def test_what_agents_took_is_known_after_three_runs() -> None:
    found = factors(ran(flow(ABC[:1], **LEARNING), failing=0), "latency")
    assert [isinstance(each, Known) for each in found] == [False, False, False, True, True]
    assert "p90 of 3 runs" in str(found[3])


def test_without_enough_history_nobody_knows() -> None:
    for options in ({**LEARNING, "history": 0, "learn": False}, {**LEARNING, "history": 1}):
        found = factors(ran(flow(ABC[:1], **options), failing=0), "latency")
        assert not any(isinstance(each, Known) for each in found)
