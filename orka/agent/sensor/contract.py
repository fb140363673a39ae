"""What an answer must be: a JSON Schema, units, a least confidence, a greatest age."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from orka.agent.sensor import told
from orka.agent.sensor.coerce import coerced
from orka.agent.sensor.fields import lacks
from orka.agent.sensor.keywords import misspelt
from orka.agent.sensor.reading import Repair
from orka.agent.sensor.schema import Problem, Schema, shown
from orka.agent.sensor.short import DEFAULTS, FIELDS, expanded, is_short, wrong
from orka.errors import ConfigError
from orka.value import Json, canonical, digest, plain

CONFIDENCE, OBSERVED = "confidence", "observed_at"
_SPAN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|min|h|d)?\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


class Verdict(msgspec.Struct, frozen=True):
    """A value as it is after coercion, and what is wrong with it: a `kind`, and `problems`."""

    value: Json
    repairs: tuple[Repair, ...] = ()
    kind: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def message(self) -> str:
        return "; ".join(f"{problem.where} {problem.message}" for problem in self.problems)


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """`schema` is a JSON Schema of any draft. `units` (field -> unit) are told to the model and in
    violations. `max_age` is in seconds, of the field `observed_at`. Without `coerce` types are
    strict."""

    schema: Json
    units: dict[str, str] = {}
    min_confidence: float | None = None
    max_age: float | None = None
    coerce: bool = False

    @classmethod
    def of(cls, written: object, *, coerce: bool = False) -> Contract:
        """The contract of a JSON Schema, the short form (`required`, `optional`, `types`, `units`
        …), a pydantic model or a msgspec Struct. Raises `ConfigError` if it is none of them."""
        if isinstance(written, Contract):
            return msgspec.structs.replace(written, coerce=coerce or written.coerce)
        if isinstance(written, type):
            return _checked(cls(schema=_schema_of_type(written), coerce=coerce))
        schema, notes = plain(written)
        if notes:
            raise wrong(f"it is not JSON: {notes[0]}", "write it as JSON Schema")
        if not isinstance(schema, Mapping) or not is_short(schema):
            return _checked(cls(schema=schema, coerce=coerce))
        inner = schema.get("schema")
        if inner is None:
            inner = expanded(schema)
        elif isinstance(inner, Mapping) and is_short(inner):
            inner = expanded(inner)
        return _checked(
            cls(
                schema=inner,
                units=_units(schema.get("units", {})),
                min_confidence=_confidence(schema.get("min_confidence")),
                max_age=_seconds(schema.get("max_age")),
                coerce=coerce,
            )
        )

    @classmethod
    def default(cls, agent_type: str, *, coerce: bool = False) -> Contract | None:
        """What agents of a type of OrKa 0.9 were held to when they named no schema."""
        found = DEFAULTS.get(agent_type)
        return None if found is None else cls.of(found, coerce=coerce)

    @property
    def digest(self) -> str:
        """The digest of the schema, as violations name it."""
        return digest(canonical(self.schema))

    @property
    def instructions(self) -> str:
        """The contract in words, for a prompt."""
        limits = []
        if self.min_confidence is not None:
            limits.append(f"`{CONFIDENCE}` is a number from 0 to 1: how sure you are.")
        if self.max_age is not None:
            limits.append(f"`{OBSERVED}` is when it was observed, in ISO 8601 with a time zone.")
        return told.instructions(self.schema, self.units, limits)

    def judge(self, value: Json, now: float | None = None) -> Verdict:
        """What `value` is worth under this contract at `now` (seconds since the epoch)."""
        schema = Schema(self.schema)
        repairs: tuple[Repair, ...] = ()
        if self.coerce:
            value, repairs = coerced(value, schema, self.schema)
        problems = tuple(self._with_unit(problem) for problem in schema.problems(value))
        if problems:
            return Verdict(value, repairs, "schema", problems)
        if problem := self._unsure(value):
            return Verdict(value, repairs, "confidence", (problem,))
        if problem := self._stale(value, now):
            return Verdict(value, repairs, "stale", (problem,))
        return Verdict(value, repairs)

    def _with_unit(self, problem: Problem) -> Problem:
        unit = self.units.get(problem.where)
        if unit is None:
            return problem
        return msgspec.structs.replace(problem, message=f"(in {unit}) {problem.message}")

    def _unsure(self, value: Json) -> Problem | None:
        if self.min_confidence is None:
            return None
        found = value.get(CONFIDENCE) if isinstance(value, dict) else None
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 <= found <= 1:
            return _problem(CONFIDENCE, f"should be a number from 0 to 1, and is {shown(found)}")
        if found < self.min_confidence:
            return _problem(CONFIDENCE, f"is {shown(found)}, below {self.min_confidence:g}")
        return None

    def _stale(self, value: Json, now: float | None) -> Problem | None:
        if self.max_age is None or now is None:
            return None
        found = value.get(OBSERVED) if isinstance(value, dict) else None
        seen = _instant(found)
        if seen is None:
            what = f"should be a time with its zone (ISO 8601), and is {shown(found)}"
            return _problem(OBSERVED, what)
        if seen > now:
            return _problem(OBSERVED, f"is {shown(found)}, which has not come yet")
        if now - seen > self.max_age:
            what = f"is {shown(found)}, {now - seen:.0f} s ago: more than {self.max_age:g} s"
            return _problem(OBSERVED, what)
        return None


def _problem(field: str, message: str) -> Problem:
    return Problem((field,), field, message)


def _checked(contract: Contract) -> Contract:
    if not isinstance(contract.schema, (Mapping, bool)):
        raise wrong(f"{shown(contract.schema)} is no JSON Schema", "write a map")
    try:
        Schema(contract.schema)
    except ValueError as error:
        fix = f"correct it; the short form has the keys {', '.join(FIELDS)}"
        raise wrong(f"it is not a JSON Schema: {error}", fix) from None
    if found := misspelt(contract.schema):
        raise wrong(f"JSON Schema has no keyword {found[0]!r}", found[1])
    _fields_exist(contract)
    return contract


def _fields_exist(contract: Contract) -> None:
    """What is said of a field has to be said of one that there is."""
    named = [("units", field) for field in contract.units]
    named += [("min_confidence", CONFIDENCE)] if contract.min_confidence is not None else []
    named += [("max_age", OBSERVED)] if contract.max_age is not None else []
    for key, field in named:
        if lacks(contract.schema, field):
            what = f"`{key}` is about the field {field!r}, which the schema does not have"
            raise wrong(
                what,
                f"add {field!r} to the schema, or remove it from `{key}`"
                if key == "units"
                else f"add {field!r} to the schema, or remove `{key}`",
            )


def _schema_of_type(kind: Any) -> Json:  # Any: a stranger's class
    """The schema of a pydantic model, msgspec Struct or dataclass."""
    if callable(described := getattr(kind, "model_json_schema", None)):
        return plain(described())[0]
    if not (dataclasses.is_dataclass(kind) or issubclass(kind, msgspec.Struct)):
        raise wrong(
            f"{kind.__name__} is no pydantic model, msgspec Struct or dataclass",
            "give one of them, or a JSON Schema",
        )
    try:
        (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    except (TypeError, NameError) as error:
        raise ConfigError(
            f"{kind.__name__} has a field that JSON does not have: {error}", code="config.contract"
        ) from None
    return {**schema, "$defs": parts}


def _units(written: Json) -> dict[str, str]:
    if not isinstance(written, Mapping) or not all(isinstance(u, str) for u in written.values()):
        raise wrong("`units` is no map of fields to units", "write units: {temperature: °C}")
    return dict(written)


def _confidence(written: Json) -> float | None:
    if written is None:
        return None
    if isinstance(written, bool) or not isinstance(written, (int, float)) or not 0 <= written <= 1:
        raise wrong(f"`min_confidence` is {written!r}", "write a number from 0 to 1")
    return float(written)


def _seconds(written: Json) -> float | None:
    """Seconds of 30, "30s", "5m", "2h" or "1d"."""
    if written is None:
        return None
    found = _SPAN.fullmatch(str(written)) if not isinstance(written, bool) else None
    if found is None:
        raise wrong(f"`max_age` is {written!r}", 'write seconds, or "30s", "5m", "2h", "1d"')
    return float(found.group(1)) * _SECONDS[found.group(2) or "s"]


def _instant(written: Json) -> float | None:
    """Seconds since the epoch of a number, or of an ISO 8601 text that names its zone."""
    if isinstance(written, (int, float)) and not isinstance(written, bool):
        return float(written)
    if not isinstance(written, str):
        return None
    try:
        found = datetime.datetime.fromisoformat(written)
    except ValueError:
        return None
    return found.timestamp() if found.tzinfo is not None else None
