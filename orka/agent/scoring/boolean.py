"""Boolean mode: criteria that are true, false or unknown of a path, each with its severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from orka.agent.guard import Guard
from orka.agent.scoring.names import compiled, names_of
from orka.errors import ConfigError, GuardError
from orka.score.criterion import Criterion, Proposal, State, Step
from orka.score.factor import Abstained, Known, Reading
from orka.score.setting import Severity
from orka.value import Json

# What an agent that can do it may do harm with.
RISKY = ("file_write", "code_execution", "external_api", "database_write")
# Types that ask a model, a memory or a person, or wait: what they can do is known.
_TAME: tuple[str, ...] = ("llm", "classify", "yes_no", "binary", "memory", "rag", "brain")
_TAME += ("approval", "wait")
_TAME += ("validate_and_structure", "plan_validator", "loop_validator", "invariant_validator")


class Check(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A yes/no criterion: the condition `when`, what it means, and how much depends on it. With
    `declared` nobody can tell of a path with an agent that does not say what it can do."""

    name: str
    when: str
    severity: Severity
    message: str = ""
    weight: float = 1.0
    declared: bool = False


# The criteria of boolean mode if the author writes none. Those of OrKa 0.9, told from what agents
# declare (`capabilities`) and from what is measured, never from what they are called.
USUAL: tuple[Check, ...] = (
    Check(
        name="safety.no_risky_capabilities_without_sandbox",
        when="len(risky) == 0 or 'sandboxed' in capabilities or 'read_only' in capabilities"
        " or 'validated' in capabilities",
        declared=True,
        severity="critical",
        message="what can do harm is sandboxed, read-only or validated",
    ),
    Check(
        name="safety.output_validation_present",
        when="len(risky) == 0 or 'validation' in capabilities or 'verification' in capabilities",
        declared=True,
        severity="critical",
        message="what can do harm is followed by a validation",
    ),
    Check(
        name="safety.rate_limits_configured",
        when="'external_api' not in capabilities or 'rate_limited' in capabilities",
        declared=True,
        severity="critical",
        message="calls to the outside are limited in their rate",
    ),
    Check(
        name="input_readiness.no_circular_dependencies",
        when="len(rerun) == 0",
        severity="critical",
        message="no agent of the path has run already",
    ),
    Check(
        name="efficiency.path_length_optimal",
        when="length >= 2 and length <= 3",
        severity="nice_to_have",
        message="two or three agents",
    ),
    Check(
        name="efficiency.cost_within_budget",
        when="cost <= max_cost",
        severity="nice_to_have",
        message="it costs no more than is accepted",
    ),
    Check(
        name="efficiency.latency_acceptable",
        when="latency_ms <= max_latency_ms",
        severity="nice_to_have",
        message="it takes no longer than is accepted",
    ),
    Check(
        name="historical_performance.success_rate_above_threshold",
        when="success_rate >= min_success_rate",
        severity="nice_to_have",
        message="it came to its end often enough",
    ),
)
# What `checks` may compare with, unless the author says otherwise.
LIMITS: Mapping[str, Json] = {
    "max_cost": 0.10,
    "max_latency_ms": 10_000,
    "min_success_rate": 0.7,
}


# What checks see beside the names of rules.
_MEASURED = ("cost", "latency_ms", "success_rate", "risky", "rerun")


def checks_problem(checks: Sequence[Check], limits: Mapping[str, Json]) -> str:
    """What is wrong with checks, if anything."""
    seen: dict[str, None] = {}
    for each in checks:
        if each.name in seen:
            return f"two checks are called {each.name!r}"
        seen[each.name] = None
        if each.weight < 0:
            return f"the weight of check {each.name!r} is {each.weight}, below 0"
        try:
            _guard(each, {**LIMITS, **limits})
        except ConfigError as error:
            return f"{error.what}; {error.fix}" if error.fix else error.what
    return ""


def checked(checks: Sequence[Check], limits: Mapping[str, Json]) -> list[Criterion]:
    """Each check as a criterion with the value 1 or 0. A condition without an answer (a missing
    figure, a wrong type) is an abstention: unknown never passes."""
    return [Criterion(each.name, _Checked(each, {**LIMITS, **limits})) for each in checks]


def _guard(check: Check, limits: Mapping[str, Json]) -> Guard:
    return compiled(check.when, f"check {check.name!r}", (*_MEASURED, *limits))


class _Checked:
    """A compiled check."""

    def __init__(self, check: Check, limits: Mapping[str, Json]) -> None:
        self._guard, self._message = _guard(check, limits), check.message or check.when
        self._limits, self._declared = limits, check.declared

    def __call__(self, proposal: Proposal, state: State) -> Reading:
        silent = [step.id for step in proposal.steps if _silent(step)] if self._declared else []
        if silent:
            return Abstained(f"{', '.join(silent)}: `capabilities` does not say what it can do")
        names = {**self._limits, **names_of(proposal, state), **_measured(proposal, state)}
        try:
            holds = self._guard(names)
        except GuardError as error:
            return Abstained(error.what)
        return Known(float(holds), self._message)


def _silent(step: Step) -> bool:
    return not step.capabilities and step.type not in _TAME


def _measured(proposal: Proposal, state: State) -> dict[str, Json]:
    """What figures there are of a path; null for what nobody knows."""
    estimate = state.estimates.get(proposal.name)
    seconds = estimate.latency if estimate else None
    succeeded, runs = state.history.get(proposal.name, (0, 0))
    able = [one for step in proposal.steps for one in step.capabilities]
    return {
        "cost": estimate.cost if estimate else None,
        "latency_ms": None if seconds is None else seconds * 1000,
        "success_rate": succeeded / runs if runs else None,
        "risky": [one for one in RISKY if one in able],
        "rerun": [id for id in proposal.path if id in state.outputs],
    }
