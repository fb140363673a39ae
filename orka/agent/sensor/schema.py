"""A JSON Schema put to use: what is wrong with a value, field by field, in plain words."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import msgspec

from orka.agent.sensor.places import Step, dotted
from orka.value import Json, canonical

_SHOWN = 80


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong: where (as steps and as a dotted path), what was wanted there (types,
    if it is a matter of types) and the value that was found."""

    path: tuple[Step, ...]
    where: str
    message: str
    types: tuple[str, ...] = ()
    found: Json = None


class Schema:
    """A compiled JSON Schema. Raises `ValueError` in a few words for one that is none, or that
    refers to another place."""

    def __init__(self, schema: Json) -> None:
        try:
            self._validator = jsonschema_rs.validator_for(
                schema, validate_formats=True, offline=True
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
        return Problem(path, dotted(path), "is required, and is missing")
    if kind == "type":
        types = tuple(error.kind.types)
        told = f"should be {_a(types)}, and is {shown(error.instance)}"
        return Problem(path, dotted(path), told, types, error.instance)
    message: str = error.message
    if shown(error.instance) not in message:
        message = f"{message}; found {shown(error.instance)}"
    return Problem(path, dotted(path), message, (), error.instance)


def _a(types: tuple[str, ...]) -> str:
    return " or ".join("null" if t == "null" else f"{_article(t)} {t}" for t in sorted(types))


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def shown(value: Json) -> str:
    """A value as JSON, cut if it is long."""
    text = canonical(value).decode()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
