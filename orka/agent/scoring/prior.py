"""What is thought of a path before anybody looks: declared by domain and tenant, corrected by runs.

A set of priors has rules. The lowest prior of the rules that hold is the value: distaste wins. A
rule that forbids excludes the path whatever its score.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from orka.agent.guard import Guard
from orka.agent.scoring.names import compiled, names_of
from orka.agent.scoring.priorset import Flaw, Otherwise, PriorRule, PriorSet, flaw_of
from orka.errors import ConfigError, GuardError
from orka.score.beta import interval
from orka.score.criterion import Criterion, Proposal, State
from orka.score.evaluator import Gate
from orka.score.factor import Abstained, Known, Reading
from orka.value import Json

__all__ = ["Otherwise", "PriorRule", "PriorSet", "posterior", "priors", "priors_problem"]

NAME = "prior"


def priors(
    sets: Sequence[PriorSet], *, learn: bool = False, more: Collection[str] = ()
) -> tuple[Criterion, Gate]:
    """The factor `prior`, the lowest of what the sets say, and the gate of the rules that forbid.
    With `learn` every set learns from history. `more` are names that the state lends beside
    `NAMES`.

    A rule that has no answer makes the factor abstain; one that forbids excludes the path then.
    Raises `ConfigError` (`config.prior`, `config.rule`) that names set and rule."""
    ready = [_Set(each, more, learn=learn or each.learn) for each in sets]

    def prior(proposal: Proposal, state: State) -> Reading:
        names = names_of(proposal, state)
        said = [each.says(names, state.history.get(proposal.name, (0, 0))) for each in ready]
        if (unclear := next((one for one in said if isinstance(one, Abstained)), None)) is not None:
            return unclear
        spoken = [one for one in said if isinstance(one, Known)]
        if not spoken:
            return Abstained("no rule speaks of it")
        return min(spoken, key=lambda one: one.value)

    def gate(proposal: Proposal, state: State) -> str:
        names = names_of(proposal, state)
        return next((told for each in ready if (told := each.forbids(names))), "")

    return Criterion(NAME, prior), gate


def priors_problem(sets: Sequence[PriorSet], more: Collection[str] = ()) -> str:
    """What is wrong with sets of priors, if anything."""
    try:
        priors(sets, more=more)
    except ConfigError as error:
        return f"{error.what}; {error.fix}" if error.fix else error.what
    return ""


def posterior(
    declared: float | None, strength: float, successes: int, runs: int
) -> tuple[float, str]:
    """The mean of a success rate after `runs` runs, and words with its 95 % credible interval.

    Beta-binomial (Gelman et al., Bayesian Data Analysis, 2.4): a prior that is `declared` counts
    like `strength` runs; without one all rates are alike, Beta(1, 1)."""
    a, b = (1.0, 1.0) if declared is None else (declared * strength, (1 - declared) * strength)
    a, b = a + successes, b + (runs - successes)
    low, high = interval(a, b)
    told = f"{successes} of {runs} runs succeeded, 95 % credible interval [{low:.4f}, {high:.4f}]"
    return a / (a + b), told


class _Set:
    """A set whose conditions are compiled."""

    def __init__(self, held: PriorSet, more: Collection[str], *, learn: bool) -> None:
        if (flaw := flaw_of(held)) is not None:
            raise _flawed(held, flaw)
        self._set, self._learn = held, learn
        named = f"priors {held.domain!r}, rule"
        self._rules = _ready(held.rules, named, more)
        self._tenants = {
            tenant: _ready(rules, f"{named} of tenant {tenant!r}", more)
            for tenant, rules in held.tenants.items()
        }

    def says(self, names: Mapping[str, Json], record: tuple[int, int]) -> Reading | None:
        """What the set thinks of a path; None if nothing."""
        held: list[PriorRule] = []
        for rule, guard in self._of(names):
            try:
                if not rule.forbid and guard(names):
                    held.append(rule)
            except GuardError as error:
                told = f"rule {rule.id!r} of priors {self._set.domain!r} has no answer"
                return Abstained(f"{told}: {error.what}")
        value, told = self._declared(held)
        successes, runs = record
        if not self._learn or not runs:
            return None if value is None else Known(value, self._reason(told))
        if not 0 <= successes <= runs:
            return Abstained(f"{successes} successes of {runs} runs cannot be")
        mean, learned = posterior(value, self._set.strength, successes, runs)
        return Known(mean, self._reason(f"{learned}; before that {told}" if told else learned))

    def forbids(self, names: Mapping[str, Json]) -> str:
        """Why the path is out, or nothing."""
        for rule, guard in self._of(names):
            try:
                if rule.forbid and guard(names):
                    return f"forbidden by {rule.id}: {rule.reason}"
            except GuardError as error:
                return f"forbidden by {rule.id}: nobody can tell if it holds: {error.what}"
        return ""

    def _of(self, names: Mapping[str, Json]) -> list[tuple[PriorRule, Guard]]:
        """The rules for a tenant."""
        tenant = names.get("tenant")
        own = self._tenants.get(tenant, []) if isinstance(tenant, str) else []
        return [*self._rules, *own]

    def _declared(self, held: Sequence[PriorRule]) -> tuple[float | None, str]:
        ordered = sorted(held, key=_prior)
        if ordered:
            told = (f"{rule.id} ({_prior(rule):g}): {rule.reason}" for rule in ordered)
            return _prior(ordered[0]), "; ".join(told)
        if (otherwise := self._set.otherwise) is None:
            return None, ""
        return otherwise.prior, f"otherwise ({otherwise.prior:g}): {otherwise.reason}"

    def _reason(self, told: str) -> str:
        return f"{self._set.domain}: {told}"


def _ready(
    rules: Sequence[PriorRule], named: str, more: Collection[str]
) -> list[tuple[PriorRule, Guard]]:
    return [(rule, compiled(rule.when, f"{named} {rule.id!r}", more)) for rule in rules]


def _prior(rule: PriorRule) -> float:
    return 0.0 if rule.prior is None else rule.prior


def _flawed(held: PriorSet, flaw: Flaw) -> ConfigError:
    what = f"priors {held.domain!r}: {flaw.what}"
    return ConfigError(what, fix=flaw.fix, code="config.prior")
