"""`loop`: repeats an inner workflow until its score reaches a threshold; the best round counts."""

from __future__ import annotations

import re

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json

_FRACTION = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*/\s*([0-9]+(?:\.[0-9]+)?)\s*")


class LoopOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`score_from` names the inner agent whose output is the score, a number in [0, 1] or "8/10".
    Without `score_threshold` all rounds run."""

    internal_workflow: dict[str, Json]
    max_loops: int = 5
    score_threshold: float | None = None
    score_from: str = ""


def _check(options: LoopOptions) -> str:
    if options.max_loops < 1:
        return "`max_loops` must be 1 or more"
    if options.score_threshold is not None and not options.score_from:
        return "`score_threshold` needs `score_from`: the inner agent that gives the score"
    return ""


@agent(
    "loop",
    config=LoopOptions,
    shape=lambda options: Shape(inner={"body": "internal_workflow"}),
    check=_check,
    version="1",
)
async def loop(ctx: Context) -> Json:
    """Give `output` of the best round, its `score`, its number `best`, and `loops`, rounds run."""
    options: LoopOptions = ctx.config
    threshold = 2.0 if options.score_threshold is None else options.score_threshold
    best: dict[str, Json] = {}
    for number in range(1, options.max_loops + 1):
        outputs = await ctx.graph("body", ctx.input, collect=True)
        score = _score(ctx, outputs) if options.score_from else None
        if not best or score is None or score > best["score"]:
            best = {"output": outputs, "score": score, "best": number}
        best["loops"] = number
        if score is not None and score >= threshold:
            break
    return best


def _score(ctx: Context, outputs: Json) -> float:
    value = outputs.get(ctx.config.score_from)
    if isinstance(value, dict):
        value = value.get("score")
    score = _number(value)
    if score is None or not 0 <= score <= 1:
        raise AgentError(
            f"{ctx.config.score_from!r} gave {value!r}, which is no score between 0 and 1",
            code="loop.unreadable_score",
            fix="let it answer with a number alone, or with `output_schema`",
        )
    return score


def _number(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    if not isinstance(value, str):
        return None
    if fraction := _FRACTION.fullmatch(value):
        whole = float(fraction.group(2))
        return round(float(fraction.group(1)) / whole, 6) if whole else None
    try:
        return float(value)
    except ValueError:
        return None
