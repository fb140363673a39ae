"""Checks of criteria, strategies and views: pure functions of what they are given."""

from __future__ import annotations

import math
from typing import Any

import msgspec

import orka
from orka.score.criterion import Criterion, Proposal, State, Step, criterion
from orka.score.evaluator import SmartPathEvaluator
from orka.score.factor import Abstained, Known, Reading
from orka.score.setting import Setting, factors_of
from orka.score.strategy import STRATEGIES
from orka.testing.clock import clock, run_virtual
from orka.testing.plugin_suite.check import checks, claim, safely, same, short
from orka.testing.plugin_suite.subject import Subject, Thing
from orka.testing.scripted import scripted
from orka.value import Json, canonical, plain
from orka.view.run import Run

PATHS = (("search",), ("search", "answer"), ("answer",))
STATE = State(
    candidates=[
        Proposal(path=path, steps=tuple(Step(id=id, type="llm", model="local/x") for id in path))
        for path in PATHS
    ],
    input="Where is my order?",
    outputs={"first": {"score": 0.5}},
)
ALONE = State(candidates=[Proposal(path=("one",))])
_CASES = [(candidate, STATE) for candidate in STATE.candidates] + [(ALONE.candidates[0], ALONE)]


# ---- criteria


def is_called_plainly(found: Subject, thing: Thing) -> None:
    claim(thing.name.replace("-", "_").isidentifier(), f"{thing.name!r} is no plain name")


def gives_a_value_in_range_or_abstains(found: Subject, criterion: Thing) -> None:
    for said in _measured(criterion):
        wrong = isinstance(said, Abstained) and "out of range" in said.cause
        claim(not wrong and not _is_odd(said), f"it gave {short(said)}")


def gives_a_number_or_a_cause(found: Subject, criterion: Thing) -> None:
    for said in _measured(criterion):
        wrong = isinstance(said, Abstained) and "is not a number" in said.cause
        claim(not wrong, f"it gave {short(said)}")


def abstains_rather_than_raise(found: Subject, criterion: Thing) -> None:
    for said in _measured(criterion):
        raised = isinstance(said, Abstained) and said.cause.startswith(f"{criterion.name} raised")
        claim(not raised, short(said))


def says_why_it_abstains(found: Subject, criterion: Thing) -> None:
    for said in _measured(criterion):
        silent = isinstance(said, Abstained) and said.cause == "no value was given"
        claim(not silent, "it gave None: give `Abstained` with a cause")


def measures_the_same_twice(found: Subject, criterion: Thing) -> None:
    same(_measured(criterion), _measured(criterion), "what it measured")


def does_not_care_about_the_order_of_candidates(found: Subject, criterion: Thing) -> None:
    turned = msgspec.structs.replace(STATE, candidates=list(reversed(STATE.candidates)))
    kind: Criterion = criterion.value
    for candidate in STATE.candidates:
        one, other = kind.measure(candidate, STATE), kind.measure(candidate, turned)
        same(other, one, f"{candidate.name!r} among the same in another order")


def leaves_what_it_is_given(found: Subject, criterion: Thing) -> None:
    before = msgspec.json.encode(STATE)
    _measured(criterion)
    same(msgspec.json.encode(STATE), before, "the state it was given")


CRITERIA = checks(
    "criterion",
    is_called_plainly,
    gives_a_value_in_range_or_abstains,
    gives_a_number_or_a_cause,
    abstains_rather_than_raise,
    says_why_it_abstains,
    measures_the_same_twice,
    does_not_care_about_the_order_of_candidates,
    leaves_what_it_is_given,
)


def _measured(criterion: Thing) -> list[Reading]:
    kind: Criterion = criterion.value
    return [safely(kind.measure, candidate, state) for candidate, state in _CASES]


def _is_odd(said: Reading) -> bool:
    return isinstance(said, Known) and not math.isfinite(said.value)


# ---- strategies


def chooses_among_what_is_ranked(found: Subject, strategy: Thing) -> None:
    for lengths in ((0.2, 0.9, 0.5), (0.5, 0.5, 0.5), (1.0, 0.0, 0.0)):
        _chosen(strategy, lengths)


def chooses_the_same_twice(found: Subject, strategy: Thing) -> None:
    values = (0.2, 0.9, 0.5)
    same(_chosen(strategy, values), _chosen(strategy, values), "what it chose")


def chooses_where_there_is_one_candidate(found: Subject, strategy: Thing) -> None:
    _chosen(strategy, (0.4,))


STRATEGY = checks(
    "strategy",
    is_called_plainly,
    chooses_among_what_is_ranked,
    chooses_the_same_twice,
    chooses_where_there_is_one_candidate,
)


def _chosen(strategy: Thing, values: tuple[float, ...]) -> Any:  # Any: a ledger's outcome
    """What it chooses among paths that are worth so much. Raises `AssertionError` for no choice."""
    worth = {path[-1] + str(len(path)): value for path, value in zip(PATHS, values, strict=False)}

    @criterion("worth")
    def measured(candidate: Proposal, state: State) -> object:
        return worth[candidate.path[-1] + str(len(candidate.path))]

    setting = Setting(factors=factors_of({"worth": 1.0}, known=["worth"]), strategy=strategy.name)
    known = {**STRATEGIES, strategy.name: strategy.value}
    evaluator = SmartPathEvaluator(setting, [measured], (), known)
    state = State(candidates=list(STATE.candidates[: len(values)]))
    return safely(evaluator.evaluate, state).outcome


# ---- views


def says_what_it_shows(found: Subject, view: Thing) -> None:
    claim(view.value.doc, "it has no docstring")


def shows_a_run_that_completed(found: Subject, view: Thing) -> None:
    _shown(view, _run("yes"))


def shows_a_run_that_failed(found: Subject, view: Thing) -> None:
    _shown(view, _run({"raise": {"status": 400}}))


def shows_a_run_that_waits(found: Subject, view: Thing) -> None:
    _shown(view, _run("yes", asks=True))


def shows_the_same_twice(found: Subject, view: Thing) -> None:
    run = _run("yes")
    same(_shown(view, run), _shown(view, run), "its page of one run")


def leaves_the_run_as_it_is(found: Subject, view: Thing) -> None:
    run = _run("yes")
    before = [list(run.lines), canonical(plain(run.outputs)[0])]
    _shown(view, run)
    same([list(run.lines), canonical(plain(run.outputs)[0])], before, "the run")


VIEWS = checks(
    "view",
    is_called_plainly,
    says_what_it_shows,
    shows_a_run_that_completed,
    shows_a_run_that_failed,
    shows_a_run_that_waits,
    shows_the_same_twice,
    leaves_the_run_as_it_is,
)

_ONE: Json = {"id": "one", "type": "llm", "prompt": "{{ input }}"}
_TWO: Json = {"id": "two", "type": "approval", "prompt": "go on?"}


def _run(reply: Any, *, asks: bool = False) -> Run:  # Any: a reply of a script
    agents = [_ONE, _TWO] if asks else [_ONE]
    flow = {"orchestrator": {"id": "seen", "model": "scripted"}, "agents": agents}

    async def go() -> Run:
        settings: dict[str, Any] = {"store": ":memory:", "clock": clock, "features": ()}
        model = scripted({"one": [reply]})
        async with orka.Runtime(models={"scripted": model}, **settings) as runtime:
            return await runtime.run(flow, "in", run_id="seen")

    return run_virtual(go())


def _shown(view: Thing, run: Run) -> bytes:
    page = safely(view.value.function, run)
    claim(page not in (None, ""), "its page is empty")
    return canonical(page)
