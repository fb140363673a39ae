"""What a thing has to be to be registered, kind by kind."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import msgspec

from orka.agent.agent import AgentType
from orka.agent.gives import annotated, declared
from orka.agent.tool import FunctionTool
from orka.errors import AgentError, PluginError, ToolError
from orka.plugin.decides import check_signature
from orka.plugin.manifest import Manifest, checked
from orka.port.factory import Factory
from orka.port.guard import GuardType
from orka.port.tool import Tool
from orka.port.view import ViewType
from orka.score.criterion import Criterion
from orka.score.strategy import Strategy

_OURS = "orka."
# What a plugin file may hold, and how it is called.
KINDS: dict[type, str] = {
    AgentType: "agent",
    FunctionTool: "tool",
    GuardType: "guard",
    Criterion: "criterion",
    Strategy: "strategy",
    ViewType: "view",
}


def kind_of(thing: object) -> str:
    """The kind of thing it is; "" for what is none."""
    if isinstance(thing, Factory):
        return thing.kind
    return next((kind for each, kind in KINDS.items() if isinstance(thing, each)), "")


def home_of(thing: Any) -> str:  # Any: one of the kinds
    """The module in which its code was written."""
    if isinstance(thing, Factory):
        made = getattr(thing.make, "callback", thing.make)  # a click command has a callback
    else:
        made = thing.make if isinstance(thing, GuardType) else thing.function
    return str(getattr(made, "__module__", ""))


def agent(name: str, thing: object, version: str) -> AgentType:
    if not isinstance(thing, AgentType) or thing.name != name:
        raise PluginError(f"{name!r} is not an agent type of that name: {thing!r}")
    _config("agent type", name, thing.config)
    check_call("agent", name, thing.function, "ctx")
    promised = declared(f"agent type {name!r}", thing.gives)
    function = thing.function
    if promised is not None:
        function = promised.kept(function, AgentError, "agent.undeclared_output")
    return msgspec.structs.replace(thing, function=function, version=version or thing.version)


def tool(name: str, thing: object, version: str) -> Tool:
    needed = ("name", "schema", "call", "blocking", "idempotent")
    missing = [attribute for attribute in needed if not hasattr(thing, attribute)]
    if missing:
        raise PluginError(f"{name!r} is not a tool: it has no {', '.join(missing)}")
    if isinstance(thing, FunctionTool):
        owner = f"tool {name!r}"
        promised = declared(owner, thing.gives) or annotated(owner, thing.function)
        if promised is not None:
            function = promised.kept(thing.function, ToolError, "tool.undeclared_output")
            thing = msgspec.structs.replace(thing, function=function)
    found: Any = thing  # checked attribute by attribute
    made: Tool = found
    return made


def guard(name: str, thing: object, version: str) -> GuardType:
    if not isinstance(thing, GuardType) or thing.name != name:
        raise PluginError(f"{name!r} is not a guard of that name: {thing!r}")
    _config("guard", name, thing.config)
    check_call("guard", name, thing.make, "options")
    return msgspec.structs.replace(thing, version=version or thing.version)


def view(name: str, thing: object) -> ViewType:
    if not isinstance(thing, ViewType) or thing.name != name:
        raise PluginError(f"{name!r} is not a view of that name: {thing!r}")
    check_signature("view", name, thing.function, ("run",))
    return thing


def criterion(name: str, thing: object) -> Criterion:
    if not isinstance(thing, Criterion) or thing.name != name:
        raise PluginError(f"{name!r} is not a criterion of that name: {thing!r}")
    check_signature("criterion", name, thing.function, ("candidate", "state"))
    return thing


def strategy(name: str, thing: object) -> Strategy:
    if not isinstance(thing, Strategy) or thing.name != name:
        raise PluginError(f"{name!r} is not a strategy of that name: {thing!r}")
    return thing


def factory(name: str, thing: object, version: str) -> Callable[..., Any]:
    made: object = thing.make if isinstance(thing, Factory) else thing
    if not callable(made):
        raise PluginError(f"{name!r} is not a factory: {made!r}")
    return made


def command(name: str, thing: object, version: str) -> object:
    return thing.make if isinstance(thing, Factory) else thing


def module(name: str, thing: object, version: str) -> Manifest:
    found = checked(thing, name)
    return msgspec.structs.replace(found, version=found.version or version)


def check_call(kind: str, name: str, function: Callable[..., Any], parameter: str) -> None:
    """Raises `PluginError` for what cannot be called with one argument."""
    try:
        inspect.signature(function).bind(parameter)
    except (TypeError, ValueError) as error:
        raise PluginError(
            f"{kind} {name!r} cannot be called with ({parameter}): {error}",
            fix=f"give it the one parameter {parameter!r}",
            code="plugin.signature",
        ) from None


def _config(kind: str, name: str, config: object) -> None:
    """Options are a msgspec Struct whose fields JSON has: files say them, editors complete them."""
    if not (isinstance(config, type) and issubclass(config, msgspec.Struct)):
        raise _no_config(kind, name, f"{config!r} is no msgspec Struct")
    if config.__module__.startswith(_OURS):
        return  # tests prove those; a run should not pay for it
    try:
        msgspec.json.schema(config)
    except (TypeError, NameError) as error:
        raise _no_config(kind, name, str(error)) from None


def _no_config(kind: str, name: str, why: str) -> PluginError:
    return PluginError(
        f"the options of {kind} {name!r} cannot be read from a file: {why}",
        fix="give `config=` a msgspec Struct of text, numbers, booleans, lists and maps",
        code="plugin.config",
    )
