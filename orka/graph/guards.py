"""Filters: guards that look at what comes into a run, compiled from what the author wrote."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from orka.agent.agent import Shape
from orka.errors import ConfigError, OrkaError, nearest, raise_all
from orka.spec.guards import INCOMING, GuardSpec
from orka.spec.workflow import Workflow
from orka.value import Json, canonical


class Made(Protocol):
    """A guard that was made: see `orka.port.guard`."""

    @property
    def reach(self) -> int: ...
    def screen(self, text: str, /) -> Any: ...  # Any: the engine looks at what a guard says


class Offered(Protocol):
    """A guard type that is on offer."""

    @property
    def name(self) -> str: ...
    @property
    def config(self) -> type[msgspec.Struct]: ...
    @property
    def version(self) -> str: ...
    @property
    def changes(self) -> bool: ...
    @property
    def make(self) -> Callable[[Any], Made]: ...  # Any: the guard's own config type


@dataclass(frozen=True, slots=True)
class Filter:
    """A guard and what it looks at (`on`). One that is `reversible` puts numbered placeholders in
    place of values, which the tools of `reveal_to` get back. One that is `implied` is there because
    a type of agent wants it. `key` is the same for guards that say the same."""

    name: str
    guard: Made = field(compare=False)
    on: frozenset[str] = frozenset(INCOMING)
    reversible: bool = False
    reveal_to: tuple[str, ...] = ()
    implied: bool = False
    version: str = ""
    where: str = ""
    key: bytes = b""


Guards = Mapping[str, Offered]


def filters_of(workflow: Workflow, specs: Sequence[GuardSpec], known: Guards) -> tuple[Filter, ...]:
    """Raises `ConfigError` for a guard that does not exist or options it does not have."""
    found, problems = list[Filter](), list[OrkaError]()
    for spec in specs:
        try:
            found.append(_filter(workflow, spec, known))
        except ConfigError as error:
            problems.append(error)
    raise_all(problems)
    return tuple(found)


def implied_by(
    shapes: Mapping[str, Shape], inner: Iterable[Filter], there: Sequence[Filter], known: Guards
) -> tuple[Filter, ...]:
    """The filters that agents want, here or in `inner` graphs. A guard without options is not
    wanted where the author has written one of that name."""
    wanted = [_implied(id, each, known) for id, shape in shapes.items() for each in shape.guards]
    wanted += [each for each in inner if each.implied]
    written = {each.name for each in there}
    found = {each.key: each for each in wanted if each.key != _plain(each.name, written)}
    return tuple(found.values())


def _plain(name: str, written: Container[str]) -> bytes:
    return name.encode() if name in written else b""


def versions_of(filters: Iterable[Filter]) -> dict[str, str]:
    return {f"guard:{each.name}": each.version for each in filters}


def spelt(specs: Sequence[GuardSpec]) -> list[Json]:
    """Guards wherever they stand, for a digest."""
    return [msgspec.to_builtins(msgspec.structs.replace(spec, path=())) for spec in specs]


def _filter(workflow: Workflow, spec: GuardSpec, known: Guards) -> Filter:
    where = workflow.document.where(spec.path)
    kind = _kind(spec.use, known, where)
    if spec.reversible and not kind.changes:
        raise ConfigError(
            f"guard {spec.use!r} does not change texts: there is nothing to keep or give back",
            where=workflow.document.where((*spec.path, "reversible")),
            fix="remove `reversible`",
            code="config.guard",
        )
    return Filter(
        name=spec.use,
        guard=_made(kind, _config(workflow, spec, kind), where),
        on=frozenset(spec.on),
        reversible=spec.reversible,
        reveal_to=spec.reveal_to,
        version=kind.version,
        where=where,
        key=canonical(spelt([spec])),
    )


def _implied(id: str, wanted: str | Mapping[str, Json], known: Guards) -> Filter:
    """A filter that the type of the agent `id` wants: by name, or a map with `use` and options."""
    where = f"wanted by the type of agent {id!r}"
    named = isinstance(wanted, str)
    name = wanted if isinstance(wanted, str) else str(wanted.get("use", ""))
    options = {} if isinstance(wanted, str) else {k: v for k, v in wanted.items() if k != "use"}
    kind = _kind(name, known, where)
    guard = _made(kind, _converted(kind, options, where), where)
    key = name.encode() if named or not options else canonical({**options, "use": name})
    return Filter(name, guard, implied=True, version=kind.version, where=where, key=key)


def _converted(kind: Offered, options: Mapping[str, Json], where: str) -> msgspec.Struct:
    try:
        return msgspec.convert(dict(options), kind.config)
    except msgspec.ValidationError as error:
        told = f"guard {kind.name!r}: {error}"
        raise ConfigError(told, where=where, code="config.guard") from None


def _kind(name: str, known: Guards, where: str) -> Offered:
    if name not in known:
        raise ConfigError(
            f"there is no guard {name[:80]!r}",
            where=where,
            fix=nearest(name[:80], known),
            code="config.unknown_guard",
        )
    return known[name]


def _config(workflow: Workflow, spec: GuardSpec, kind: Offered) -> msgspec.Struct:
    fields = [each.encode_name for each in msgspec.structs.fields(kind.config)]
    for name in spec.options:
        if name not in fields:
            raise ConfigError(
                f"guard {spec.use!r} has no option {name[:80]!r}",
                where=workflow.document.where((*spec.path, name)),
                fix=nearest(name[:80], [*fields, "on", "reversible", "reveal_to"]),
                code="config.unknown_key",
            )
    try:
        return msgspec.convert(dict(spec.options), kind.config)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        key = path.rstrip("`").partition(".")[0].partition("[")[0]
        raise ConfigError(
            f"guard {spec.use!r}: {message}" + (f" at {path.rstrip('`')}" if path else ""),
            where=workflow.document.where((*spec.path, key) if key else spec.path),
            code="config.type",
        ) from None


def _made(kind: Offered, config: msgspec.Struct, where: str) -> Made:
    """The guard. Raises `ConfigError` for options that it refuses."""
    try:
        return kind.make(config)
    except OrkaError as error:
        error.where = error.where or where
        raise
    except (ValueError, TypeError, ImportError) as error:
        raise ConfigError(
            f"guard {kind.name!r} cannot be made: {error}", where=where, code="config.guard"
        ) from error
