"""Strangers' agents and tools in the house: what they may ask and touch, and for how long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import partial, wraps
from typing import Any

from msgspec import structs

from orka.agent.agent import AgentFunction, AgentType
from orka.agent.context import Context
from orka.agent.effect import Asked, Group
from orka.engine.confine import Confined
from orka.engine.handlers import Home, ToolHandler
from orka.engine.permits import Permitted
from orka.engine.reach import Bounds
from orka.engine.watchdog import AgentBlocked, Watchdog
from orka.errors import AgentError
from orka.graph.graph import Graph
from orka.plugin.held import Held
from orka.plugin.kinds import home_of, kind_of
from orka.plugin.manifest import Manifest
from orka.plugin.offers import OURS, PYTHON
from orka.plugin.registry import Registry
from orka.port.handler import Handler
from orka.value import Json


def check_manifests(graph: Graph, registry: Registry) -> None:
    """Raises `PluginError` for a node that will ask for what its module's manifest leaves out."""
    _check(graph, Held(registry))


def _check(graph: Graph, held: Held) -> None:
    for node in graph.nodes:
        if error := held.foresees(node.id, node.type, node.tools, node.models):
            error.where = node.where
            raise error
        for inner in node.inner.values():
            _check(inner, held)


def permitted(handlers: Mapping[str, Handler], registry: Registry) -> dict[str, Handler]:
    """The handlers, held to the manifests of those that ask."""
    forbids = Held(registry).forbids
    return {kind: Permitted(kind, handler, forbids) for kind, handler in handlers.items()}


def tools_of(registry: Registry, patience: float) -> ToolHandler:
    """What performs `tool` effects."""
    return ToolHandler(registry.tools, home=homes(registry), patience=patience)


def homes(registry: Registry) -> Callable[[str], Home]:
    """Where each tool comes from, and what it may reach."""
    known: dict[str, Home] = {}

    def home(name: str) -> Home:
        if name not in known:
            origin = registry.tools.origin.get(name, OURS)
            manifest = registry.manifest_of("tool", name)
            bounds = bounds_of(manifest, registry.tools[name]) if manifest else None
            known[name] = Home("" if origin in (OURS, PYTHON) else origin, bounds)
        return known[name]

    return home


def bounds_of(manifest: Manifest, thing: object) -> Bounds:
    """What a tool of a module may reach: what the manifest names, and its own code."""
    return Bounds(
        name=manifest.name,
        hosts=manifest.hosts,
        files=manifest.files,
        env=manifest.env,
        subprocess=manifest.subprocess,
        homes=_places(thing),
    )


def _places(thing: object) -> tuple[str, ...]:
    """The file or folder that holds its code: of a package the whole of it."""
    name = home_of(thing) if kind_of(thing) else type(thing).__module__
    top = sys.modules.get(name.partition(".")[0])
    folders = getattr(top, "__path__", None)
    if folders is not None:
        return tuple(map(str, folders))
    file = getattr(sys.modules.get(name), "__file__", None)
    return (file,) if file else ()


class Catalog(Mapping[str, AgentType]):
    """The agent types of a registry. Those of strangers are looked after: one that does not come
    back is interrupted, and one whose module has a manifest may touch nothing itself."""

    def __init__(self, registry: Registry, patience: float) -> None:
        self._registry, self._watchdog = registry, Watchdog(patience)

    def __getitem__(self, name: str) -> AgentType:
        kind = self._registry.agents[name]
        if self._registry.agents.origin.get(name, OURS) == OURS:
            return kind
        manifest = self._registry.manifest_of("agent", name)
        bounds = Bounds(manifest.name, homes=_places(kind)) if manifest else None
        return structs.replace(kind, function=self._looked_after(kind, bounds))

    def __contains__(self, name: object) -> bool:
        return name in self._registry.agents

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry.agents)

    def __len__(self) -> int:
        return len(self._registry.agents)

    def _looked_after(self, kind: AgentType, bounds: Bounds | None) -> AgentFunction:
        step = partial(_Steps, self._watchdog, kind.name, bounds)

        @wraps(kind.function)
        def begun(ctx: Context) -> Coroutine[Any, Json, Json]:  # Any: as typing has it
            coroutine = kind.function(ctx)
            return step(coroutine) if isinstance(coroutine, Coroutine) else coroutine  # type: ignore[return-value]  # told by the scheduler

        return begun


class _Steps(Coroutine[Asked, Json, Json]):
    """A stranger's coroutine, and those it gathers, looked after from question to question."""

    __slots__ = ("_bounds", "_coroutine", "_type", "_watchdog")

    def __init__(
        self,
        watchdog: Watchdog,
        type: str,
        bounds: Bounds | None,
        coroutine: Coroutine[Any, Json, Json],  # Any: what it awaits is looked at elsewhere
    ) -> None:
        self._watchdog, self._type, self._bounds = watchdog, type, bounds
        self._coroutine = coroutine

    def __await__(self) -> Any:  # Any: as typing has it
        return self._coroutine.__await__()

    def send(self, value: Json) -> Any:  # Any: what it awaits, if that is an effect
        return self._step(self._coroutine.send, value)

    def throw(self, *error: Any) -> Any:  # Any: as typing has it
        return self._step(self._coroutine.throw, *error)

    def close(self) -> None:
        self._coroutine.close()

    def _step(self, act: Callable[..., Any], *arguments: Any) -> Any:  # Any: as send and throw
        try:
            if self._bounds is None:
                asked = self._watchdog.run(act, *arguments)
            else:
                with Confined(f"agent type {self._type!r}", self._bounds, agent=True):
                    asked = self._watchdog.run(act, *arguments)
        except AgentBlocked:
            raise AgentError(
                f"an agent of type {self._type!r} did not come back within "
                f"{self._watchdog.patience:g} s: it neither asked for anything nor ended",
                fix="let it ask (await ctx.…) or end sooner; long work belongs into a tool",
                code="agent.blocked",
            ) from None
        return self._gathering(asked) if isinstance(asked, Group) else asked

    def _gathering(self, group: Group) -> Group:
        """The group with its own coroutines looked after too."""
        step = partial(_Steps, self._watchdog, self._type, self._bounds)
        members = [step(each) if isinstance(each, Coroutine) else each for each in group.members]
        return Group(members, settle=group.settle, limit=group.limit)
