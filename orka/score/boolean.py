"""Boolean scoring: criteria that are true, false or unknown, weighed. Unknown counts for nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from orka.errors import ConfigError, nearest
from orka.score.number import PLACES
from orka.score.presets import CONTEXTS, PRESETS, THRESHOLDS, WEIGHTS
from orka.score.reading import object_in
from orka.value import Json

Answers = Mapping[str, bool | None]

# Share of the criteria an answer must speak of to be an answer about them.
COVERAGE = 0.5


class Rubric(msgspec.Struct, frozen=True, kw_only=True):
    """Criteria (`dimension.criterion`) with weights that sum to 1, and the shares from which a
    score is approved, or needs improvement."""

    context: str
    preset: str
    weights: Mapping[str, float]
    approved: float
    acceptable: float

    @property
    def dimensions(self) -> dict[str, list[str]]:
        """The criteria of each dimension, in order."""
        found: dict[str, list[str]] = {}
        for name in self.weights:
            dimension, _, criterion = name.partition(".")
            found.setdefault(dimension, []).append(criterion)
        return found


def rubric(
    context: str = "", preset: str = "", custom: Mapping[str, float] | None = None
) -> Rubric:
    """The criteria of a context (graphscout, if none is named and the custom weights do not say
    which) with the weights of a preset (moderate). Custom weights replace single ones, then all are
    made to sum to 1. Raises `ConfigError` for a name that does not exist or a weight below 0."""
    custom = custom or {}
    context = context or context_of(custom) or "graphscout"
    preset = preset or "moderate"
    if context not in WEIGHTS:
        raise ConfigError(f"no scoring context {context!r}", fix=nearest(context, CONTEXTS))
    if preset not in PRESETS:
        raise ConfigError(f"no scoring preset {preset!r}", fix=nearest(preset, PRESETS))
    at = PRESETS.index(preset)
    weights = {name: each[at] for name, each in WEIGHTS[context].items()}
    for name, weight in custom.items():
        if name not in weights:
            told = f"context {context!r} has no criterion {name!r}"
            raise ConfigError(told, fix=nearest(name, weights))
        if not 0 <= weight <= 1e6:
            raise ConfigError(f"the weight of {name!r} is {weight!r}", fix="give 0 or more")
        weights[name] = weight
    total = sum(weights.values())
    if total <= 0:
        raise ConfigError("all weights are 0", fix="give one criterion a weight")
    approved, acceptable = THRESHOLDS[context][at]
    return Rubric(
        context=context,
        preset=preset,
        weights={name: weight / total for name, weight in weights.items()},
        approved=approved,
        acceptable=acceptable,
    )


def context_of(names: Mapping[str, object]) -> str:
    """The context whose criteria all these are; empty if there is none, or no name."""
    for context, weights in WEIGHTS.items():
        if names and all(name in weights for name in names):
            return context
    return ""


def judged(rubric: Rubric, answers: Answers) -> dict[str, Json]:
    """What the answers come to: the score is the weight of what is true. With nothing but unknown
    criteria there is no score; one that unknown criteria could lift is `UNKNOWN`, not rejected."""
    told = {name: answers.get(name) for name in rubric.weights}
    passed, failed, unknown = ([n for n in told if told[n] is v] for v in (True, False, None))
    score = None if len(unknown) == len(told) else _weight(rubric, passed)
    return {
        "validation_score": score,
        "overall_assessment": _assessment(rubric, score, _weight(rubric, [*passed, *unknown])),
        "boolean_evaluations": _nested(told),
        "breakdown": {
            name: {
                "weight": round(rubric.weights[name], PLACES),
                "passed": said,
                "status": _MARKS[said],
            }
            for name, said in told.items()
        },
        "passed_criteria": passed,
        "failed_criteria": failed,
        "unknown_criteria": unknown,
        "dimension_scores": dict(_dimensions(rubric, told)),
        "scoring_context": rubric.context,
        "scoring_preset": rubric.preset,
    }


def answers_in(value: Json, rubric: Rubric) -> dict[str, bool | None]:
    """What a value says about the criteria: under `boolean_evaluations`, by dimension or flat, in
    a map or a text that is JSON. What it does not say as true or false is unknown."""
    if isinstance(value, str):
        value = object_in(value)
    if not isinstance(value, Mapping):
        return {}
    for name in ("boolean_evaluations", "response", "result"):
        held = value.get(name)
        if isinstance(held, str):
            held = object_in(held)
        if isinstance(held, Mapping):
            found = answers_in(held, rubric)
            if found:
                return found
    return dict(_answers(value, rubric))


def covers(rubric: Rubric, answers: Answers) -> bool:
    """True if at least half of the criteria have an answer."""
    known = sum(answers.get(name) is not None for name in rubric.weights)
    return known >= COVERAGE * len(rubric.weights)


def _answers(value: Mapping[str, Json], rubric: Rubric) -> Iterator[tuple[str, bool | None]]:
    folded = {key.casefold(): item for key, item in value.items()}
    for name in rubric.weights:
        dimension, _, criterion = name.partition(".")
        held = folded.get(dimension)
        inside = (
            {key.casefold(): item for key, item in held.items()}
            if isinstance(held, Mapping)
            else {}
        )
        for said in (inside.get(criterion), folded.get(name), folded.get(criterion)):
            if said is not None:
                yield name, truth(said)
                break


def truth(said: Json) -> bool | None:
    """A truth value as models write it; None for anything else. A number is none."""
    if isinstance(said, bool):
        return said
    if isinstance(said, Mapping):
        held = [said[key] for key in ("passed", "value", "result", "answer") if key in said]
        return truth(held[0]) if held else None
    word = said.strip().strip(".*`").casefold() if isinstance(said, str) else ""
    return True if word in _TRUE else False if word in _FALSE else None


_TRUE = ("true", "yes", "pass", "passed")
_FALSE = ("false", "no", "fail", "failed")


def _weight(rubric: Rubric, names: list[str]) -> float:
    return round(sum(rubric.weights[name] for name in names), PLACES)


def _assessment(rubric: Rubric, score: float | None, at_best: float) -> str:
    if score is not None and score >= rubric.approved:
        return "APPROVED"
    if score is None or (at_best > score and at_best >= rubric.approved):
        return "UNKNOWN"
    return "NEEDS_IMPROVEMENT" if score >= rubric.acceptable else "REJECTED"


_MARKS = {True: "Y", False: "N", None: "?"}


def _nested(told: Answers) -> dict[str, dict[str, bool | None]]:
    found: dict[str, dict[str, bool | None]] = {}
    for name, said in told.items():
        dimension, _, criterion = name.partition(".")
        found.setdefault(dimension, {})[criterion] = said
    return found


def _dimensions(rubric: Rubric, told: Answers) -> Iterator[tuple[str, Json]]:
    for dimension, criteria in rubric.dimensions.items():
        names = [f"{dimension}.{criterion}" for criterion in criteria]
        most = _weight(rubric, names)
        score = _weight(rubric, [name for name in names if told[name] is True])
        share = round(100 * score / most, 2) if most else 0.0
        yield dimension, {"score": score, "max_score": most, "percentage": share}
