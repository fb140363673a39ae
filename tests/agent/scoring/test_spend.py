"""Estimates of paths with their sources, the factors cost and latency, and the gate of a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.agent.scoring.spend import (
    Budget,
    Declared,
    Scale,
    budget_problem,
    declared_problem,
    estimates,
    fared,
    gate,
    scale_problem,
    spend,
)
from orka.score.criterion import Estimate, Proposal, State
from orka.score.factor import Abstained, Known, Reading
from orka.value import Json

MODEL = "openai/gpt-4o-mini"
PRICES: dict[str, Json] = {
    "local/*": {"prompt": 0.0, "completion": 0.0, "cached": None},
    "openai/*": {"prompt": 9.0, "completion": 9.0, "cached": None},
    MODEL: {"prompt": 1.0, "completion": 4.0, "cached": 0.1},
}


def recorded(samples: int = 12, known: int | None = None, model: str = MODEL) -> dict[str, Json]:
    known = samples if known is None else known
    return {
        "model": model,
        "samples": samples,
        "seconds": {"p50": 1.0, "p90": 2.5},
        "cost": {"p50": 0.01, "p90": 0.02, "known": known},
        "tokens": {"p50": 100, "p90": 200, "known": known},
    }


def history(**agents: Json) -> dict[str, Json]:
    return {"runs": 12, "agents": agents, "paths": {}, "currency": "USD", "prices": PRICES}


def agent(**options: Json) -> Json:
    return {"type": "llm", "options": {"prompt": "p" * 40, **options}}


POOL: dict[str, Json] = {
    "answer": agent(model=MODEL),
    "short": agent(model=MODEL, max_tokens=100, system="s" * 9),
    "local": agent(model="local/small"),
    "odd": agent(model="nobody/knows", max_tokens=10),
    "calls": agent(model=MODEL, max_tokens=10, tools=["search"]),
    "search": {"type": "tool", "options": {"tool": "search"}},
}


def estimate(*path: str, past: Mapping[str, Json] | None = None, **declared: Declared) -> Estimate:
    proposal = Proposal(path=path)
    return estimates([proposal], POOL, declared, history() if past is None else past)[proposal.name]


def test_a_path_is_the_sum_of_its_steps_and_the_reason_says_where_each_comes_from() -> None:
    declared = Declared(cost=0.001, latency_ms=800, tokens=0)
    found = estimate("search", "answer", past=history(answer=recorded()), search=declared)
    assert found == Estimate(
        cost=0.021,
        latency=3.3,
        tokens=200,
        cost_reason="0.021 USD: search 0.001 (declared) + answer 0.02 (p90 of 12 runs)",
        latency_reason="3.3 s: search 0.8 (declared) + answer 2.5 (p90 of 12 runs)",
    )


def test_what_is_declared_counts_before_what_was_recorded_figure_by_figure() -> None:
    found = estimate("answer", past=history(answer=recorded()), answer=Declared(cost=0.5))
    assert (found.cost, found.latency, found.tokens) == (0.5, 2.5, 200)


def test_the_quantile_is_the_one_that_is_asked_for() -> None:
    path = Proposal(path=("answer",), id="mine")
    found = estimates([path], POOL, None, history(answer=recorded()), quantile="p50")
    assert (found["mine"].cost, found["mine"].latency) == (0.01, 1.0)


def test_too_few_runs_are_no_history() -> None:
    found = estimate("answer", past=history(answer=recorded(samples=2)))
    assert (found.cost, found.latency) == (None, None)
    assert found.latency_reason == "unknown of answer: it ran 2 times, and 3 are needed"
    few = "it ran 2 times, and 3 are needed, and it has no `max_tokens`"
    assert found.cost_reason == f"unknown of answer: {few}"


def test_costs_that_are_known_of_too_few_runs_are_no_history() -> None:
    found = estimate("answer", past=history(answer=recorded(samples=5, known=2)))
    assert (found.cost, found.latency) == (None, 2.5)
    assert "known of 2 of 5 runs, and 3 are needed" in found.cost_reason


def test_what_ran_with_another_model_says_nothing() -> None:
    past = history(answer=recorded(model="openai/gpt-4o"), local=recorded(model=""))
    told = estimate("answer", past=past).latency_reason
    assert told == f"unknown of answer: it ran with openai/gpt-4o, not with {MODEL}"
    told = estimate("local", past=past).latency_reason
    assert told == "unknown of local: it ran with no model, not with local/small"
    past = history(answer=recorded(model=f"openai/gpt-4o, {MODEL}"))
    assert estimate("answer", past=past).latency == 2.5


def test_without_history_a_single_call_costs_its_prompt_and_its_longest_answer() -> None:
    found = estimate("short")
    assert (found.cost, found.tokens) == (0.000413, 113)  # 49 letters are 13 tokens
    told = f"price of {MODEL}, 49 letters of prompt, `max_tokens` 100"
    assert found.cost_reason == f"0.000413 USD: short 0.000413 ({told})"
    assert found.latency is None
    assert found.latency_reason == "unknown of short: it never ran"


def test_a_local_model_is_free_only_if_the_price_table_says_so() -> None:
    assert estimate("local").cost == 0.0
    assert estimate("local").tokens is None
    unpriced = {**history(), "prices": {}}
    assert estimate("local", past=unpriced).cost is None
    assert estimate("local", past={}).cost_reason == (
        "unknown of local: it never ran, and no price of local/small is known"
    )


@pytest.mark.parametrize(
    ("id", "cause"),
    [
        ("answer", "it has no `max_tokens`"),
        ("odd", "no price of nobody/knows is known"),
        ("calls", "it calls tools, nobody knows how often"),
        ("search", "it is no single call of a model"),
        ("stranger", "it is no single call of a model"),
    ],
)
def test_one_step_that_nobody_knows_makes_the_path_unknown_and_is_named(
    id: str, cause: str
) -> None:
    found = estimate("short", id)
    assert found.cost is None
    assert found.cost_reason == f"unknown of {id}: it never ran, and {cause}"


def test_the_longest_key_of_the_price_table_wins() -> None:
    pool = {"x": agent(model="openai/other", max_tokens=0)}
    found = estimates([Proposal(path=("x",))], pool, None, history())
    assert found["x"].cost == 0.00009


FIGURE = st.none() | st.floats(0, 1e6)
STEPS = st.lists(FIGURE, min_size=1, max_size=6)


@given(STEPS)
def test_a_sum_is_never_smaller_than_its_parts_and_unknown_never_becomes_a_number(
    steps: list[float | None],
) -> None:
    path = tuple(f"s{at}" for at in range(len(steps)))
    declared = {id: Declared(cost=x, latency_ms=x) for id, x in zip(path, steps, strict=True)}
    found = estimates([Proposal(path=path, id="p")], {}, declared)["p"]
    for figure, parts in ((found.cost, steps), (found.latency, [x and x / 1000 for x in steps])):
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            assert figure is None
        else:
            assert figure is not None and all(figure >= part for part in known)
    for id, step in zip(path, steps, strict=True):
        assert step is not None or f"{id}: " in found.cost_reason


@given(STEPS, st.floats(0, 1e6))
def test_a_longer_path_is_never_cheaper_nor_rated_better(
    steps: list[float | None], more: float
) -> None:
    declared = {f"s{at}": Declared(cost=step) for at, step in enumerate([*steps, more])}
    ids = tuple(declared)
    short, long = Proposal(path=ids[:-1], id="short"), Proposal(path=ids, id="long")
    found = estimates([short, long], {}, declared)
    cost = spend()[0]
    state = State(candidates=[short, long], estimates=found)
    one, other = cost.measure(short, state), cost.measure(long, state)
    assert isinstance(one, Abstained) == isinstance(other, Abstained)
    if isinstance(one, Known) and isinstance(other, Known):
        assert -1 <= other.value <= one.value <= 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_declared_figure_that_is_none_is_unknown(value: float) -> None:
    found = estimate("answer", answer=Declared(cost=value, latency_ms=value))
    assert (found.cost, found.latency) == (None, None)
    assert "declared, which is no such figure" in found.cost_reason


# ---- factors


def measured(
    estimate: Estimate | None, budget: Budget | None = None, scale: Scale | None = None
) -> tuple[Reading, Reading]:
    path = Proposal(path=("a",))
    state = State(candidates=[path], estimates={"a": estimate} if estimate else {})
    cost, latency = spend(budget, scale)
    assert (cost.name, latency.name, cost.penalty, latency.penalty) == (
        "cost",
        "latency",
        True,
        True,
    )
    return cost.measure(path, state), latency.measure(path, state)


def test_without_a_budget_ten_cents_and_ten_seconds_are_the_worst() -> None:
    known = Estimate(cost=0.025, latency=5.0, cost_reason="because")
    assert measured(known) == (Known(-0.25, "because; 0.1 is -1"), Known(-0.5, "5; 10 is -1"))


def test_a_budget_is_the_scale_and_beyond_it_nothing_gets_worse() -> None:
    cost, latency = measured(
        Estimate(cost=5.0, latency=0.6), Budget(cost=0.5, latency_ms=1200), Scale(cost=100)
    )
    assert isinstance(cost, Known) and isinstance(latency, Known)
    assert (cost.value, latency.value) == (-1.0, -0.5)


def test_a_budget_of_nothing_tells_what_is_free_from_what_is_not() -> None:
    values = [
        reading.value
        for cost in (0.0, 0.000001)
        if isinstance(reading := measured(Estimate(cost=cost), Budget(cost=0))[0], Known)
    ]
    assert values == [0.0, -1.0]


def test_what_is_not_known_is_an_abstention_with_its_cause() -> None:
    unknown = Estimate(cost_reason="unknown of a: it never ran")
    assert measured(unknown) == (
        Abstained("unknown of a: it never ran"),
        Abstained("nobody made an estimate"),
    )
    assert measured(None)[0] == Abstained("nobody made an estimate")


# ---- the gate


def gated(estimate: Estimate | None, budget: Budget) -> str:
    path = Proposal(path=("a",))
    state = State(candidates=[path], estimates={"a": estimate} if estimate else {})
    return gate(budget)(path, state)


def test_an_estimate_above_a_budget_leaves_the_path_out_and_says_by_how_much() -> None:
    budget = Budget(cost=0.1, latency_ms=1200, tokens=800)
    assert gated(Estimate(cost=0.2), budget) == "costs about 0.2 USD, the budget is 0.1 USD"
    assert gated(Estimate(cost=0.05, latency=3.0, tokens=801), budget) == (
        "takes about 3 s, the budget is 1.2 s; takes about 801 tokens, the budget is 800 tokens"
    )


def test_an_estimate_at_a_budget_is_within_it() -> None:
    estimate = Estimate(cost=math.fsum([0.1, 0.2]), latency=1.2, tokens=800)
    assert gated(estimate, Budget(cost=0.3, latency_ms=1200, tokens=800)) == ""


def test_an_unknown_estimate_does_not_leave_a_path_out() -> None:
    assert gated(Estimate(), Budget(cost=0, latency_ms=1, tokens=1)) == ""
    assert gated(None, Budget(cost=0)) == ""
    assert gated(Estimate(cost=9.0), Budget()) == ""
    assert gated(Estimate(cost=math.nan), Budget(cost=1)) == ""
    assert gated(Estimate(cost=math.inf), Budget(cost=1)).startswith("costs about inf")


# ---- what authors write


def test_budgets_are_read_from_a_file_and_unknown_keys_refused() -> None:
    assert msgspec.convert({"cost": 1, "tokens": 800}, Budget) == Budget(cost=1.0, tokens=800)
    for kind in (Budget, Declared, Scale):
        with pytest.raises(msgspec.ValidationError, match="latency"):
            msgspec.convert({"latency": 1}, kind)


@pytest.mark.parametrize(
    ("budget", "problem"),
    [
        (Budget(), ""),
        (Budget(cost=0, latency_ms=1, tokens=1), ""),
        (Budget(cost=-1), "`budget.cost` is -1: it must be 0 or more, and at most 1e+12"),
        (Budget(cost=math.nan), "`budget.cost` is nan: it must be 0 or more, and at most 1e+12"),
        (Budget(tokens=0), "`budget.tokens` is 0: it must be above 0, and at most 1e+12"),
        (
            Budget(latency_ms=math.inf),
            "`budget.latency_ms` is inf: it must be above 0, and at most 1e+12",
        ),
    ],
)
def test_a_budget_that_cannot_be_meant_is_told(budget: Budget, problem: str) -> None:
    assert budget_problem(budget) == problem


def test_estimates_and_scales_that_cannot_be_meant_are_told() -> None:
    assert declared_problem({"a": Declared(cost=0, latency_ms=0, tokens=0)}, ["a"]) == ""
    assert declared_problem({"a": Declared(latency_ms=-5)}) == (
        "`estimates.a.latency_ms` is -5: it must be 0 or more, and at most 1e+12"
    )
    assert "did you mean 'search'" in declared_problem({"serch": Declared()}, ["search"])
    assert scale_problem(Scale()) == ""
    assert "`scale.cost` is 0" in scale_problem(Scale(cost=0))


def test_how_paths_fared_is_told_by_the_name_of_the_candidate() -> None:
    past = {**history(), "paths": {"a → b": {"runs": 4, "succeeded": 3}}}
    proposals = [Proposal(path=("a", "b"), id="best"), Proposal(path=("c",))]
    assert fared(proposals, past) == {"best": (3, 4)}
