"""Names for what a plugin file makes: providers of models, stores, memories, commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from orka.errors import PluginError
from orka.port.memory import Memory
from orka.port.model import Model
from orka.port.store import Store


class Factory(msgspec.Struct, frozen=True, kw_only=True):
    """What a plugin file registers. `make` is the class or function that makes the thing; of a
    command it is the command itself."""

    kind: Literal["model", "store", "memory", "command"]
    name: str
    make: Any  # Any: a stranger's class, function or click command
    version: str = ""

    def __call__(self, *args: Any, **named: Any) -> Any:  # Any: what the maker takes and gives
        return self.make(*args, **named)


def model(name: str) -> Callable[[Callable[[], Model]], Factory]:
    """A provider of models: `@model("acme")` on a class (or function) without parameters makes
    `model: acme/NAME` reach it."""
    return lambda make: _factory("model", name, make)


def store(name: str) -> Callable[[Callable[[str], Store]], Factory]:
    """A store: `@store("acme")` on a class (or function) of a place makes `--store acme:PLACE` open
    it."""
    return lambda make: _factory("store", name, make)


def memory(name: str) -> Callable[[Callable[[str], Memory]], Factory]:
    """A memory: `@memory("acme")` on a class (or function) of a place makes `memory="acme:PLACE"`
    open it."""
    return lambda make: _factory("memory", name, make)


def command(name: str) -> Callable[[object], Factory]:
    """A subcommand of `orka`: `@command("greet")` above `@click.command()`."""
    return lambda made: _factory("command", name, made)


def _factory(
    kind: Literal["model", "store", "memory", "command"], name: str, make: object
) -> Factory:
    if not callable(make):
        raise PluginError(f"{kind} {name!r} is no class and no function", code="plugin.signature")
    return Factory(kind=kind, name=name, make=make)
