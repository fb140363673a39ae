"""What agents share that let a model judge by criteria: their options, and the reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from orka.agent.context import Context
from orka.agent.sensor import Contract, ModelOptions, Route, model_problem, sense
from orka.errors import AgentError, ConfigError
from orka.score.boolean import Rubric, answers_in, judged, rubric
from orka.score.criteria import answer_schema, asked
from orka.value import Json

VIOLATION = "sensor.violation"
_FORM = (
    "Answer each criterion with true or false, and with null if it cannot be told from what is "
    "shown. Answer with one JSON object: a map per dimension (the word before the dot), in it "
    "the criteria; and `rationale`, one sentence."
)


class JudgeOptions(ModelOptions, frozen=True, kw_only=True):
    """The criteria are those of `scoring_context`, weighed by `scoring_preset`; `custom_weights`
    replace single weights. Words for true and false are read, and recorded as repairs."""

    temperature: float | None = 0.1
    coerce: bool = True
    scoring_preset: Literal["strict", "moderate", "lenient"] = "moderate"
    scoring_context: str = ""
    custom_weights: dict[str, float] = msgspec.field(default_factory=dict)


def rubric_of(options: JudgeOptions, usual: str) -> Rubric:
    """The criteria of the options; those of the context `usual`, if they say none. Raises
    `ConfigError`."""
    context = options.scoring_context or ("" if options.custom_weights else usual)
    return rubric(context, options.scoring_preset, options.custom_weights)


def judge_problem(options: JudgeOptions, usual: str) -> str:
    """What is wrong with the options, if anything."""
    try:
        rubric_of(options, usual)
    except ConfigError as error:
        return f"{error.what}; {error.fix}" if error.fix else error.what
    return model_problem(options)


def question(rubric: Rubric, shown: Sequence[str]) -> str:
    """What is shown, then the criteria, then the form of the answer."""
    parts = [*shown, f"Criteria:\n{asked(rubric)}", _FORM]
    return "\n\n".join(part.strip() for part in parts if part.strip())


async def evaluated(
    ctx: Context, options: ModelOptions, rubric: Rubric, text: str
) -> dict[str, Json]:
    """Ask, and weigh the answers. An answer that breaks its contract leaves every criterion
    unknown, with the `error` in words, unless the author gave it a route: then `AgentError`."""
    messages: list[Mapping[str, str]] = [{"role": "user", "content": text}]
    contract = Contract(schema=answer_schema(rubric), coerce=options.coerce)
    try:
        value = await sense(ctx, messages, options, contract)
    except AgentError as error:
        if error.code != VIOLATION or isinstance(options.on_violation, Route):
            raise
        return {**judged(rubric, {}), "rationale": "", "error": error.what}
    rationale = value.get("rationale", "") if isinstance(value, Mapping) else ""
    return {**judged(rubric, answers_in(value, rubric)), "rationale": rationale}
