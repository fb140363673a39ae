"""`coerce: true`: a value of another type that can mean one thing only; each change is told."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orka.agent.sensor.places import Step, at, dotted, replaced_at
from orka.agent.sensor.reading import Repair
from orka.agent.sensor.schema import Problem, Schema
from orka.value import Json, canonical, identical

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_BOOLEANS = {"true": True, "false": False}
_LONGEST = 300
_ROUNDS = 8


def coerced(value: Json, schema: Schema, written: Json) -> tuple[Json, tuple[Repair, ...]]:
    """`value` with what a schema's defaults say filled in and texts turned into the numbers and
    truth values they spell. What cannot be is left as it is."""
    repairs: list[Repair] = []
    value = _filled(value, written, written, (), repairs)
    for _ in range(_ROUNDS):
        before = len(repairs)
        for problem in schema.problems(value):
            value = _mended(value, problem, repairs)
        if len(repairs) == before:
            break
    return value, tuple(repairs)


def _mended(value: Json, problem: Problem, repairs: list[Repair]) -> Json:
    ways = [new for kind in problem.types for new in _as(kind, problem.found)]
    if not ways or not all(identical(ways[0], way) for way in ways[1:]):
        return value
    repairs.append(Repair("coerced", problem.found, ways[0], problem.where))
    return replaced_at(value, problem.path, ways[0])


def _as(kind: str, value: Json) -> list[Json]:
    """What `value` is as a `kind`: one value, or none."""
    if isinstance(value, str):
        if kind == "boolean" and value.casefold() in _BOOLEANS:
            return [_BOOLEANS[value.casefold()]]
        if kind in ("integer", "number") and len(value) <= _LONGEST:
            if _INTEGER.fullmatch(value):
                return [int(value)]
            if kind == "number" and _NUMBER.fullmatch(value):
                number = float(value)
                return [number] if abs(number) != float("inf") else []
    elif kind == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return [canonical(value).decode()]
    return []


def _filled(
    value: Json, schema: Json, root: Json, path: tuple[Step, ...], repairs: list[Repair]
) -> Json:
    """`value` with the defaults of properties that are not there."""
    schema = _resolved(schema, root)
    if not isinstance(schema, Mapping) or len(path) > _LONGEST:
        return value
    if isinstance(value, list) and isinstance(items := schema.get("items"), Mapping):
        return [_filled(v, items, root, (*path, n), repairs) for n, v in enumerate(value)]
    properties = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, Mapping):
        return value
    filled = dict(value)
    for name, inner in properties.items():
        here = (*path, name)
        if name in filled:
            filled[name] = _filled(filled[name], inner, root, here, repairs)
            continue
        found = _resolved(inner, root)
        if isinstance(found, Mapping) and "default" in found:
            filled[name] = found["default"]
            repairs.append(Repair("default", None, found["default"], dotted(here)))
    return filled


def _resolved(schema: Json, root: Json) -> Json:
    """A schema, or the one that its `$ref` within the whole names."""
    reference = schema.get("$ref") if isinstance(schema, Mapping) else None
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    keys = [key.replace("~1", "/").replace("~0", "~") for key in reference[2:].split("/")]
    try:
        return at(root, keys)
    except (KeyError, TypeError, IndexError):
        return schema
