"""How a decision is made: factors and their weights, what counts for not knowing, the margin."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

import msgspec

from orka.errors import ConfigError, nearest
from orka.score.factor import FACTORS, PENALTIES, PLACES

Policy = Literal["worst", "floor", "renormalise", "exclude", "ask", "stop"]
POLICIES: tuple[Policy, ...] = ("worst", "floor", "renormalise", "exclude", "ask", "stop")
Severity = Literal["critical", "important", "nice_to_have"]
# The largest weight: only the proportions of weights count.
MOST = 1e12

# Weights by profile. `conservative` is the default: what is known beforehand counts as much as the
# model's opinion, so that one sensor alone never decides.
PROFILES: Mapping[str, Mapping[str, float]] = {
    "conservative": {"llm": 0.3, "heuristics": 0.25, "prior": 0.25, "cost": 0.1, "latency": 0.1},
    "balanced": {"llm": 0.45, "heuristics": 0.2, "prior": 0.2, "cost": 0.1, "latency": 0.05},
    "quality": {"llm": 0.6, "heuristics": 0.2, "prior": 0.2, "cost": 0.0, "latency": 0.0},
    "cheap": {"llm": 0.3, "heuristics": 0.15, "prior": 0.15, "cost": 0.35, "latency": 0.05},
    "fast": {"llm": 0.3, "heuristics": 0.15, "prior": 0.15, "cost": 0.05, "latency": 0.35},
}
DEFAULT_PROFILE = "conservative"


class Factor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What counts, how much (`weight` ≥ 0), for or against, and what counts for not knowing it.
    `severity`: it is a yes/no criterion of boolean mode."""

    name: str
    weight: float
    penalty: bool = False
    policy: Policy = "worst"
    severity: Severity | None = None


class BooleanRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a candidate passes its criteria: every critical one is true (`require_critical`), at
    least `important_threshold` of the important ones, with `strict` the nice ones too."""

    require_critical: bool = True
    important_threshold: float = 0.8
    strict: bool = False


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """All a decision depends on beside its candidates. `commit_margin` is in units of the score, or
    of the judge's noise (standard deviations of a difference between two candidates).
    `too_close`: shortlist, ask, safer, or the agent to ask as `agent:ID`; `safer` are the factors
    by which one of several is safer. The shortlist holds at most `k_beam`."""

    factors: tuple[Factor, ...]
    strategy: str = "margin"
    commit_margin: float = 0.05
    margin_unit: Literal["score", "noise"] = "score"
    too_close: str = "shortlist"
    safer: tuple[str, ...] = ("prior", "cost", "latency")
    k_beam: int = 3
    profile: str = ""
    boolean: BooleanRules | None = None

    @property
    def weights(self) -> dict[str, float]:
        """By name, in the order in which they are summed."""
        return {factor.name: factor.weight for factor in self.factors}

    def weighing(self, weights: Mapping[str, float], profile: str = "") -> Setting:
        """The same with other weights; a factor that is not named keeps none. Raises `ConfigError`
        for a name that was not measured."""
        known = [factor.name for factor in self.factors]
        check_weights(weights, known)
        factors = tuple(
            msgspec.structs.replace(factor, weight=rounded(weights.get(factor.name, 0.0)))
            for factor in self.factors
        )
        return msgspec.structs.replace(self, factors=factors, profile=profile)


def factors_of(
    weights: Mapping[str, object],
    *,
    policies: Mapping[str, str] | None = None,
    penalties: Collection[str] = PENALTIES,
    known: Collection[str] = FACTORS,
) -> tuple[Factor, ...]:
    """The factors that weights speak of: those of OrKa in their order, then others as written.

    Raises `ConfigError` for weights that cannot be meant, for a factor nobody measures (`known`),
    and for a policy that does not exist or would reward not knowing."""
    check_weights(weights, known)
    given = policies or {}
    for name, policy in given.items():
        if name not in weights:
            raise _unknown_policy(name, weights)
        check_policy(name, policy, penalty=name in penalties)
    names = [*(n for n in FACTORS if n in weights), *(n for n in weights if n not in FACTORS)]
    return msgspec.convert(
        [
            {
                "name": name,
                "weight": rounded(weights[name]),
                "penalty": name in penalties,
                "policy": given.get(name, "worst"),
            }
            for name in names
        ],
        tuple[Factor, ...],
    )


def check_weights(weights: object, known: Collection[str]) -> None:
    """Raises `ConfigError` (`score.weights`) that names the weight and what is wrong with it."""
    if not isinstance(weights, Mapping):
        raise _weights(f"weights are {weights!r}, which is no map of factors", known)
    if not weights:
        raise _weights("weights are empty: nothing would count", known)
    for name, weight in weights.items():
        if name not in known:
            raise _weights(f"weights name the unknown factor {name!r}", known, name)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            told = f"the weight of {name!r} in `weights` is {weight!r}, no number"
            raise _weights(told, known, fix="write a number, 0 or more")
        if not weight <= MOST:  # neither is a number that is none
            told = f"the weight of {name!r} in `weights` is {weight!r}"
            raise _weights(told, known, fix=f"give a finite number, at most {MOST:g}")
        if weight > 0 and rounded(weight) == 0:
            told = f"the weight of {name!r} in `weights` is {weight!r}, 0 at six decimal places"
            raise _weights(told, known, fix="only proportions count: write all of them larger")
        if weight < 0:
            told = f"the weight of {name!r} in `weights` is {weight!r}, below 0"
            raise _weights(told, known, fix="a penalty has values below 0 already: write 0 or more")
    if all(rounded(weight) == 0 for weight in weights.values()):
        raise _weights(f"all weights are 0 ({', '.join(weights)}): nothing would count", known)


def check_policy(name: str, policy: str, *, penalty: bool) -> None:
    """Raises `ConfigError` (`score.policy`)."""
    if policy not in POLICIES:
        raise ConfigError(
            f"the policy of {name!r} is {policy!r}",
            fix=nearest(policy, POLICIES),
            code="score.policy",
        )
    if policy == "renormalise" and penalty:
        raise ConfigError(
            f"{name!r} is a penalty and cannot be renormalised: not knowing it would be a reward",
            fix="use worst, floor, exclude, ask or stop",
            code="score.policy",
        )


def rounded(weight: object) -> float:
    """A weight, which was checked, at six decimal places."""
    return round(float(weight), PLACES)  # type: ignore[arg-type]  # checked by check_weights


def profile_weights(name: str) -> Mapping[str, float]:
    """Raises `ConfigError` (`score.profile`)."""
    if name not in PROFILES:
        fix = nearest(name, PROFILES)
        raise ConfigError(
            f"no profile of weights is called {name!r}", fix=fix, code="score.profile"
        )
    return PROFILES[name]


def _weights(what: str, known: Collection[str], near: str = "", fix: str = "") -> ConfigError:
    fix = fix or (nearest(near, known) if near else f"give at least one of: {', '.join(known)}")
    return ConfigError(what, fix=fix, code="score.weights")


def _unknown_policy(name: str, weights: Mapping[str, object]) -> ConfigError:
    return ConfigError(
        f"there is a policy for {name!r}, which has no weight",
        fix=nearest(name, weights),
        code="score.policy",
    )
