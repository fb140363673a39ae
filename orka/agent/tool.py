"""`@tool`: a plain Python function with a schema made from its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints, overload

import msgspec

from orka.errors import PluginError, ToolError
from orka.value import Json

# A parameter of this name gets the key of the effect, the same for every attempt and process.
KEY = "effect_key"

Function = Callable[..., Any]  # Any: a user's function takes and returns what it likes


class FunctionTool(msgspec.Struct, frozen=True, kw_only=True):
    """A function as a tool. Arguments are checked against its signature before it is called."""

    name: str
    function: Function
    arguments: type[msgspec.Struct]
    schema: Json
    description: str = ""
    idempotent: bool = False
    blocking: bool = True
    wants_key: bool = False

    def call(self, args: Mapping[str, Json], key: str) -> object:
        """Raises `ToolError` naming the argument that does not fit, before anything happens."""
        try:
            checked = msgspec.convert(dict(args), self.arguments)
        except msgspec.ValidationError as error:
            raise ToolError(
                f"tool {self.name!r} was called with arguments that do not fit: {error}",
                fix=f"its parameters are: {_parameters(self.arguments)}",
                code="tool.arguments",
                retryable=False,
            ) from None
        named = {field: getattr(checked, field) for field in checked.__struct_fields__}
        if self.wants_key:
            named[KEY] = key
        return self.function(**named)


@overload
def tool(function: Function, /) -> FunctionTool: ...
@overload
def tool(*, name: str = "", idempotent: bool = False) -> Callable[[Function], FunctionTool]: ...
def tool(
    function: Function | None = None, /, *, name: str = "", idempotent: bool = False
) -> FunctionTool | Callable[[Function], FunctionTool]:
    """Make a tool of a sync or async function. Sync ones run in a thread, off the event loop.

    `idempotent` declares that two calls with the same effect key act once; take the key as a
    parameter called `effect_key`. Raises `PluginError` for a signature without types.
    """
    if function is None:
        return lambda found: _tool(found, name, idempotent=idempotent)
    return _tool(function, name, idempotent=idempotent)


def _tool(function: Function, name: str, *, idempotent: bool) -> FunctionTool:
    name = name or function.__name__
    arguments = _arguments(function, name)
    return FunctionTool(
        name=name,
        function=function,
        arguments=arguments,
        schema=_schema(arguments),
        description=inspect.getdoc(function) or "",
        idempotent=idempotent,
        blocking=not inspect.iscoroutinefunction(function),
        wants_key=KEY in inspect.signature(function).parameters,
    )


def _arguments(function: Function, name: str) -> type[msgspec.Struct]:
    hints = get_type_hints(function)
    required: list[tuple[str, Any]] = []
    optional: list[tuple[str, Any, Any]] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == KEY:
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise PluginError(
                f"tool {name!r} takes {parameter}, which has no schema",
                fix="give each parameter a name and a type",
                code="plugin.tool_signature",
            )
        if parameter.name not in hints:
            raise PluginError(
                f"parameter {parameter.name!r} of tool {name!r} has no type",
                fix=f"annotate it, for example `{parameter.name}: str`",
                code="plugin.tool_signature",
            )
        kind = hints[parameter.name]
        if parameter.default is parameter.empty:
            required.append((parameter.name, kind))
        else:
            optional.append((parameter.name, kind, _default(parameter.default)))
    return msgspec.defstruct(
        f"{name}_arguments", [*required, *optional], kw_only=True, forbid_unknown_fields=True
    )


def _default(value: object) -> object:
    """A mutable default is made anew for each call."""
    if isinstance(value, (list, dict, set)):
        return msgspec.field(default_factory=lambda: type(value)(value))
    return value


def _schema(arguments: type[msgspec.Struct]) -> Json:
    (schema,), components = msgspec.json.schema_components(
        [arguments], ref_template="#/$defs/{name}"
    )
    name = schema["$ref"].rpartition("/")[2]
    found = components.pop(name)
    return {**found, "$defs": components} if components else found


def _parameters(arguments: type[msgspec.Struct]) -> str:
    return ", ".join(arguments.__struct_fields__) or "none"
