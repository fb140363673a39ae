"""Rules about paths, as their author writes them: a condition, a weight, a message."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from orka.agent.guard import Guard
from orka.agent.scoring.names import compiled, names_of
from orka.errors import ConfigError, GuardError
from orka.score.criterion import Criterion, Proposal, State
from orka.score.factor import Abstained, Known, Reading, exact
from orka.score.setting import MOST

NAME = "heuristics"


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """If `when` is true of a path, `weight` speaks for it (above 0) or against it (below 0);
    `message` says why."""

    when: str
    weight: float
    message: str


def heuristics(rules: Sequence[Rule], more: Collection[str] = ()) -> Criterion:
    """The factor `heuristics`: the sum of the weights of the rules that hold, on a scale from all
    that speak against (0) to all that speak for it (1). A rule that has no answer makes the factor
    abstain. `more` are names that the state lends beside `NAMES`.

    Raises `ConfigError` (`config.rule`) that names the rule."""
    return Criterion(NAME, _Rules([_checked(rule, at, more) for at, rule in enumerate(rules, 1)]))


def rules_problem(rules: Sequence[Rule], more: Collection[str] = ()) -> str:
    """What is wrong with rules, if anything."""
    try:
        heuristics(rules, more)
    except ConfigError as error:
        return f"{error.what}; {error.fix}" if error.fix else error.what
    return ""


class _Rules:
    """Compiled rules. Weights are whole numbers of 1e-6, so that sums are exact."""

    def __init__(self, rules: Sequence[tuple[Rule, Guard]]) -> None:
        self._rules = rules
        weights = [exact(rule.weight) for rule, _ in rules]
        self._lowest = sum(weight for weight in weights if weight < 0)
        self._span = sum(map(abs, weights))

    def __call__(self, proposal: Proposal, state: State) -> Reading:
        if not self._rules:
            return Abstained("there are no rules")
        names, held = names_of(proposal, state), list[Rule]()
        for at, (rule, guard) in enumerate(self._rules, 1):
            try:
                if guard(names):
                    held.append(rule)
            except GuardError as error:
                return Abstained(f"{_named(rule, at)} has no answer: {error.what}")
        value = (sum(exact(rule.weight) for rule in held) - self._lowest) / self._span
        told = "; ".join(f"{rule.weight:+g} {rule.message}" for rule in held)
        return Known(value, told or "no rule holds")


def _checked(rule: Rule, at: int, more: Collection[str]) -> tuple[Rule, Guard]:
    named = _named(rule, at)
    if not abs(rule.weight) <= MOST or exact(rule.weight) == 0:
        raise ConfigError(
            f"{named}: its weight is {rule.weight}",
            fix="write a number above 0 if it speaks for a path, below 0 if against it (at most "
            f"{MOST:g})",
            code="config.rule",
        )
    if not rule.message.strip():
        raise ConfigError(f"{named}: its message is empty", fix="say why", code="config.rule")
    return rule, compiled(rule.when, named, more)


def _named(rule: Rule, at: int) -> str:
    return f"rule {at} of `heuristics` ({rule.when})"
