"""One agent on its way to a node: its type found, its options checked, its shape known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

from orka.agent.agent import AgentType, Shape
from orka.errors import ConfigError, nearest, raise_all
from orka.spec.workflow import AgentSpec, Workflow
from orka.value import Json

# Keys that every agent has, offered when a key is misspelt.
_COMMON: tuple[str, ...] = ("id", "type", "next", "depends_on", "when", "on_error", "retries")
_COMMON += ("backoff", "timeout", "capabilities", "description", "guards")

# JSON Schema's words for types, for people.
_KINDS = {
    "string": "text",
    "object": "a map",
    "array": "a list",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}

Catalog = Mapping[str, AgentType]


@dataclass(frozen=True, slots=True)
class Part:
    """`config` holds the checked options; `shape` what they say about the graph."""

    spec: AgentSpec
    type: AgentType
    config: msgspec.Struct
    shape: Shape


def part_of(workflow: Workflow, spec: AgentSpec, catalog: Catalog) -> Part:
    """Raises `ConfigError`, or `ConfigErrors` with all that is wrong with the agent's options."""
    kind = catalog.get(spec.type)
    if kind is None:
        raise ConfigError(
            f"agent {spec.id!r} has the unknown type {spec.type!r}",
            where=workflow.where(spec.id, "type"),
            fix=nearest(spec.type, catalog),
            code="config.unknown_type",
        )
    fields = _fields(kind.config)
    raise_all(list(_unknown_keys(workflow, spec, fields)))
    given = {"model": workflow.defaults["model"]} if _asks(workflow, fields) else {}
    given |= {name: item for name, item in spec.options.items() if name in fields}
    words = {"capabilities": list(spec.capabilities), "description": spec.description}
    given |= {name: told for name, told in words.items() if told and name in fields}
    if spec.timeout is not None and not kind.timed:
        raise ConfigError(
            f"agent {spec.id!r}: type {spec.type!r} waits as long as it takes and has no `timeout`",
            where=workflow.where(spec.id, "timeout"),
            fix="remove it",
        )
    config = _convert(workflow, spec, kind, given)
    if kind.check and (problem := kind.check(config)):
        raise ConfigError(f"agent {spec.id!r}: {problem}", where=workflow.where(spec.id))
    return Part(spec, kind, config, kind.shape(config) if kind.shape else Shape())


def _asks(workflow: Workflow, fields: Sequence[str]) -> bool:
    """Whether the agent asks a model and the orchestrator names one. Its `params` are for
    templates: they are no options."""
    return "model" in fields and "model" in workflow.defaults


@cache
def _fields(config: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(config))


def _unknown_keys(
    workflow: Workflow, spec: AgentSpec, fields: Sequence[str]
) -> Iterator[ConfigError]:
    for name in spec.options:
        if name not in fields and name != "params":
            yield ConfigError(
                f"agent {spec.id!r} (type {spec.type!r}) has the unknown key {name!r}",
                where=workflow.where(spec.id, name),
                fix=nearest(name, [*fields, *_COMMON]),
                code="config.unknown_key",
            )


def _convert(
    workflow: Workflow, spec: AgentSpec, kind: AgentType, given: Mapping[str, Json]
) -> msgspec.Struct:
    try:
        return msgspec.convert(dict(given), kind.config)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        keys = [key for key in path.rstrip("`").replace("[", ".[").split(".") if key]
        missing = "missing required" in message
        raise ConfigError(
            f"agent {spec.id!r}: {message}" + (f" at {'.'.join(keys)}" if keys else ""),
            where=workflow.where(spec.id, *[key for key in keys[:1] if not key.startswith("[")]),
            fix=_remedy(kind, given, keys[0]) if keys and not missing else "",
            code="config.missing_key" if missing else "config.type",
        ) from None


def _remedy(kind: AgentType, given: Mapping[str, Json], key: str) -> str:
    """What an option may be: one of some words, or a value of some types."""
    (_,), parts = msgspec.json.schema_components([kind.config])
    schema = parts[kind.config.__name__]["properties"].get(key, {})
    forms = schema.get("anyOf", [schema])
    words = [word for form in forms for word in form.get("enum", ())]
    value = given.get(key)
    if words and isinstance(value, str):
        return nearest(value, words)
    return f"write {' or '.join(filter(None, (_form(form, parts) for form in forms)))}"


def _form(form: Mapping[str, Json], parts: Mapping[str, Json]) -> str:
    """A value of some type, as its author would write it; of a map what is in it."""
    if "enum" in form:
        return " or ".join(map(str, form["enum"]))
    if "$ref" not in form:
        return _KINDS.get(str(form.get("type")), "")
    keys = parts[form["$ref"].rpartition("/")[2]].get("properties", {})
    return f"{{{', '.join(f'{key}: …' for key in keys)}}}"
