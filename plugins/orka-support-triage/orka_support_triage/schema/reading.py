"""Values are held against the schemas: all that is wrong at once, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

import jsonschema_rs
import msgspec

from orka.value import Json, copied

T = TypeVar("T", bound=msgspec.Struct)
UNKNOWN = "unknown_field"


class Violation(msgspec.Struct, frozen=True):
    """What is wrong, and where: a dotted path, empty for the whole."""

    code: str
    where: str
    message: str


@cache
def json_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:  # Any: JSON Schema, as it comes
    """The JSON Schema of one of the types."""
    return msgspec.json.schema(kind)


@cache
def _validator(kind: type[msgspec.Struct]) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(json_schema(kind), validate_formats=True)


def read(
    value: Json, kind: type[T], *, strict: bool
) -> tuple[T | None, list[Violation], list[Violation]]:
    """The value as `kind`, what makes it invalid, and what was let pass. Unknown fields are left
    out and let pass if it is not `strict`."""
    broken, passed, unknown = list[Violation](), list[Violation](), list[tuple[str | int, ...]]()
    for error in _validator(kind).iter_errors(value):
        for violation, path in _told(error):
            loose = violation.code == UNKNOWN and not strict
            (passed if loose else broken).append(violation)
            if violation.code == UNKNOWN:
                unknown.append(path)
    if broken:
        return None, broken, passed
    try:
        return msgspec.convert(_without(value, unknown), kind, strict=True), [], passed
    except msgspec.ValidationError as error:  # what JSON Schema cannot say, such as a 30 February
        return None, [Violation("schema", "", str(error))], passed


def _told(
    error: jsonschema_rs.ValidationError,
) -> Iterable[tuple[Violation, tuple[str | int, ...]]]:
    path = tuple(error.instance_path)
    if error.kind.name == "anyOf":
        for meant in _meant(error, path):
            yield from _told(meant)
        return
    names: Sequence[str] = getattr(error.kind, "unexpected", None) or ()
    for name in names:
        inner = (*path, name)
        yield Violation(UNKNOWN, dotted(inner), f"{name!r} is not known here"), inner
    if not names:
        lacking = getattr(error.kind, "property", None)
        where = (*path, lacking) if isinstance(lacking, str) else path
        yield Violation("schema", dotted(where), _short(error, lacking)), where


def _meant(
    error: jsonschema_rs.ValidationError, path: tuple[str | int, ...]
) -> list[jsonschema_rs.ValidationError]:
    """What is wrong by the form that was meant: the first one of the value's own type."""
    forms: list[list[jsonschema_rs.ValidationError]] = getattr(error.kind, "context", [])
    for form in forms:
        if not any(each.kind.name == "type" and tuple(each.instance_path) == path for each in form):
            return form
    return forms[0] if forms else []


def _short(error: jsonschema_rs.ValidationError, name: object) -> str:
    """The message without the value, which may be long, and the customer's."""
    if isinstance(name, str):
        return "is required"
    allowed = getattr(error.kind, "options", None)
    if allowed is not None:
        return f"is not one of {', '.join(map(str, allowed))}"
    return f"does not fit the schema ({error.kind.name})"


def dotted(path: Iterable[str | int]) -> str:
    """`case.attachments[0].id`"""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _without(value: Json, paths: Sequence[tuple[str | int, ...]]) -> Json:
    if not paths:
        return value
    kept = copied(value)
    for *way, name in paths:
        owner = kept
        for step in way:
            owner = owner[step]
        owner.pop(name, None)
    return kept


def builtins(value: msgspec.Struct | Sequence[msgspec.Struct]) -> Json:
    """One of the values as JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))
