"""`classify`: which of several labels fits, asked as a one-of-n question."""

from __future__ import annotations

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.sensor import ModelOptions, model_problem, model_shape, select, twins
from orka.value import Json

_LEAST = 2


class ClassifyOptions(ModelOptions, frozen=True, kw_only=True):
    """`options` are the labels; they are told to the model. `unknown` is the label given when the
    answer is none of them; without it such an answer is a violation."""

    prompt: str = "{{ input }}"
    system: str = ""
    options: list[str]
    unknown: str | None = None


def _check(options: ClassifyOptions) -> str:
    if len(options.options) < _LEAST:
        return "`options` needs two labels or more"
    if blank := [label for label in options.options if not label.strip()]:
        return f"`options` has the empty label {blank[0]!r}"
    if same := twins(options.options):
        return f"the labels {same[0]!r} and {same[1]!r} cannot be told apart"
    return model_problem(options)


def _shape(options: ClassifyOptions) -> Shape:
    labels = [*options.options, *([options.unknown] if options.unknown else [])]
    output = {"properties": {"response": {"enum": labels}}}
    return model_shape(options, output=output, answers=True)


@agent(
    "classify",
    config=ClassifyOptions,
    templates=("prompt", "system"),
    shape=_shape,
    check=_check,
    version="1",
)
async def classify(ctx: Context) -> Json:
    """Give the label as `response`, its `confidence` (a probability, or null where the model gives
    none) and the `probabilities` of all labels."""
    options: ClassifyOptions = ctx.config
    messages = [{"role": "user", "content": ctx.render("prompt")}]
    if system := ctx.render("system"):
        messages.insert(0, {"role": "system", "content": system})
    labels = ", ".join(options.options)
    chosen = await select(
        ctx,
        messages,
        options,
        options.options,
        instructions=f"Answer with one of these labels and nothing else: {labels}.",
        unknown=options.unknown,
    )
    told: Json = msgspec.to_builtins(chosen)
    return {
        "response": told["label"],
        "confidence": told["probability"],
        "probabilities": told["probabilities"],
    }
