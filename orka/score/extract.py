"""The score of a loop's round: where it is looked for, in which order, and what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from orka.errors import ConfigError
from orka.score.boolean import Rubric, answers_in, covers, judged, rubric
from orka.score.novelty import agreement
from orka.score.number import PLACES, Found
from orka.score.presets import CONTEXTS
from orka.score.reading import matched, object_in, score_of, without_sureness
from orka.value import Json, canonical

Outputs = Mapping[str, Json]

# A repetition inside one that is repeated itself, or of alternatives, may take for ever.
_AGAIN = r"(?:[*+]|\{\d)"
_SLOW = re.compile(
    rf"[*+}}]\)?{_AGAIN}|\([^()]*(?:[*+|]|\{{\d+,)[^()]*\){_AGAIN}|\\[1-9]|\)\){_AGAIN}"
)
# What stands for one character in a pattern: a class, or what is escaped.
_ONE = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\[^1-9]")


class Scoring(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Boolean scoring: the weights of a `preset` for the criteria of a `context`. Without one, the
    context is that of the custom weights, or the one that the answers are about."""

    preset: str = "moderate"
    context: str | None = None
    custom_weights: dict[str, float] = {}

    def rubrics(self) -> list[Rubric]:
        """Those that may apply, the likeliest in a loop first. Raises `ConfigError`."""
        if self.context or self.custom_weights:
            return [rubric(self.context or "", self.preset, self.custom_weights)]
        first = ("loop_convergence", *(each for each in CONTEXTS if each != "loop_convergence"))
        return [rubric(context, self.preset) for context in first]


