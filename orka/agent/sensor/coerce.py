"""`coerce: true`: a value of another type that can mean one thing only; each change is told."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from orka.agent.sensor.broken import Broken
from orka.agent.sensor.fragments import whole
from orka.agent.sensor.places import Step, at, dotted, replaced_at
from orka.agent.sensor.reading import Repair
from orka.agent.sensor.schema import Problem, Schema
from orka.value import Json, canonical, identical

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_BOOLEANS = {"true": True, "false": False}
_LONGEST = 300
_ROUNDS = 8
# Beyond it a float stands for several integers.
_EXACT = 2.0**53


def coerced(value: Json, schema: Schema, written: Json) -> tuple[Json, tuple[Repair, ...]]:
    """`value` with what a schema's defaults say filled in and texts turned into the numbers, truth
    values, lists and maps they spell. What cannot be is left as it is."""
    repairs: list[Repair] = []
    value = _filled(value, written, written, (), repairs)
    for _ in range(_ROUNDS):
        before = len(repairs)
        for problem in schema.problems(value):
            value = _mended(value, problem, schema, repairs)
        if len(repairs) == before:
            break
    return value, tuple(repairs)


def _mended(value: Json, problem: Problem, schema: Schema, repairs: list[Repair]) -> Json:
    if problem.branches:
        return _branched(value, problem, schema, repairs)
    ways = [new for kind in problem.types for new in _as(kind, problem.found)]
    ways += [option for option in problem.options if _spells(problem.found, option)]
    if not ways or not all(identical(ways[0], way) for way in ways[1:]):
        return value
    repairs.append(Repair("coerced", problem.found, ways[0], problem.where))
    return replaced_at(value, problem.path, ways[0])


def _branched(value: Json, problem: Problem, schema: Schema, repairs: list[Repair]) -> Json:
    """`value` in the one of several forms that it can be mended to."""
    ways: list[tuple[Json, list[Repair]]] = []
    for branch in problem.branches:
        new, made = value, list[Repair]()
        for inner in branch:
            new = _mended(new, inner, schema, made)
        left = [each for each in schema.problems(new) if each.path == problem.path]
        if made and not any(each.rule == problem.rule for each in left):
            ways.append((new, made))
    if not ways or not all(identical(ways[0][0], new) for new, _ in ways[1:]):
        return value
    repairs += ways[0][1]
    return ways[0][0]


def _spells(value: Json, option: Json) -> bool:
    """Whether a text is an option but for blanks around it and the case of its letters."""
    if not isinstance(value, str) or option is None:
        return False
    if isinstance(option, str):
        return value.strip().casefold() == option.strip().casefold()
    kind = "boolean" if isinstance(option, bool) else "number"
    return any(identical(way, option) for way in _as(kind, value))


def _as(kind: str, value: Json) -> list[Json]:
    """What `value` is as a `kind`: one value, or none."""
    if isinstance(value, str):
        text = value.strip()
        if kind == "boolean" and text.casefold() in _BOOLEANS:
            return [_BOOLEANS[text.casefold()]]
        if kind in ("integer", "number") and len(text) <= _LONGEST:
            return _number(kind, text)
        if kind in ("object", "array"):
            return _container(kind, text)
    elif kind == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return [canonical(value).decode()]
    return []


def _number(kind: str, text: str) -> list[Json]:
    if _INTEGER.fullmatch(text):
        return [int(text)]
    if not _NUMBER.fullmatch(text):
        return []
    number = float(text)
    if kind == "integer":
        return [int(number)] if number.is_integer() and abs(number) < _EXACT else []
    return [number] if math.isfinite(number) else []


def _container(kind: str, text: str) -> list[Json]:
    """The map or list that a text spells as JSON without a fault."""
    try:
        decoded = whole(text)
    except Broken:
        return []
    wanted = dict if kind == "object" else list
    if decoded is None or decoded.repairs or not isinstance(decoded.value, wanted):
        return []
    return [decoded.value]


def _whole(value: Json, schema: Mapping[str, Json]) -> Json:
    """An integer for 3.0, where a schema asks for one and for no other number."""
    types = schema.get("type")
    asked = types if isinstance(types, list) else [types]
    if not isinstance(value, float) or "integer" not in asked or "number" in asked:
        return value
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def _filled(
    value: Json, schema: Json, root: Json, path: tuple[Step, ...], repairs: list[Repair]
) -> Json:
    """`value` with the defaults of properties that are not there."""
    schema = _resolved(schema, root)
    if not isinstance(schema, Mapping) or len(path) > _LONGEST:
        return value
    if not identical(number := _whole(value, schema), value):
        repairs.append(Repair("coerced", value, number, dotted(path)))
        return number
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
