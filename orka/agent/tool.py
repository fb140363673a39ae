"""`@tool`: a plain Python function with a schema made from its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace
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
    gives: object = None

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
def tool(
    *, name: str = "", idempotent: bool = False, gives: object = None
) -> Callable[[Function], FunctionTool]: ...
def tool(
    function: Function | None = None,
    /,
    *,
    name: str = "",
    idempotent: bool = False,
    gives: object = None,
) -> FunctionTool | Callable[[Function], FunctionTool]:
    """Make a tool of a sync or async function. Sync ones run in a thread, off the event loop.

    `idempotent` declares that two calls with the same effect key act once; take the key as a
    parameter called `effect_key`. A result that is not what `gives` says (a JSON Schema, a Struct,
    a dataclass; without it the return annotation, if that is one of these or a TypedDict) fails.
    Raises `PluginError` for a signature without types or with one that JSON does not have.
    """
    if function is None:
        return lambda found: _tool(found, name, gives, idempotent=idempotent)
    return _tool(function, name, gives, idempotent=idempotent)


def _tool(function: Function, name: str, gives: object, *, idempotent: bool) -> FunctionTool:
    name = name or getattr(function, "__name__", "")
    parameters = _signature(function, name)
    arguments = _arguments(function, name, parameters)
    return FunctionTool(
        name=name,
        function=function,
        arguments=arguments,
        schema=_schema(arguments),
        description=inspect.getdoc(function) or "",
        idempotent=idempotent,
        blocking=not inspect.iscoroutinefunction(function),
        wants_key=KEY in parameters,
        gives=gives,
    )


def _signature(function: Function, name: str) -> Mapping[str, inspect.Parameter]:
    """The parameters of what can be a tool: a function that returns one value."""
    if inspect.isclass(function) or not isinstance(getattr(function, "__name__", None), str):
        kind = "a class" if inspect.isclass(function) else f"a {type(function).__name__}"
        named = name or repr(function)
        raise _refused(
            f"tool {named!r} is {kind}, not a function", "write a function that calls it"
        )
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise _refused(
            f"tool {name!r} yields, and a tool gives one value", "return a value, such as a list"
        )
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise _refused(
            f"the parameters of tool {name!r} cannot be read: {error}",
            "write a function that calls it",
        ) from None


def _arguments(
    function: Function, name: str, parameters: Mapping[str, inspect.Parameter]
) -> type[msgspec.Struct]:
    fields = [
        _field(function, name, parameter)
        for parameter in parameters.values()
        if parameter.name != KEY or parameter.kind is parameter.POSITIONAL_ONLY
    ]
    return msgspec.defstruct(f"{name}_arguments", fields, kw_only=True, forbid_unknown_fields=True)


def _field(
    function: Function, name: str, parameter: inspect.Parameter
) -> tuple[str, Any] | tuple[str, Any, Any]:
    """A parameter as a field, proven to have a schema. Raises `PluginError` that names both."""
    of = f"parameter {parameter.name!r} of tool {name!r}"
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise _refused(
            f"{of} is positional-only, and arguments are passed by name", "take out the `/`"
        )
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise _refused(
            f"tool {name!r} takes {parameter}, which has no schema",
            "give each parameter a name and a type",
        )
    if parameter.annotation is parameter.empty:
        raise _refused(f"{of} has no type", f"annotate it, for example `{parameter.name}: str`")
    kind = _type(function, parameter, of)
    found = (parameter.name, kind)
    field = found if parameter.default is parameter.empty else (*found, _default(parameter.default))
    try:
        msgspec.json.schema(msgspec.defstruct("Alone", [field]))
    except (TypeError, NameError) as error:
        raise _refused(
            f"{of} has a type or default that JSON does not have: {str(parameter)!r}",
            "use str, int, float, bool, list, dict, a dataclass, or typing.Any for any JSON",
        ) from error
    return field


def _type(function: Function, parameter: inspect.Parameter, of: str) -> Any:  # Any: a type form
    """The type that an annotation stands for where the function was written; object is any JSON."""
    alone = SimpleNamespace(
        __annotations__={parameter.name: parameter.annotation}, __wrapped__=function
    )
    try:
        kind = get_type_hints(alone)[parameter.name]
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        raise _refused(
            f"the type of {of} cannot be read: {error}",
            "import it where the tool is defined, or correct its name",
        ) from None
    return Any if kind is object else kind


def _refused(what: str, fix: str) -> PluginError:
    return PluginError(what, fix=fix, code="plugin.tool_signature")


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
