"""The `llm` factor: how suitable a model finds each path, and how much it wavers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from orka.agent.context import Context
from orka.agent.sensor import Contract, ModelOptions, select, sense
from orka.agent.sensor.choice import Choice
from orka.errors import AgentError, EffectFailed, OrkaError
from orka.score.criterion import Proposal
from orka.score.factor import PLACES, Abstained, Known, Reading
from orka.score.ledger import Noise
from orka.value import Json, canonical

_TOP = 10
_TOLD = 160
_LONGEST = 400
_YES, _NO = "yes", "no"
# Questions to the model at once.
_AT_ONCE = 8


class Judge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the model is asked. `batch`: one question about all paths, each gets 0 to 10. `yes_no`:
    one question for each path; where the model gives probabilities, that of yes is the value.
    Asked `repeat` times, with the order turned round each time, it tells how much it wavers.
    `question` is what is asked of each path."""

    mode: Literal["batch", "yes_no", "none"] = "batch"
    repeat: int = 2
    question: str = "How well does this path suit the task?"
    on_failure: Literal["abstain", "fail"] = "abstain"


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What the model finds of each path, by the path's name, and its noise."""

    readings: Mapping[str, Reading]
    noise: Noise | None = None


Answers = Mapping[str, Reading]
"""What one asking says of each path, by its name."""


class Question(NamedTuple):
    """What is asked, of whom: the `task`, and the agents there are."""

    ctx: Context
    options: ModelOptions
    judge: Judge
    task: str
    pool: Mapping[str, Json]


async def judged(asked: Question, paths: Sequence[Proposal]) -> Opinion:
    """Raises `AgentError` (`scout.judge`) if it cannot be read and `on_failure` is fail."""
    judge = asked.judge
    if judge.mode == "none" or not paths:
        return Opinion(readings={each.name: Abstained("no model is asked") for each in paths})
    orders = [_turned(paths, at) for at in range(judge.repeat)]
    rounds: list[Answers] = await asked.ctx.all(
        *(
            _batch(asked, order) if judge.mode == "batch" else _each(asked, order, _words(at))
            for at, order in enumerate(orders)
        )
    )
    readings = {each.name: _reading(each.name, rounds) for each in paths}
    lost = [f"{n}: {held.cause}" for n, held in readings.items() if isinstance(held, Abstained)]
    if lost and judge.on_failure == "fail":
        raise AgentError(
            f"the judge of {asked.ctx.node!r} gives no opinion of {lost[0]}",
            fix="see its answer with `orka show`; `judge.on_failure: abstain` goes on without it",
            code="scout.judge",
        )
    return Opinion(readings=readings, noise=_noise(rounds, len(rounds)))


def _words(at: int) -> tuple[str, str]:
    return (_NO, _YES) if at % 2 else (_YES, _NO)


def _turned(paths: Sequence[Proposal], at: int) -> list[Proposal]:
    """The order of one asking: as it is, the other way round, then each time begun further on."""
    shift = at // 2 % len(paths)
    order = [*paths[shift:], *paths[:shift]]
    return order[::-1] if at % 2 else order


def _reading(name: str, rounds: Sequence[Answers]) -> Reading:
    """The mean of what was said, unless one asking failed: then nobody knows."""
    said = [each[name] for each in rounds]
    for each in said:
        if isinstance(each, Abstained):
            return each
    known = [each for each in said if isinstance(each, Known)]
    reasons = dict.fromkeys(each.reason for each in known if each.reason)
    mean = math.fsum(each.value for each in known) / len(known)
    return Known(round(mean, PLACES), "; ".join(reasons))


def _noise(rounds: Sequence[Answers], asked: int) -> Noise | None:
    """The standard deviation of the mean of `asked` askings, pooled over the paths (the root of the
    mean of their variances, over the root of the number of askings)."""
    if asked < 2:
        return Noise("llm", None, asked)
    variances = []
    for name in rounds[0]:
        said = [each[name] for each in rounds]
        known = [each.value for each in said if isinstance(each, Known)]
        if len(known) == asked:
            mean = math.fsum(known) / asked
            apart = [value - mean for value in known]
            variances.append(math.fsum(each * each for each in apart) / (asked - 1))
    if not variances:
        return Noise("llm", None, asked)
    pooled = math.sqrt(math.fsum(variances) / len(variances) / asked)
    return Noise("llm", round(pooled, PLACES), asked)


