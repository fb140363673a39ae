"""What a case of `score_paths` gives, in the words of the product's own scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from cases.language import Fields, NotUnderstood, listed
from orka.agent.scoring.boolean import USUAL
from orka.agent.scoring.spend import Budget, budget_problem, gate, spend
from orka.errors import ConfigError
from orka.score.criterion import Estimate, Proposal, State
from orka.score.evaluator import SmartPathEvaluator
from orka.score.factor import FACTORS, PENALTIES
from orka.score.ledger import Ledger
from orka.score.setting import (
    DEFAULT_PROFILE,
    BooleanRules,
    Factor,
    Setting,
    factors_of,
    profile_weights,
)
from orka.value import Json

_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_POLICIES = {
    **dict.fromkeys(("worst_known", "pessimistic", "worst_case"), "worst"),
    **dict.fromkeys(("zero", "minimum", "lowest"), "floor"),
    **dict.fromkeys(("renormalize", "reweight", "redistribute"), "renormalise"),
    **dict.fromkeys(("leave_out", "drop", "skip", "reject"), "exclude"),
    **dict.fromkeys(("human", "human_gate"), "ask"),
    **dict.fromkeys(("fail", "error", "raise"), "stop"),
}
_BUDGET = {
    **dict.fromkeys(("cost", "cost_usd", "max_cost", "max_cost_usd"), "cost"),
    **dict.fromkeys(("cost_budget", "cost_budget_usd", "budget_cost"), "cost"),
    **dict.fromkeys(("latency_ms", "max_latency_ms", "latency_budget_ms"), "latency_ms"),
    **dict.fromkeys(("tokens", "max_tokens", "token_budget", "tokens_budget"), "tokens"),
    **dict.fromkeys(("cost_budget_tokens", "token_budget_max"), "tokens"),
}
_SEVERITIES = ("critical", "important", "nice_to_have")
_RULES = ("require_critical", "important_threshold", "strict")
_DECIDING = ("strategy", "commit_margin", "too_close", "safer", "k_beam")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate of a case; without a path it is one step of its own name."""

    id: str
    path: tuple[str, ...]
    components: dict[str, Json]
    estimates: dict[str, Json]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question: candidates, and how to decide. `options` are those of a setting that were
    given; `severity` makes it one of boolean mode."""

    candidates: tuple[Candidate, ...]
    weights: Json
    policies: dict[str, str]
    budget: dict[str, float | None]
    options: dict[str, Any]  # Any: an option may be anything
    severity: dict[str, str]
    rules: dict[str, Json]
    profile: str = ""

    @property
    def measured(self) -> dict[str, None]:
        """The factors that a component of a candidate speaks of."""
        return {name: None for each in self.candidates for name in each.components}

    @property
    def typed(self) -> bool:
        """Whether the numbers are numbers. Those of a file that are not never get to the scorer."""
        margin, most = self.options.get("commit_margin", 0.0), self.options.get("k_beam", 1)
        numbers = [margin, *(each for each in self.budget.values() if each is not None)]
        return type(most) is int and all(type(each) in (int, float) for each in numbers)

    @property
    def counted(self) -> Mapping[str, Json]:
        """The weights. Raises `ConfigError` for a profile that does not exist."""
        named = profile_weights(self.profile or DEFAULT_PROFILE)
        return named if self.weights is None else self.weights


def special(value: Json) -> Json:
    """Numbers that JSON cannot hold are texts in a case."""
    return _SPECIAL.get(value, value) if isinstance(value, str) else value


def asked(given: Fields) -> Asked:
    """What the case asks; takes those keys that it reads."""
    weights = given.take("weights")
    if isinstance(weights, Mapping):
        weights = {str(name): special(value) for name, value in weights.items()}
    boolean = _mode(given)
    candidates = tuple(
        _candidate(each, number, boolean=boolean)
        for number, each in enumerate(given.take("candidates") or [])
    )
    options = {name: special(given.take(name)) for name in _DECIDING if name in given}
    if isinstance(options.get("commit_margin"), Mapping):
        options["margin_unit"] = "noise"
        options["commit_margin"] = special(options["commit_margin"]["noise"])
    severity, rules = _boolean(given, candidates) if boolean else ({}, {})
    if given.take("tie_break", "declared") not in ("declared", "declared_order"):
        raise NotUnderstood("ties are broken by declared order")
    names = weights if isinstance(weights, Mapping) else FACTORS
    return Asked(
        candidates=candidates,
        weights=weights,
        policies=_policies(given, list(names)),
        budget=_budget(given),
        options=options,
        severity=severity,
        rules=rules,
        profile=str(given.take("profile", "")),
    )


def setting_of(question: Asked) -> Setting:
    """Raises `ConfigError` for what cannot be meant."""
    options = dict(question.options)
    if "safer" in options:
        options["safer"] = tuple(options["safer"])
    if question.severity:
        return Setting(factors=_yes_no(question), boolean=BooleanRules(**question.rules), **options)
    factors = factors_of(
        question.counted, policies=question.policies, known=(*FACTORS, *question.measured)
    )
    return Setting(factors=factors, **options)


def decided(question: Asked) -> Ledger:
    """The decision, by the stable door: readings and estimates in, a ledger out."""
    setting, budget = setting_of(question), Budget(**question.budget)  # type: ignore[arg-type]
    if problem := budget_problem(budget):  # as the scout refuses its options
        raise ConfigError(problem, code="config.option")
    criteria = [each for each in spend(budget) if each.name in setting.weights]
    evaluator = SmartPathEvaluator(setting, criteria, [gate(budget)])
    return evaluator.evaluate(
        State(
            candidates=[Proposal(path=each.path, id=each.id) for each in question.candidates],
            readings={each.id: each.components for each in question.candidates},
            estimates={each.id: _estimate(each.estimates) for each in question.candidates},
        )
    )


def _candidate(written: Json, number: int, *, boolean: bool) -> Candidate:
    with Fields(written, f"candidates[{number}]") as fields:
        path = fields.take("path")
        id = fields.take("id")
        if id is None and path is None:
            raise NotUnderstood(f"candidates[{number}] has neither an id nor a path")
        components: dict[str, Json] = {}
        for word in ("components", "factors", "criteria", "checks", "scores"):
            components |= dict(fields.take(word) or {})
        estimates = {key: special(each) for key, each in (fields.take("estimates") or {}).items()}
        for word in ("latency_ms", "cost", "tokens", *_OTHER_FIGURES):
            if word in fields:
                estimates[word] = special(fields.take(word))
        for word in ("description", "capabilities", "note"):
            fields.take(word)
    steps = tuple(map(str, listed(path if path is not None else id)))
    return Candidate(
        id=" → ".join(steps) if id is None else str(id),
        path=steps,
        components={str(name): _value(each, boolean=boolean) for name, each in components.items()},
        estimates=figures(estimates),
    )


_OTHER_FIGURES = ("latency_s", "latency_seconds", "cost_usd", "estimated_cost", "estimated_latency")


def figures(written: Mapping[str, Json]) -> dict[str, Json]:
    """Estimates as an agent declares them: `cost`, `latency_ms`, `tokens`."""
    found: dict[str, Json] = {}
    for name, value in written.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise NotUnderstood(f"an estimate cannot be {value!r}")
        if name in ("cost", "cost_usd", "estimated_cost"):
            found["cost"] = value
        elif name in ("latency_ms", "estimated_latency", "estimated_latency_ms"):
            found["latency_ms"] = value
        elif name in ("latency_s", "latency_seconds", "seconds"):
            found["latency_ms"] = None if value is None else value * 1000
        elif name == "tokens":
            found["tokens"] = value
        else:
            raise NotUnderstood(f"nobody estimates {name!r}")
    return found


def _estimate(found: Mapping[str, Json]) -> Estimate:
    milliseconds = found.get("latency_ms")
    return Estimate(
        cost=found.get("cost"),
        latency=None if milliseconds is None else milliseconds / 1000,
        tokens=found.get("tokens"),
    )


def _value(value: Json, *, boolean: bool) -> Json:
    return float(value) if boolean and isinstance(value, bool) else special(value)


def _policies(given: Fields, names: Sequence[str]) -> dict[str, str]:
    """One policy for all factors, or one for each."""
    found: Json = None
    for word in ("policies", "policy", "missing_policy", "missing", "on_missing", "if_missing"):
        if word in given:
            found = given.take(word)
    if found is None:
        return {}
    if isinstance(found, Mapping):
        return {str(name): _POLICIES.get(str(word), str(word)) for name, word in found.items()}
    word = _POLICIES.get(str(found), str(found))
    kept = PENALTIES if word == "renormalise" else ()
    return {name: word for name in names if name not in kept}


def _budget(given: Fields) -> dict[str, float | None]:
    found = {}
    for word in ("budget", "budgets"):
        for name, value in (given.take(word) or {}).items():
            if name not in _BUDGET:
                raise NotUnderstood(f"a budget has no {name!r}")
            found[_BUDGET[name]] = special(value)
    for name, field in _BUDGET.items():
        if name in given and name not in ("cost", "tokens"):
            found[field] = special(given.take(name))
    return found


def _mode(given: Fields) -> bool:
    found = "numeric"
    for word in ("mode", "scoring_mode", "boolean"):
        held = given.take(word, found)
        found = "boolean" if held is True else "numeric" if held is False else held
        if isinstance(held, Mapping):
            given.put(held)
            found = "boolean"
    if found not in ("numeric", "boolean"):
        raise NotUnderstood(f"a mode cannot be {found!r}")
    return found == "boolean"


def _boolean(
    given: Fields, candidates: Sequence[Candidate]
) -> tuple[dict[str, str], dict[str, Json]]:
    """How severe each criterion is (important, if nobody says so), and when a path passes."""
    usual: dict[str, str] = {check.name: check.severity for check in USUAL}
    found = {n: usual.get(n, "important") for each in candidates for n in each.components}
    for word in ("severity", "severities", "criteria", "checks"):
        for name, held in (given.take(word) or {}).items():
            found[name] = held["severity"] if isinstance(held, Mapping) else held
    for severity in _SEVERITIES:
        found |= dict.fromkeys(given.take(severity) or [], severity)
    return found, {
        name: given.take(f"{name}_mode" if f"{name}_mode" in given else name)
        for name in _RULES
        if name in given or f"{name}_mode" in given
    }


def _yes_no(question: Asked) -> tuple[Factor, ...]:
    weights = question.weights or dict.fromkeys(question.severity, 1 / len(question.severity))
    checked = factors_of(weights, penalties=(), known=list(question.severity))
    return tuple(
        msgspec.structs.replace(each, policy="floor", severity=question.severity[each.name])
        for each in checked
    )
