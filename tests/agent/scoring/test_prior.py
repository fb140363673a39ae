"""Sets of priors: distaste wins, what is forbidden is out, runs correct what was declared."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import path

from orka.agent.scoring.prior import (
    Otherwise,
    PriorRule,
    PriorSet,
    posterior,
    priors,
    priors_problem,
)
from orka.agent.scoring.priorset import flaw_in
from orka.errors import ConfigError
from orka.score.criterion import Proposal, State
from orka.score.evaluator import SmartPathEvaluator
from orka.score.factor import Abstained, Known, Reading
from orka.score.setting import Setting, factors_of
from orka.value import Json


def rule(id: str, when: str, prior: float | None = None) -> PriorRule:
    return PriorRule(id=id, when=when, reason=f"because of {id}", prior=prior, forbid=prior is None)


CHECKED = rule("checked", "'check' in capabilities", 0.9)
BARE = rule("bare", "'answer' in capabilities", 0.2)
NO_PAY = rule("no_pay", "'pay' in capabilities and 'approve' not in before.pay")
SET = PriorSet(
    domain="d",
    rules=[CHECKED, BARE, NO_PAY],
    tenants={"acme": [rule("acme", "'check' in capabilities", 0.1), rule("hard", "length > 2")]},
)
REST = Otherwise(prior=0.5, reason="nobody says")


def said(
    proposal: Proposal,
    *sets: PriorSet,
    learn: bool = False,
    record: tuple[int, int] | None = None,
    **names: Json,
) -> tuple[Reading, str]:
    history = {proposal.name: record} if record else {}
    state = State(candidates=(proposal,), names=names, history=history)
    criterion, gate = priors(sets, learn=learn)
    return criterion.measure(proposal, state), gate(proposal, state)


def test_the_lowest_prior_of_the_rules_that_hold_counts() -> None:
    reading, out = said(path("check > answer"), SET)
    told = "d: bare (0.2): because of bare; checked (0.9): because of checked"
    assert reading == Known(0.2, told) and not out


def test_a_path_of_which_no_rule_speaks_has_what_is_declared_otherwise() -> None:
    assert said(path("x"), SET)[0] == Abstained("no rule speaks of it")
    rest = msgspec.structs.replace(SET, otherwise=REST)
    assert said(path("x"), rest)[0] == Known(0.5, "d: otherwise (0.5): nobody says")


def test_the_lowest_of_several_sets_counts() -> None:
    other = PriorSet(domain="e", rules=[rule("cautious", "length == 1", 0.1)], otherwise=REST)
    assert said(path("check"), SET, other)[0] == Known(
        0.1, "e: cautious (0.1): because of cautious"
    )
    assert said(path("x > x"), SET, other)[0] == Known(0.5, "e: otherwise (0.5): nobody says")
    assert said(path("x"))[0] == Abstained("no rule speaks of it")


def test_what_is_forbidden_is_out() -> None:
    assert said(path("pay > approve"), SET)[1] == "forbidden by no_pay: because of no_pay"
    assert not said(path("approve > pay"), SET)[1]


def test_rules_of_a_tenant_hold_for_that_tenant_only() -> None:
    assert said(path("check"), SET, tenant="acme")[0] == Known(
        0.1, "d: acme (0.1): because of acme; checked (0.9): because of checked"
    )
    assert said(path("check"), SET, tenant="other")[0] == Known(
        0.9, "d: checked (0.9): because of checked"
    )
    assert said(path("x > x > x"), SET, tenant="acme")[1].startswith("forbidden by hard")


def test_a_rule_without_an_answer_abstains_and_one_that_forbids_excludes() -> None:
    asks = PriorSet(domain="d", rules=[rule("r", "input.x > 1", 0.5), rule("f", "input.x > 1")])
    reading, out = said(path("a"), asks)
    assert isinstance(reading, Abstained)
    assert reading.cause.startswith("rule 'r' of priors 'd' has no answer: input is null")
    assert out.startswith("forbidden by f: nobody can tell if it holds: input is null")


def test_a_path_without_declared_steps_is_not_judged_and_not_let_through() -> None:
    reading, out = said(Proposal(path=("x",)), SET)
    assert isinstance(reading, Abstained) and out.startswith("forbidden by no_pay: nobody can tell")


def test_runs_correct_what_was_declared() -> None:
    reading, _ = said(path("answer"), SET, learn=True, record=(8, 10))
    told = (
        "d: 8 of 10 runs succeeded, 95 % credible interval [0.2886, 0.7114]; "
        "before that bare (0.2): because of bare"
    )
    assert reading == Known(0.5, told)
    assert said(path("answer"), SET, record=(8, 10))[0].value == 0.2  # type: ignore[union-attr]
    assert said(path("answer"), SET, learn=True)[0].value == 0.2  # type: ignore[union-attr]


def test_runs_alone_are_a_prior_too() -> None:
    alone = PriorSet(domain="d", learn=True)
    reading, _ = said(path("x"), alone, record=(3, 4))
    told = "d: 3 of 4 runs succeeded, 95 % credible interval [0.2836, 0.9473]"
    assert reading == Known(0.666667, told)
    assert said(path("x"), alone)[0] == Abstained("no rule speaks of it")
    assert said(path("x"), alone, record=(5, 4))[0] == Abstained("5 successes of 4 runs cannot be")


@given(st.floats(0, 1), st.floats(0.1, 100), st.integers(0, 200), st.integers(0, 200))
def test_the_corrected_prior_lies_between_what_was_declared_and_what_was_seen(
    declared: float, strength: float, successes: int, failures: int
) -> None:
    runs = successes + failures
    mean, told = posterior(declared, strength, successes, runs)
    seen = successes / runs if runs else declared
    assert min(declared, seen) - 1e-9 <= mean <= max(declared, seen) + 1e-9
    assert f"{successes} of {runs} runs" in told


def test_an_evaluator_takes_both() -> None:
    criterion, gate = priors([SET])
    setting = Setting(factors=factors_of({"prior": 1}))
    evaluator = SmartPathEvaluator(setting, [criterion], [gate])
    paths = (path("check"), path("pay > x"), path("answer > x > x"))
    outcome = evaluator.evaluate(State(candidates=paths)).outcome
    assert outcome.chosen == "s0" and outcome.ranking[-1].why.startswith("forbidden by no_pay")


WRONG: list[tuple[Json, tuple[str | int, ...], str]] = [
    ({"domain": " ", "learn": True}, ("domain",), "domain is empty"),
    ({"about": "x"}, (), "missing required field `domain`"),
    ({"domain": "d"}, (), "it says nothing"),
    ({"domain": "d", "learn": True, "strength": 0}, ("strength",), "strength is 0"),
    ({"domain": "d", "ruls": []}, ("ruls",), "'ruls' is not a key"),
    ({"domain": "d", "otherwise": {"prior": 2, "reason": "r"}}, ("otherwise", "prior"), "is 2"),
    ({"domain": "d", "rules": [{"id": "r"}]}, ("rules", 0), "missing required field `when`"),
    ([], (), "Expected `object`"),
]
RULE = {"id": "r", "when": "true", "reason": "x", "prior": 0.5}
BROKEN: list[tuple[Json, tuple[str | int, ...], str]] = [
    ({"prior": None}, (), "neither `prior` and `forbid`"),
    ({"forbid": True}, (), "both `prior` and `forbid`"),
    ({"prior": -0.1}, ("prior",), "is -0.1"),
    ({"prior": float("nan")}, ("prior",), "is nan"),
    ({"prior": "low"}, ("prior",), "Expected `float | null`"),
    ({"reason": ""}, ("reason",), "the reason of a rule is empty"),
    ({"id": ""}, ("id",), "the id of a rule is empty"),
    ({"when": "a b"}, ("when",), "cannot be read"),
    ({"when": "'x' in capabilites"}, ("when",), "'capabilites'"),
    ({"piror": 1}, ("piror",), "'piror' is not a key"),
]
WRONG += [
    ({"domain": "d", "rules": [RULE, {**RULE, "id": "s", **more}]}, ("rules", 1, *at), told)
    for more, at, told in BROKEN
]
WRONG += [
    ({"domain": "d", "rules": [RULE, RULE]}, ("rules", 1, "id"), "two rules have the id 'r'"),
    (
        {"domain": "d", "tenants": {"t": [{**RULE, "prior": 7}]}},
        ("tenants", "t", 0, "prior"),
        "is 7",
    ),
    ({"domain": "d", "tenants": {"t": [{"id": 1}]}}, ("tenants",), "Expected `str`"),
]


@pytest.mark.parametrize(("value", "at", "told"), WRONG)
def test_a_flaw_is_told_with_its_place(value: Json, at: tuple[str | int, ...], told: str) -> None:
    flaw = flaw_in(value)
    assert flaw is not None and flaw.path == at and told in flaw.what


def test_a_set_that_cannot_be_meant_is_refused_by_name() -> None:
    double = PriorSet(domain="d", rules=[BARE, BARE])
    assert priors_problem([SET]) == ""
    assert "priors 'd': two rules have the id 'bare'" in priors_problem([SET, double])
    with pytest.raises(ConfigError) as raised:
        priors([PriorSet(domain="d", rules=[rule("r", "capabilites == 1", 0.5)])])
    assert raised.value.code == "config.rule" and "priors 'd', rule 'r'" in raised.value.what
