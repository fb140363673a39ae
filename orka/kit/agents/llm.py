"""`llm`: one question to a model. Its answer is a reading: text, one of n choices, or a value that
has passed its contract."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.sensor import (
    Contract,
    ModelOptions,
    model_problem,
    model_shape,
    select,
    sense,
    twins,
)
from orka.errors import ConfigError
from orka.value import Json


class LlmOptions(ModelOptions, frozen=True, kw_only=True):
    """`model` is `provider/name`. `choices` asks one of n, with probabilities if the model can.
    `output` is what the answer must be: a JSON Schema or the short form; `output_schema` is another
    word for it; a text without JSON is the value of `text_field`. `tools` are those the model may
    call, in at most `max_tool_rounds` rounds."""

    prompt: str
    system: str = ""
    response_format: str | None = None
    choices: tuple[str, ...] = ()
    output: dict[str, Json] | None = None
    output_schema: dict[str, Json] | None = None
    parse: Literal["text", "auto"] = "text"
    text_field: str = ""
    tools: tuple[str, ...] = ()
    max_tool_rounds: int = 5


def _shape(options: LlmOptions) -> Shape:
    contract = _contract(options)
    output = {"enum": options.choices} if options.choices else contract and contract.schema
    return model_shape(options, options.tools, output, answers=True)


def _contract(options: LlmOptions) -> Contract | None:
    written = options.output if options.output is not None else options.output_schema
    return None if written is None else Contract.of(written)


def _check(options: LlmOptions) -> str:
    held = [name for name in ("output", "output_schema") if getattr(options, name) is not None]
    if len(held) > 1:
        return "`output` and `output_schema` say the same thing: give one of them"
    if options.choices and held:
        return f"`choices` and `{held[0]}` exclude each other"
    if options.choices and options.tools:
        return "`choices` and `tools` exclude each other"
    if same := twins(options.choices):
        return f"the choices {same[0]!r} and {same[1]!r} cannot be told apart"
    if options.text_field and not held:
        return "`text_field` is a field of `output`, and there is none"
    if options.max_tool_rounds < 1:
        return "`max_tool_rounds` is less than 1"
    try:
        _contract(options)
    except ConfigError as error:
        return f"`{held[0]}`: {error.what}" + (f"; {error.fix}" if error.fix else "")
    return model_problem(options)


@agent(
    "llm",
    config=LlmOptions,
    templates=("prompt", "system"),
    shape=_shape,
    check=_check,
    version="2",
)
async def llm(ctx: Context) -> Json:
    """Ask a model."""
    options: LlmOptions = ctx.config
    messages = [{"role": "user", "content": ctx.render("prompt")}]
    if system := ctx.render("system"):
        messages.insert(0, {"role": "system", "content": system})
    if options.choices:
        chosen = await select(ctx, messages, options, options.choices)
        told: Json = msgspec.to_builtins(chosen)
        return {"choice": told.pop("label"), **told}
    return await sense(
        ctx,
        messages,
        options,
        _contract(options),
        tools=options.tools,
        max_tool_rounds=options.max_tool_rounds,
        parse=options.parse,
        text_field=options.text_field,
    )
