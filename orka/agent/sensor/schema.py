"""A JSON Schema put to use: what is wrong with a value, field by field, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema_rs
import msgspec

from orka.agent.sensor.places import Step, dotted
from orka.value import Json, canonical

_SHOWN = 80
_BRANCHES = 16
# Keywords that hold values, not schemas.
_DATA = ("enum", "const", "default", "examples", "example")


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong: where (as steps and as a dotted path), by which rule of the schema,
    what was wanted there (`types`, or `options` to choose from) and the value that was found.
    `branches`: of several forms, what is wrong with each."""

    path: tuple[Step, ...]
    where: str
    message: str
    types: tuple[str, ...] = ()
    found: Json = None
    rule: str = ""
    options: tuple[Json, ...] = ()
    branches: tuple[tuple[Problem, ...], ...] = ()


class Schema:
    """A compiled JSON Schema. Raises `ValueError` in a few words for one that is none, or that
    refers to another place."""

    def __init__(self, schema: Json) -> None:
        try:
            self._validator = jsonschema_rs.validator_for(
                with_null(schema), validate_formats=True, offline=True
            )
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(str(error).splitlines()[0]) from None

    def problems(self, value: Json) -> list[Problem]:
        """What is wrong with `value`, in the order of the schema."""
        return [_problem(error) for error in self._validator.iter_errors(value)]


def _problem(error: Any) -> Problem:  # Any: jsonschema_rs.ValidationError has no types
    path: tuple[Step, ...] = tuple(error.instance_path)
    kind = error.kind.name
    if kind == "required":
        path = (*path, error.kind.property)
        return Problem(path, dotted(path), "is required, and is missing", rule=kind)
    if kind == "type":
        types = tuple(error.kind.types)
        told = f"should be {_a(types)}, and is {shown(error.instance)}"
        return Problem(path, dotted(path), told, types, error.instance, kind)
    branches = tuple(
        tuple(_problem(inner) for inner in branch)
        for branch in getattr(error.kind, "context", ())[:_BRANCHES]
    )
    message: str = _of_branches(branches, path, error.instance) or error.message
    if shown(error.instance) not in message:
        message = f"{message}; found {shown(error.instance)}"
    return Problem(
        path, dotted(path), message, (), error.instance, kind, _options(error.kind), branches
    )


def _options(kind: Any) -> tuple[Json, ...]:  # Any: jsonschema_rs has no types
    """The values that an `enum` or a `const` allows."""
    if kind.name == "enum":
        return tuple(kind.options)
    return (kind.expected_value,) if kind.name == "const" else ()


def _of_branches(branches: Sequence[Sequence[Problem]], path: tuple[Step, ...], found: Json) -> str:
    """What several forms want: their types, or what is wrong with the one that comes nearest."""
    if not branches or not all(branches):
        return ""
    first = [branch[0] for branch in branches]
    if all(problem.types and problem.path == path for problem in first):
        types = tuple(dict.fromkeys(t for problem in first for t in problem.types))
        return f"should be {_a(types)}, and is {shown(found)}"
    nearest = min(branches, key=lambda branch: _distance(branch, path))
    told = "; ".join(f"{problem.where} {problem.message}" for problem in nearest)
    return f"fits none of {len(branches)} forms; the nearest: {told}"


def _distance(branch: Sequence[Problem], path: tuple[Step, ...]) -> tuple[bool, bool, int]:
    """How far a value is from a form: of another type, of another kind, with so many faults."""
    other = any(problem.types and problem.path == path for problem in branch)
    return other, any(problem.options for problem in branch), len(branch)


def with_null(schema: Json) -> Json:
    """A schema whose `nullable: true`, as OpenAPI writes it, is the type null beside the other."""
    if isinstance(schema, list):
        return [with_null(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {key: item if key in _DATA else with_null(item) for key, item in schema.items()}
    types = schema.get("type")
    if schema.get("nullable") is not True or not isinstance(types, (str, list)):
        return made
    listed = [types] if isinstance(types, str) else types
    made["type"] = [*listed, *([] if "null" in listed else ["null"])]
    if isinstance(made.get("enum"), list) and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made


def _a(types: tuple[str, ...]) -> str:
    return " or ".join("null" if t == "null" else f"{_article(t)} {t}" for t in sorted(types))


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def shown(value: Json) -> str:
    """A value as JSON, cut if it is long."""
    text = canonical(value).decode()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
