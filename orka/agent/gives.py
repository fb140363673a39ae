"""What an agent or tool says it gives, and whether it does."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, get_type_hints, is_typeddict

import msgspec

from orka.errors import ConfigError, OrkaError, PluginError
from orka.value import Json, plain

if TYPE_CHECKING:
    from orka.agent.sensor.schema import Schema

Function = Callable[..., Any]  # Any: a user's function takes and returns what it likes
_SHOWN = 3


class Gives:
    """A JSON Schema that every value of `owner` (an agent or a tool, by name) has to meet."""

    def __init__(self, owner: str, schema: Json) -> None:
        self.owner, self.schema = owner, schema

    @cached_property
    def _compiled(self) -> Schema:
        from orka.agent.sensor.schema import Schema  # noqa: PLC0415  # heavy, and seldom needed

        return Schema(self.schema)

    def kept(self, function: Function, error: type[OrkaError], code: str) -> Function:
        """The function, sync or async, with its value checked."""

        @wraps(function)
        def plainly(*args: Any, **named: Any) -> object:  # Any: what the function takes
            value = function(*args, **named)
            self.check(value, error, code)
            return value

        @wraps(function)
        async def later(*args: Any, **named: Any) -> object:  # Any: what the function takes
            value = await function(*args, **named)
            self.check(value, error, code)
            return value

        return later if inspect.iscoroutinefunction(function) else plainly

    def check(self, value: object, error: type[OrkaError], code: str) -> None:
        """Raises `error` that names the places where `value` is not what was declared."""
        try:
            found, _ = plain(value)
        except (TypeError, ValueError):
            return  # no data at all: told when it is to be recorded
        problems = self._compiled.problems(found)
        if not problems:
            return
        told = "; ".join(f"{each.where or '$'} {each.message}" for each in problems[:_SHOWN])
        more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise error(
            f"{self.owner} gave what it did not declare: {told}{more}",
            fix="correct what it returns, or its `gives`",
            code=code,
        )


def declared(owner: str, written: object) -> Gives | None:
    """What `gives=` says: a JSON Schema, a Struct, a dataclass or a pydantic model. Raises
    `PluginError` for anything else."""
    if written is None:
        return None
    from orka.agent.sensor.contract import Contract  # noqa: PLC0415  # heavy, and seldom needed

    try:
        return Gives(owner, Contract.of(written).schema)
    except ConfigError as error:
        raise PluginError(
            f"`gives` of {owner} is no contract: {error.what}",
            fix=error.fix,
            code="plugin.signature",
        ) from None


def annotated(owner: str, function: Function) -> Gives | None:
    """What the return annotation says, if that is a Struct, a dataclass or a TypedDict."""
    try:
        kind = get_type_hints(function).get("return")
    except (NameError, AttributeError, SyntaxError, TypeError):
        return None
    if not isinstance(kind, type):
        return None
    shaped = issubclass(kind, msgspec.Struct) or dataclasses.is_dataclass(kind)
    if not (shaped or is_typeddict(kind)):
        return None
    try:
        (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    except (TypeError, NameError):
        return None  # a field that JSON does not have: nothing is declared
    return Gives(owner, {**schema, "$defs": parts})
