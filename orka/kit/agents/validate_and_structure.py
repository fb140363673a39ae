"""`validate_and_structure`: asks a model if an answer holds, and for it as a record to keep."""

from __future__ import annotations

from collections.abc import Mapping

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.sensor import Contract, ModelOptions, model_problem, model_shape, sense
from orka.agent.view import text_of
from orka.errors import ConfigError
from orka.value import Json, parse

_TASK = (
    "Judge whether the answer is right and supported by the evidence, and structure what it says "
    "as a record to be remembered.\n"
    "`valid`: whether it may be kept. `reason`: why. `memory_object`: the record; null if `valid` "
    "is false."
)
# What a record has when nothing else is said.
_RECORD: dict[str, Json] = {
    "type": "object",
    "required": ["fact"],
    "properties": {
        "fact": {"type": "string"},
        "category": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "source": {"type": "string"},
    },
}
_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
_OLDER = {"str": "string", "float": "number", "int": "integer", "bool": "boolean"}
_OLDER |= {"list": "array", "dict": "object", "text": "string", "map": "object"}


class ValidateAndStructureOptions(ModelOptions, frozen=True, kw_only=True):
    """`prompt`, or `question`, `evidence` and `answer`, are what is judged. `store_structure` is
    the record's form: field -> type or a description, or a JSON Schema; a map, or JSON text."""

    prompt: str = ""
    question: str = "{{ input }}"
    evidence: str = ""
    answer: str = ""
    store_structure: dict[str, Json] | str | None = None


def _check(options: ValidateAndStructureOptions) -> str:
    if not options.prompt and not options.answer:
        return "there is nothing to judge: give `prompt` or `answer`"
    try:
        Contract.of(_schema(options.store_structure))
    except ConfigError as error:
        return f"`store_structure` is no form of a record: {error.what}"
    except ValueError as error:
        return f"`store_structure` is no form of a record: {error}"
    return model_problem(options)


@agent(
    "validate_and_structure",
    config=ValidateAndStructureOptions,
    templates=("prompt", "question", "evidence", "answer"),
    shape=model_shape,
    check=_check,
    version="1",
)
async def validate_and_structure(ctx: Context) -> Json:
    """Give `valid`, `reason` and `memory_object`. An answer that breaks this contract fails the
    node with `sensor.violation`; it is never taken for a no."""
    options: ValidateAndStructureOptions = ctx.config
    contract = Contract(schema=_schema(options.store_structure), coerce=options.coerce)
    messages = [{"role": "system", "content": _TASK}, {"role": "user", "content": _judged(ctx)}]
    answer: dict[str, Json] = await sense(ctx, messages, options, contract)
    return {**answer, "memory_object": answer.get("memory_object")}


def _judged(ctx: Context) -> str:
    if ctx.config.prompt:
        return text_of(ctx.render("prompt"))
    given = {name: text_of(ctx.render(name)) for name in ("question", "evidence", "answer")}
    return "\n\n".join(f"{name.capitalize()}: {text}" for name, text in given.items() if text)


def _schema(structure: dict[str, Json] | str | None) -> Json:
    """What the model must answer. Raises `ValueError` for a form that is none."""
    record = _record(structure)
    return {
        "type": "object",
        "required": ["valid", "reason"],
        "properties": {
            "valid": {"type": "boolean"},
            "reason": {"type": "string"},
            "memory_object": {"anyOf": [record, {"type": "null"}]},
        },
        "if": {"properties": {"valid": {"const": True}}},
        "then": {"required": ["memory_object"], "properties": {"memory_object": record}},
    }


def _record(structure: dict[str, Json] | str | None) -> Json:
    form = parse(structure) if isinstance(structure, str) and structure.strip() else structure
    if not form:
        return _RECORD
    if not isinstance(form, Mapping):
        raise ValueError(f"a map is needed, not {type(form).__name__}")
    if isinstance(form.get("properties"), Mapping):
        return dict(form)
    return _object(form)


def _object(form: Mapping[str, Json]) -> Json:
    fields = {name: _field(name, said) for name, said in form.items()}
    return {"type": "object", "required": list(fields), "properties": fields}


def _field(name: str, said: Json) -> Json:
    """A field's schema: of a type's name, of a form inside, or described in words."""
    if isinstance(said, Mapping):
        return dict(said) if said.get("type") in _TYPES else _object(said)
    if isinstance(said, list):
        if len(said) == 1:
            return {"type": "array", "items": _field(name, said[0])}
        return {"enum": said} if said else {"type": "array"}
    if not isinstance(said, str):
        raise ValueError(f"{name!r} is {said!r}; a type, a description or a map is needed")
    word = _OLDER.get(said.strip().lower(), said.strip().lower())
    return {"type": word} if word in _TYPES else {"description": said}