async def _batch(asked: Question, paths: Sequence[Proposal]) -> Answers:
    labels = {f"P{number}": each for number, each in enumerate(paths, 1)}
    listed = "\n".join(f"{label}: {told(each, asked.pool)}" for label, each in labels.items())
    text = (
        f"Task:\n{asked.task}\n\n"
        f"Paths, each a list of steps that run one after another:\n{listed}\n\n"
        f"{asked.judge.question} Give each path a score from 0 (useless) to {_TOP} "
        "(exactly right), and the reason in a few words."
    )
    contract = Contract(schema=_schema(list(labels)))
    try:
        value = await sense(asked.ctx, _messages(text), asked.options, contract)
    except (AgentError, EffectFailed) as error:
        return {each.name: lost(error) for each in paths}
    return {each.name: _scored(value, label) for label, each in labels.items()}


def _scored(value: Json, label: str) -> Reading:
    """The contract holds: each label has a score and a reason."""
    reason = " ".join(value[label]["reason"].split())
    return Known(value[label]["score"] / _TOP, reason[:_TOLD])


def lost(error: OrkaError) -> Abstained:
    """No answer, and why."""
    return Abstained(f"the judge gave no answer ({error.code}): {error.what}"[:_LONGEST])


def _schema(labels: Sequence[str]) -> Json:
    each = {
        "type": "object",
        "required": ["reason", "score"],
        "additionalProperties": False,
        "properties": {
            "reason": {"type": "string"},
            "score": {"type": "integer", "minimum": 0, "maximum": _TOP},
        },
    }
    return {
        "type": "object",
        "required": list(labels),
        "additionalProperties": False,
        "properties": dict.fromkeys(labels, each),
    }


async def _each(asked: Question, paths: Sequence[Proposal], words: tuple[str, str]) -> Answers:
    found = await asked.ctx.all(
        *(_suits(asked, told(each, asked.pool), words) for each in paths), limit=_AT_ONCE
    )
    return {each.name: answer for each, answer in zip(paths, found, strict=True)}


async def _suits(asked: Question, path: str, words: tuple[str, str]) -> Reading:
    text = (
        f"Task:\n{asked.task}\n\n"
        f"Proposed path, steps that run one after another:\n{path}\n\n"
        f"{asked.judge.question} Is it the right path: {words[0]} or {words[1]}?"
    )
    told = f"Answer {' or '.join(words)}."
    try:
        chosen: Choice = await select(
            asked.ctx, _messages(text), asked.options, words, instructions=told
        )
    except (AgentError, EffectFailed) as error:
        return lost(error)
    if chosen.probabilities is None:
        return Known(float(chosen.label == _YES), f"said {chosen.label}")
    value = round(chosen.probabilities[_YES], PLACES)
    return Known(value, f"{_YES} {value:.2f}")


def _messages(text: str) -> list[Mapping[str, Json]]:
    rules = "You judge which path of agents is best for a task. Judge only what the task needs."
    return [{"role": "system", "content": rules}, {"role": "user", "content": text}]


def told(path: Proposal, pool: Mapping[str, Json]) -> str:
    """A path in words: each step with what it is for, as far as its agent says."""
    return " → ".join(f"{id}{_about(pool[id])}" for id in path.path)


def _about(each: Mapping[str, Json]) -> str:
    options = each["options"]
    said = each.get("description") or options.get("prompt") or options.get("tool") or ""
    text = " ".join(said.split()) if isinstance(said, str) else canonical(said).decode()
    able = ", ".join(each.get("capabilities") or ())
    words = f"{able}: {text}" if able and text else able or text
    return f" ({words[:_TOLD]})" if words else ""
