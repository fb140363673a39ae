"""Rules with weights: one factor of them."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import path

from orka.agent.scoring.heuristics import Rule, heuristics, rules_problem
from orka.errors import ConfigError
from orka.score.criterion import Proposal, State
from orka.score.factor import Abstained, Known, Reading

CHECKED = Rule(when="'verification' in capabilities", weight=0.6, message="it is checked")
TWICE = Rule(when="len(repeated) > 0", weight=-0.4, message="the same tool twice")
RULES = (CHECKED, TWICE)


def measured(proposal: Proposal, *rules: Rule) -> Reading:
    return heuristics(rules).measure(proposal, State(candidates=(proposal,)))


@pytest.mark.parametrize(
    ("written", "tools", "value", "reason"),
    [
        ("verification", "", 1.0, "+0.6 it is checked"),
        ("a", "", 0.4, "no rule holds"),
        ("verification > a", "t t", 0.6, "+0.6 it is checked; -0.4 the same tool twice"),
        ("a > a", "t t", 0.0, "-0.4 the same tool twice"),
    ],
)
def test_rules_that_hold_are_added_up(written: str, tools: str, value: float, reason: str) -> None:
    assert measured(path(written, tools=tools), *RULES) == Known(value, reason)


@given(st.lists(st.tuples(st.floats(-50, 50).filter(lambda w: abs(w) > 1e-5), st.booleans())))
def test_the_value_is_always_in_range(rules: list[tuple[float, bool]]) -> None:
    written = [
        Rule(when="true" if holds else "false", weight=weight, message="m")
        for weight, holds in rules
    ]
    found = measured(path("a"), *written)
    if rules:
        assert isinstance(found, Known) and 0 <= found.value <= 1
    else:
        assert found == Abstained("there are no rules")


def test_a_rule_without_an_answer_makes_the_factor_abstain() -> None:
    found = measured(path("a"), CHECKED, Rule(when="input.x > 1", weight=1, message="m"))
    assert isinstance(found, Abstained)
    assert found.cause.startswith("rule 2 of `heuristics` (input.x > 1) has no answer: input is")


def test_a_path_of_which_nothing_is_declared_is_not_judged() -> None:
    assert isinstance(measured(Proposal(path=("x",)), CHECKED), Abstained)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Rule(when="true", weight=0, message="m"), "weight is 0"),
        (Rule(when="true", weight=float("nan"), message="m"), "weight is nan"),
        (Rule(when="true", weight=1e-9, message="m"), "weight is 1e-09"),
        (Rule(when="true", weight=1, message=" "), "message is empty"),
        (Rule(when="tru ==", weight=1, message="m"), "cannot be read"),
        (Rule(when="'x' in capabilites", weight=1, message="m"), "did you mean 'capabilities'?"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_named(rule: Rule, told: str) -> None:
    with pytest.raises(ConfigError, match=r"rule 2 of `heuristics`"):
        heuristics([CHECKED, rule])
    problem = rules_problem([CHECKED, rule])
    assert "rule 2" in problem and told in problem
    assert not rules_problem(RULES)


def test_rules_are_read_from_yaml_strictly() -> None:
    for wrong in ({"weight": True}, {"weight": "1"}, {"wieght": 1}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"when": "true", "message": "m", "weight": 1, **wrong}, Rule)
