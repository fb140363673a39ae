"""`llm`: one question to a model. Its answer is a reading: text, one of n choices, or an object
that has passed its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import jsonschema_rs
import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json, canonical, digest, parse

_SAMPLING = ("temperature", "max_tokens", "top_p", "seed", "stop")
_PROVIDER = ("base_url", "api_key_env", "response_format", "threads", "context")


class LlmOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`model` is `provider/name`. `choices` asks one of n, with probabilities if the model can.
    `output_schema` is a JSON Schema the answer must meet; `violation_retries` asks again when it
    does not, apart from `retries`."""

    model: str
    prompt: str
    system: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    response_format: str | None = None
    threads: int | None = None
    context: int | None = None
    choices: list[str] = []
    output_schema: dict[str, Json] | None = None
    violation_retries: int = 0


def _shape(options: LlmOptions) -> Shape:
    return Shape(models=(options.model,))


def _check(options: LlmOptions) -> str:
    if options.choices and options.output_schema:
        return "`choices` and `output_schema` exclude each other"
    if options.output_schema is not None:
        try:
            jsonschema_rs.validator_for(options.output_schema)
        except (ValueError, jsonschema_rs.ValidationError) as error:
            return f"`output_schema` is not a JSON Schema: {str(error).splitlines()[0]}"
    return ""


@agent(
    "llm",
    config=LlmOptions,
    templates=("prompt", "system"),
    shape=_shape,
    check=_check,
    version="1",
)
async def llm(ctx: Context) -> Json:
    """Ask a model."""
    options: LlmOptions = ctx.config
    messages = [{"role": "user", "content": ctx.render("prompt")}]
    if system := ctx.render("system"):
        messages.insert(0, {"role": "system", "content": system})
    for left in range(options.violation_retries, -1, -1):
        reply = await ctx.llm(
            messages,
            model=options.model,
            schema=options.output_schema,
            choices=options.choices,
            params=_given(options, _SAMPLING),
            options=_given(options, _PROVIDER),
        )
        reading = _read(options, reply)
        if reading.problem:
            await ctx.violation(
                effect="",
                where=reading.where,
                message=reading.problem,
                raw=reply["text"],
                schema=_schema_digest(options),
            )
        if reading.usable:
            return reading.value
        if not left:
            raise AgentError(
                f"the answer of {ctx.node!r} breaks its contract: {reading.problem}"
                + (f" (at {reading.where})" if reading.where else ""),
                code="sensor.violation",
                fix="see the raw text with `orka show`; loosen the schema, change the prompt, "
                "or set `violation_retries`",
            )
    return None


class Reading(msgspec.Struct, frozen=True):
    """What was read: a value that can be used, or the problem."""

    value: Json = None
    problem: str = ""
    where: str = ""
    usable: bool = True


def _read(options: LlmOptions, reply: Mapping[str, Json]) -> Reading:
    text: str = reply["text"]
    cut = reply["finish_reason"] == "length"
    if options.choices:
        return _choice(options.choices, reply)
    if options.output_schema is None:
        return Reading(text, "cut off at the token limit (finish_reason length)" if cut else "")
    if cut:
        return Reading(problem="cut off at the token limit (finish_reason length)", usable=False)
    return _structured(text, options.output_schema)


def _structured(text: str, schema: Mapping[str, Json]) -> Reading:
    try:
        value = parse(text)
    except ValueError as error:
        return Reading(problem=f"not JSON: {error}", usable=False)
    errors = list(jsonschema_rs.validator_for(dict(schema)).iter_errors(value))
    if not errors:
        return Reading(value)
    where = "$" + "".join(
        f"[{p}]" if isinstance(p, int) else f".{p}" for p in errors[0].instance_path
    )
    return Reading(problem="; ".join(e.message for e in errors), where=where, usable=False)


def _choice(choices: Sequence[str], reply: Mapping[str, Json]) -> Reading:
    """The most probable choice; ties go to the one written first."""
    shares = reply.get("probabilities")
    if shares:
        best = max(choices, key=lambda choice: shares[choice])
        return Reading(
            {
                "choice": best,
                "probability": shares[best],
                "probabilities": shares,
                "mass": reply["mass"],
            }
        )
    text = reply["text"].strip().strip(".").casefold()
    found = [choice for choice in choices if choice.casefold() == text]
    if len(found) == 1:
        return Reading(
            {"choice": found[0], "probability": None, "probabilities": None, "mass": None}
        )
    return Reading(problem=f"{reply['text']!r} is none of {', '.join(choices)}", usable=False)


def _given(options: LlmOptions, names: Sequence[str]) -> dict[str, Json]:
    found = {name: getattr(options, name) for name in names}
    return {name: item for name, item in found.items() if item is not None}


def _schema_digest(options: LlmOptions) -> str:
    return digest(canonical(options.output_schema)) if options.output_schema else ""
