"""From the options of a scout to the setting of its decision."""

from __future__ import annotations

from collections.abc import Mapping

from orka.agent.deciding import Criteria
from orka.agent.scoring.boolean import USUAL, Check
from orka.errors import ConfigError
from orka.kit.agents.graph_scout.options import Boolean, GraphScoutOptions
from orka.score.factor import FACTORS, PENALTIES
from orka.score.presets import PRESETS, WEIGHTS
from orka.score.setting import (
    DEFAULT_PROFILE,
    BooleanRules,
    Factor,
    Setting,
    Severity,
    check_weights,
    factors_of,
    profile_weights,
    rounded,
)

SUITS = "capability_match.suits_the_task"
RUBRIC = "graphscout"
_DIMENSIONS: Mapping[str, Severity] = {"completeness": "important", "safety": "important"}


def setting_of(options: GraphScoutOptions, criteria: Criteria) -> Setting:
    """Raises `ConfigError` for weights, policies, a profile or criteria that cannot be meant."""
    margin, unit = options.margin
    numeric = options.scoring_mode == "numeric"
    for name, each in criteria.items():
        if each.penalty and not numeric:
            raise ConfigError(
                f"criterion {name!r} is a penalty, and boolean mode asks what is true of a path",
                fix="let it give 1 or 0, or leave `scoring_mode` out",
                code="score.criterion",
            )
    held = options.boolean
    return Setting(
        factors=_numeric(options, criteria) if numeric else _boolean(options),
        strategy=options.strategy,
        commit_margin=margin,
        margin_unit=unit,
        too_close=options.undecided,
        safer=options.safer,
        k_beam=options.k_beam,
        profile="" if options.weights is not None or not numeric else _profile(options),
        boolean=None
        if numeric
        else BooleanRules(
            require_critical=held.require_critical,
            important_threshold=held.important_threshold,
            strict=held.strict,
        ),
    )


def _profile(options: GraphScoutOptions) -> str:
    return options.profile or DEFAULT_PROFILE


def _numeric(options: GraphScoutOptions, criteria: Criteria) -> tuple[Factor, ...]:
    penalties = (*PENALTIES, *(name for name, each in criteria.items() if each.penalty))
    written = options.weights is not None
    weights = options.weights if written else profile_weights(_profile(options))
    return factors_of(
        weights,
        policies=options.policies,
        penalties=penalties,
        known=(*FACTORS, *options.criteria),
    )


def _boolean(options: GraphScoutOptions) -> tuple[Factor, ...]:
    """Each criterion counts the same, unless its author or a preset gives it a weight."""
    found: dict[str, tuple[float, Severity]] = {
        check.name: (check.weight, check.severity) for check in checks_of(options.boolean)
    }
    found |= dict.fromkeys(options.criteria, (1.0, "important"))
    if options.asks and options.boolean.rubric is None:
        found[SUITS] = (1.0, "important")
    found |= _rubric(options.boolean)
    if options.weights is not None:
        check_weights(options.weights, list(found))
        found = {n: (options.weights.get(n, w), s) for n, (w, s) in found.items()}
    check_weights({name: weight for name, (weight, _) in found.items()}, list(found))
    total = sum(weight for weight, _ in found.values())
    return tuple(
        Factor(name=name, weight=rounded(weight / total), policy="floor", severity=severity)
        for name, (weight, severity) in found.items()
    )


def checks_of(held: Boolean) -> list[Check]:
    """The checks of the options, or the usual ones."""
    return held.checks or list(USUAL)


def _rubric(held: Boolean) -> dict[str, tuple[float, Severity]]:
    """The criteria that the model answers one by one, with the weights of a preset."""
    if held.rubric is None:
        return {}
    at = PRESETS.index(held.rubric)
    return {
        name: (weights[at] * 10, _DIMENSIONS.get(name.partition(".")[0], "nice_to_have"))
        for name, weights in WEIGHTS[RUBRIC].items()
    }
