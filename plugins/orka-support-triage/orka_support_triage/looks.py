"""The guards that the agents look with: those that are installed under a name, made once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import metadata

import msgspec

from orka.errors import AgentError, OrkaError
from orka.port.guard import Guard, GuardType
from orka.value import Json, canonical, parse

GROUP = "orka.guards"
# What a guard has looked at once, so that it has read its files before a run.
_TRIED = "Hello, this is Ann. Where is my order?"


def guard_named(name: str, options: Mapping[str, Json]) -> Guard:
    """The guard with these options. Raises `AgentError` if none is installed, or for options that
    it does not have."""
    return _made(name, canonical(dict(options)))


@lru_cache(maxsize=256)
def _made(name: str, written: bytes) -> Guard:
    kind = _type(name)
    try:
        guard = kind.make(msgspec.convert(parse(written), kind.config))
    except msgspec.ValidationError as error:
        raise AgentError(f"guard {name!r}: {error}", code="triage.option") from None
    guard.screen(_TRIED)
    return guard


@cache
def _type(name: str) -> GuardType:
    for point in metadata.entry_points(group=GROUP, name=name):
        found = point.load()
        if isinstance(found, GuardType):
            return found
    raise AgentError(
        f"no guard {name!r} is installed",
        fix="pip install 'orka[guards]'",
        code="triage.no_guard",
    )


def refusal(name: str, options: Mapping[str, Json]) -> str:
    """Why there is no such guard; '' if there is one. An agent asks for it before a run: in a run
    it may read no file, and guards read theirs when they are made."""
    try:
        guard_named(name, options)
    except OrkaError as error:
        return f"{error.what}; {error.fix}" if error.fix else error.what
    return ""


def custom(patterns: tuple[str | dict[str, Json], ...], prefix: str) -> list[Json]:
    """Patterns as guards take them: a text gets the name PREFIX_NUMBER."""
    named: list[Json] = []
    for number, pattern in enumerate(patterns):
        written = {"pattern": pattern} if isinstance(pattern, str) else dict(pattern)
        named.append({"name": f"{prefix}_{number}", **written})
    return named
