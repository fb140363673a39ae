"""Asking a one-of-n question: with probabilities where the model gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orka.agent.context import Context
from orka.agent.sensor.choice import Choice, choice_in
from orka.agent.sensor.options import ModelOptions
from orka.agent.sensor.reading import Reading
from orka.agent.sensor.sense import Asking, Messages, digest_of, measured


async def select(
    ctx: Context,
    messages: str | Messages,
    options: ModelOptions,
    choices: Sequence[str],
    *,
    instructions: str = "",
    synonyms: Mapping[str, str] | None = None,
    unknown: str | None = None,
) -> Choice:
    """Which of `choices` the model names. `instructions` are put after the messages; `unknown` is
    what an answer that is none of them counts as, in place of a failure.

    Raises `AgentError` (`sensor.violation`) after the last answer that is none, `EffectFailed`.
    """

    def reader(reply: Mapping[str, object], _: float) -> Reading:
        reading = choice_in(reply, choices, synonyms)
        if unknown is None or reading.kind != "choice":
            return reading
        return Reading(value=Choice(unknown), kind=reading.kind, message=reading.message)

    asking = Asking(
        read=reader,
        choices=tuple(choices),
        instructions=instructions,
        digest=digest_of(list(choices)),
    )
    reading = await measured(ctx, messages, options, asking)
    chosen: Choice = reading.value
    return chosen
