"""`yes_no`: a question that is answered with yes or no, and how sure the model is."""

from __future__ import annotations

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.sensor import ModelOptions, model_problem, model_shape, select
from orka.value import Json

_CHOICES = ("yes", "no")
_OUTPUT = {"properties": {"response": {"type": "boolean"}}}
_SYNONYMS = {
    **dict.fromkeys(("true", "correct", "right", "affirmative"), "yes"),
    **dict.fromkeys(("false", "incorrect", "wrong", "negative"), "no"),
}


class YesNoOptions(ModelOptions, frozen=True, kw_only=True):
    """What is asked. An answer that is not one word (`not correct`) is a violation, never a yes."""

    prompt: str = "{{ input }}"
    system: str = ""


@agent(
    "yes_no",
    config=YesNoOptions,
    templates=("prompt", "system"),
    shape=lambda options: model_shape(options, output=_OUTPUT, answers=True),
    check=model_problem,
    version="1",
)
async def yes_no(ctx: Context) -> Json:
    """Give `response` (true or false) and its `confidence`: a probability, or null where the model
    gives none."""
    options: YesNoOptions = ctx.config
    messages = [{"role": "user", "content": ctx.render("prompt")}]
    if system := ctx.render("system"):
        messages.insert(0, {"role": "system", "content": system})
    chosen = await select(
        ctx,
        messages,
        options,
        _CHOICES,
        instructions="Answer with one word: yes or no.",
        synonyms=_SYNONYMS,
    )
    return {"response": chosen.label == "yes", "confidence": chosen.probability}