class Strategy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One way to find the score. `agents` says in whose output; without it, in all.

    `pattern`: the first of `patterns` that matches. `direct_key`: the output of the agent `key`, or
    the field `key` of an output. `agent_key`: the field `key` of each of `agents`. `json`: the
    field `key` of an output that is JSON. `nested_path`: what stands at `path`, which begins with
    an agent. `computed`: the mean of what stands at the paths of `weights`, weighed."""

    type: Literal["pattern", "direct_key", "agent_key", "json", "nested_path", "computed"]
    patterns: list[str] = []
    agents: list[str] = []
    key: str = ""
    path: str = ""
    weights: dict[str, float] = {}
    transform: Literal["extract_score", ""] = ""


class Extraction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ways to find the score, tried in order. `agreement_fallback`: after them, how much the texts
    of the round have in common."""

    strategies: list[Strategy] = []
    agreement_fallback: bool = False


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """How a loop's rounds are scored: by the agent `source` alone, if one is named."""

    source: str = ""
    first: tuple[str, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    agreement: bool = False


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The score of a round (None: unknown, and `problem` says why), the agent it came from, how it
    was found, what was read, and the criteria if it is a boolean score."""

    score: float | None = None
    agent: str = ""
    how: str = ""
    text: str = ""
    problem: str = ""
    count: int = 1
    criteria: Json = None


def verdict(judge: Judge, order: Sequence[str], outputs: Outputs) -> Verdict:
    """The score of a round whose agents are written in `order`: the last ones judge the others."""
    last = [id for id in reversed(order) if id in outputs and id not in judge.first]
    heard = [id for id in judge.first if id in outputs]
    agents = [judge.source] if judge.source else [*heard, *last]
    if boolean := _boolean(judge.rubrics, agents, outputs):
        return boolean
    for told in _ways(judge, agents, outputs):
        if told.score is not None or told.problem:
            return told
    if judge.agreement and not heard and not judge.source:
        texts = [text for id in agents for text in texts_of(outputs[id])[:1]]
        if (share := agreement(texts)) is not None:
            return Verdict(score=share, how="agreement")
    where = repr(judge.source) if judge.source else "the round"
    return Verdict(agent=judge.source, problem=f"no score can be read in what {where} gave")


def texts_of(value: Json) -> list[str]:
    """The texts in an output: itself, or those in its `response`, `result`, `output`, `data`."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        names = ("response", "result", "output", "data")
        return [text for name in names if name in value for text in texts_of(value[name])]
    return []


def at_path(value: Json, path: str) -> Json:
    """What stands at `agent.field.0`; None if there is nothing. A map's `response` or `result` is
    looked into if the map itself has no such key, and a text that is a JSON object is one."""
    for step in path.split("."):
        if isinstance(value, str):
            value = object_in(value)
        if isinstance(value, Mapping) and step not in value:
            held = [value[name] for name in ("response", "result") if name in value]
            value = held[0] if held else None
            value = object_in(value) if isinstance(value, str) else value
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def pattern_of(text: str) -> re.Pattern[str]:
    """Raises `ConfigError` for one that is no regular expression, or that a text can make run for
    ever."""
    if _SLOW.search(_ONE.sub("x", text)):
        raise ConfigError(
            f"the pattern {text!r} could take very long",
            fix="repeat single characters or classes only, not groups that repeat something",
        )
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigError(
            f"the pattern {text!r} is no regular expression: {error}",
            fix="put it in single quotes in YAML, and escape what is meant as it stands",
        ) from None


def _boolean(rubrics: Sequence[Rubric], agents: Sequence[str], outputs: Outputs) -> Verdict | None:
    """The first output that speaks of enough criteria; or the score a validator gave itself."""
    for id in agents if rubrics else ():
        value = outputs.get(id)
        for each in rubrics:
            answers = answers_in(value, each)
            if covers(each, answers):
                told = judged(each, answers)
                score = told["validation_score"]
                return Verdict(score=score, agent=id, how=f"boolean {each.context}", criteria=told)
        own = at_path(value, "validation_score") if isinstance(value, (Mapping, str)) else None
        if own is not None and isinstance(at_path(value, "boolean_evaluations"), Mapping):
            return _told(score_of(own), id, "validation_score", value)
        if (lost := _unjudged(id, value)) is not None:
            return lost
    return None


def _unjudged(id: str, value: Json) -> Verdict | None:
    """A validator that could not judge: then nobody knows, whatever others think of themselves."""
    if not isinstance(value, Mapping) or value.get("validation_score", value) is not None:
        return None
    if not isinstance(value.get("boolean_evaluations"), Mapping):
        return None
    cause = value.get("error") or "all criteria are unknown"
    return Verdict(agent=id, problem=f"{id!r} could not judge: {cause}")


def _ways(judge: Judge, agents: Sequence[str], outputs: Outputs) -> Iterator[Verdict]:
    if not judge.strategies:
        for id in agents:
            value = outputs.get(id)
            yield _unjudged(id, value) or _told(score_of(value), id, "label")
        return
    for strategy in judge.strategies:
        asked = [id for id in strategy.agents if id in outputs] if strategy.agents else agents
        if not judge.source or strategy.type in ("nested_path", "computed"):
            yield from _by(strategy, asked, outputs)
        else:
            yield from _by(strategy, agents, outputs)


def _by(strategy: Strategy, agents: Sequence[str], outputs: Outputs) -> Iterator[Verdict]:
    match strategy.type:
        case "pattern":
            yield from _by_pattern(strategy, agents, outputs)
        case "direct_key":
            if strategy.key in outputs:
                yield _told(score_of(outputs[strategy.key]), strategy.key, "direct_key")
            yield from _by_key(strategy, agents, outputs)
        case "agent_key" | "json":
            yield from _by_key(strategy, agents, outputs)
        case "nested_path":
            found = score_of(at_path(outputs, strategy.path))
            yield _told(found, strategy.path.partition(".")[0], "nested_path")
        case "computed":
            yield _computed(strategy, outputs)


def _by_pattern(strategy: Strategy, agents: Sequence[str], outputs: Outputs) -> Iterator[Verdict]:
    for pattern in strategy.patterns:
        compiled = pattern_of(pattern)
        for id in agents:
            for text in _searched(outputs.get(id)):
                yield _told(matched(text, [compiled]), id, "pattern")


def _by_key(strategy: Strategy, agents: Sequence[str], outputs: Outputs) -> Iterator[Verdict]:
    """The field of a map, or of a text that is JSON. An `agent_key` may mean the whole text."""
    patterns = [pattern_of(pattern) for pattern in strategy.patterns]
    for id in agents:
        value = outputs.get(id)
        held = object_in(value) if isinstance(value, str) else value
        if isinstance(held, Mapping):
            inside = at_path(held, strategy.key) if strategy.key else held
            yield _told(score_of(held if inside is None else inside, patterns), id, strategy.type)
        elif strategy.type == "agent_key" and strategy.key in ("", "response", "result"):
            yield _told(score_of(value, patterns), id, "agent_key")


def _computed(strategy: Strategy, outputs: Outputs) -> Verdict:
    total = amount = 0.0
    for path, weight in strategy.weights.items():
        found = score_of(at_path(outputs, path))
        if found.value is None:
            problem = found.problem or "no score can be read there"
            return Verdict(agent=path, how="computed", problem=f"{path}: {problem}")
        amount += weight * found.value
        total += weight
    return Verdict(score=round(amount / total, PLACES), how="computed")


def _searched(value: Json) -> list[str]:
    """The texts that a pattern is tried on: those in an output, then a map or number as JSON."""
    plain = value is None or isinstance(value, (str, bool))
    if isinstance(value, Mapping):
        value = without_sureness(value)
    return texts_of(value) if plain else [*texts_of(value), canonical(value).decode()]


def _told(found: Found, agent: str, how: str, criteria: Json = None) -> Verdict:
    return Verdict(
        score=found.value,
        agent=agent,
        how=how,
        text=found.text,
        problem=found.problem,
        count=found.count,
        criteria=criteria,
    )
