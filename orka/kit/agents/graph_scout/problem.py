"""What is wrong with the options of a scout: what cannot be meant, or would have no effect."""

from __future__ import annotations

from collections.abc import Iterator

from orka.agent.deciding import MOST_RUNS
from orka.agent.scoring.boolean import checks_problem
from orka.agent.scoring.heuristics import rules_problem
from orka.agent.scoring.prior import PriorSet, priors_problem
from orka.agent.scoring.spend import budget_problem, declared_problem
from orka.agent.sensor import Route, model_problem
from orka.errors import ConfigError, nearest
from orka.kit.agents.graph_scout.options import Boolean, GraphScoutOptions
from orka.kit.agents.graph_scout.setting import setting_of
from orka.score.factor import FACTORS
from orka.score.setting import DEFAULT_PROFILE, MOST, Setting

_LLM = "llm"
# Policies that do more than say what counts.
_ACTING = ("exclude", "ask", "stop")
_USUALLY_SAFER = GraphScoutOptions().safer


def problem(options: GraphScoutOptions) -> str:
    """What is wrong with the options, if anything."""
    return next(filter(None, _problems(options)), "")


def _problems(options: GraphScoutOptions) -> Iterator[str]:
    yield from _bounds(options)
    yield from _paths(options)
    yield from _mode(options)
    yield _measured(options)
    yield rules_problem(options.heuristics)
    yield priors_problem(options.priors)
    yield budget_problem(options.budget)
    yield declared_problem(options.estimates)
    yield checks_problem(options.boolean.checks, options.boolean.limits)
    yield model_problem(options)
    try:
        setting = setting_of(options, {})
    except ConfigError as error:
        yield f"{error.what}; {error.fix}" if error.fix else error.what
    else:
        yield from _undecided(options, setting)


def _bounds(options: GraphScoutOptions) -> Iterator[str]:
    for name, least in (("max_depth", 1), ("max_candidates", 1), ("k_beam", 1), ("history", 0)):
        if getattr(options, name) < least:
            yield f"`{name}` is {getattr(options, name)}; it must be {least} or more"
    if options.history > MOST_RUNS:
        yield f"`history` is {options.history}; at most {MOST_RUNS} runs are looked at"
    if options.judge.repeat < 1:
        yield f"`judge.repeat` is {options.judge.repeat}; it must be 1 or more"
    if not options.judge.question.strip():
        yield "`judge.question` is empty"
    margin, _ = options.margin
    if not 0 <= margin <= MOST:
        yield f"`commit_margin` is {margin}; it must be 0 or more, and at most {MOST:g}"
    share = options.boolean.important_threshold
    if not 0 <= share <= 1:
        yield f"`boolean.important_threshold` is {share}; it must be from 0 to 1"


def _paths(options: GraphScoutOptions) -> Iterator[str]:
    if () in options.paths:
        yield "`paths` has an empty path; name at least one agent in each"
    if options.paths and options.edges is not None:
        yield "`paths` are the only ones, so `edges` would have no effect; give one of the two"
    if options.undecided == "agent:":
        yield "`too_close.agent` is empty; name the agent that decides"
    if options.fallback and options.fallback == options.decider:
        yield f"{options.decider!r} is the `fallback` and decides in `too_close`; name two agents"


def _mode(options: GraphScoutOptions) -> Iterator[str]:
    """What the other way of scoring would have used."""
    if options.scoring_mode == "boolean":
        for name in ("profile", "policies", "heuristics"):
            if getattr(options, name):
                yield (
                    f"`{name}` has no effect with `scoring_mode: boolean`; remove it, or write "
                    "`boolean.checks`"
                )
        if options.boolean.rubric and not options.asks:
            yield "`boolean.rubric` is answered by a model, and no `model` is asked; name one"
    elif options.boolean != Boolean():
        yield "`boolean` has no effect without `scoring_mode: boolean`; add it, or remove `boolean`"
    if options.learn and not options.history:
        yield "`learn` has no effect without `history`; say from how many runs, as `history: 50`"
    if isinstance(options.on_violation, Route):
        yield "a judgement is no output that leads anywhere; see `judge.on_failure`"


def _measured(options: GraphScoutOptions) -> str:
    """What measures a factor that has no weight would count for nothing."""
    if options.weights is not None and options.profile:
        return "give `weights` or a `profile`, not both"
    for name in options.criteria:
        if name in FACTORS:
            return f"`criteria` names {name!r}, which is built in; rename the plugin's criterion"
    if options.scoring_mode == "boolean":
        return ""
    if options.weights is None:
        told = f"the weights of profile {options.profile or DEFAULT_PROFILE!r} have none for it"
        named = next(iter(options.criteria), "")
        return f"{named!r} is measured, and {told}; write `weights`" if named else ""
    return _weighted(options) if isinstance(options.weights, dict) else ""


def _weighted(options: GraphScoutOptions) -> str:
    if options.weights.get(_LLM) and not options.model and options.judge.mode != "none":
        return (
            "`weights` has 'llm', and no `model` is named; name one, or write `judge: {mode: none}`"
        )
    named = {"heuristics": bool(options.heuristics), "prior": any(map(_speaks, options.priors))}
    named |= dict.fromkeys(options.criteria, True)
    for name, used in named.items():
        if used and name not in options.weights:
            return f"{name!r} is measured and has no weight in `weights`; give it one"
    return ""


def _speaks(held: PriorSet) -> bool:
    """Whether a set measures anything; one that only forbids needs no weight."""
    rules = [*held.rules, *(rule for own in held.tenants.values() for rule in own)]
    return held.learn or held.otherwise is not None or any(not rule.forbid for rule in rules)


def _undecided(options: GraphScoutOptions, setting: Setting) -> Iterator[str]:
    """What a decision would hang on, and nobody measures."""
    for factor in setting.factors:
        if factor.policy in _ACTING and factor.name in options.policies and not factor.weight:
            yield f"the policy of {factor.name!r} has no effect: its weight is 0"
    if options.safer != _USUALLY_SAFER:
        for name in options.safer:
            if name not in setting.weights:
                near = nearest(name, setting.weights)
                yield f"`safer` names {name!r}, which has no weight; {near}"
    if options.undecided == "safer" and not any(n in setting.weights for n in options.safer):
        names = ", ".join(options.safer) or "nothing"
        yield f"`too_close: safer` goes by {names}, which has no weight; name others in `safer`"
    if setting.margin_unit == "noise":
        if not setting.weights.get(_LLM) or not options.asks:
            yield "`commit_margin` in noise needs a model that judges, and a weight for 'llm'"
        if options.judge.repeat < 2:
            yield "`commit_margin` in noise needs `judge.repeat` 2 or more: one asking has no noise"
