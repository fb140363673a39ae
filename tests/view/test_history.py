"""What recorded runs say of agents and paths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import orka
from orka.testing.clock import clock, run_virtual
from orka.value import Json
from orka.view.history import Past, Ran, past, told
from orka.view.run import Run
from orka.view.tried import Tried
from view.runs import flow, llm, ran

SHIP = {"id": "ship", "type": "tool", "tool": "ship"}


def about(*agents: str, paths: tuple[tuple[str, ...], ...] = (), **more: str) -> dict[str, Json]:
    return {"agents": agents, "paths": paths, "tenant": "", "domain": "", **more}


def one(**more: Json) -> Ran:
    known = {"models": {}, "counts": True, "seconds": 1.0, "cost": 0.0, "currency": "", "tokens": 0}
    return Ran(agent="a", **{**known, **more})


def told_of(*ran: Ran, currency: str = "USD") -> Json:
    """What is told of an agent that ran so, each time in a run of its own; the newest first."""
    return told([Past((each,), ()) for each in ran], about("a"), currency)["agents"].get("a")


FIGURES = st.lists(st.floats(0, 1e6), min_size=1, max_size=40)


@given(FIGURES)
def test_a_quantile_is_a_value_that_was_measured_and_covers_its_share(values: list[float]) -> None:
    found = told_of(*(one(seconds=value) for value in values))
    for name, share in (("p50", 50), ("p90", 90)):
        quantile = found["seconds"][name]
        assert quantile in values
        assert 100 * sum(value <= quantile for value in values) >= share * len(values)
        assert 100 * sum(value < quantile for value in values) < share * len(values)


@given(st.lists(st.none() | st.floats(0, 1e6), min_size=1, max_size=20))
def test_an_unknown_cost_is_counted_and_never_becomes_a_number(costs: list[float | None]) -> None:
    found = told_of(*(one(cost=cost) for cost in costs))
    known = [cost for cost in costs if cost is not None]
    assert (found["samples"], found["cost"]["known"]) == (len(costs), len(known))
    assert (found["cost"]["p90"] in known) if known else (found["cost"]["p90"] is None)


def test_a_cost_in_another_currency_is_not_known() -> None:
    found = told_of(one(cost=1.0, currency="EUR"), one(cost=2.0, currency="USD"), one(cost=0.0))
    assert found["cost"] == {"p50": 0.0, "p90": 2.0, "known": 2}


def test_the_models_of_today_are_told_place_by_place() -> None:
    newest = one(models={"draft": ("x/new",)})
    routed = one(models={"check": ("x/small",)})
    old = one(models={"draft": ("x/old",), "check": ("x/small",)})
    found = told_of(newest, routed, old)
    assert (found["model"], found["samples"]) == ("x/new, x/small", 2)


def test_a_path_is_told_only_if_it_was_run_for_that_tenant() -> None:
    tries = (Tried(path=("a", "b"), ok=True, tenant="acme"), Tried(path=("a",), ok=False))
    paths = (("a", "b"), ("a",), ("b",))
    assert told([Past((), tries)], about(paths=paths), "USD")["paths"] == {
        "a → b": {"runs": 1, "succeeded": 1},
        "a": {"runs": 1, "succeeded": 0},
    }
    assert told([Past((), tries)], about(paths=paths, tenant="acme"), "USD")["paths"] == {
        "a → b": {"runs": 1, "succeeded": 1}
    }


def test_a_tool_has_an_unknown_cost_and_a_model_the_cost_of_its_tokens() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    run = ran(
        flow(SHIP, llm("dear", model="scripted/dear"), llm("free")),
        {"dear": [{"reply": "x", "usage": usage}], "free": [{"reply": "x", "usage": usage}]},
    )
    tool, dear, free = past(run).ran
    assert (tool.cost, tool.tokens, tool.models) == (None, 0, {})
    assert (dear.cost, dear.currency, dear.tokens) == (3.0, "EUR", 2)
    assert (free.cost, free.models) == (None, {"": ("scripted",)})


@orka.agent("notes")
async def notes(ctx: orka.Context) -> Json:
    """Notes and decides what the input says."""
    for data in ctx.input["notes"]:
        await ctx.note("path_tried", "m", data)
    for value in ctx.input["decided"]:
        await ctx.decided(value)
    return None


def noted(notes_: list[Json], decided: list[Json]) -> tuple[Tried, ...]:
    workflow = flow({"id": "n", "type": "notes"})
    return past(ran(workflow, input={"notes": notes_, "decided": decided}, use=(notes,))).tried


def test_a_note_or_a_decision_of_another_form_is_no_try() -> None:
    outcome = {"decision": "commit_next", "chosen": "x"}
    decided = [{"anything": 1}, [], {"outcome": outcome, "candidates": []}, {"outcome": None}]
    assert noted([None, {"path": ["a"]}, {"path": "a", "ok": True}], decided) == ()
    assert noted([{"path": ["a"], "ok": True, "tenant": None, "more": 1}], []) == (
        Tried(path=("a",), ok=True, tenant=None),
    )


@orka.agent("both")
async def both(ctx: orka.Context) -> Json:
    """Asks a person while it works, and goes on when both are done."""
    return await ctx.all(ctx.sleep(10), ctx.ask("yes?"))


def test_time_in_which_something_else_went_on_while_a_person_thought_counts() -> None:
    async def go() -> Run:
        async with orka.Runtime(store=":memory:", use=[both], clock=clock) as runtime:
            asked = await runtime.run(flow({"id": "b", "type": "both"}))
            assert asked.status == "waiting"
            return await runtime.answer(asked.id, "b", "yes")

    (found,) = past(run_virtual(go())).ran
    assert (found.seconds, found.cost) == (10.0, 0.0)
