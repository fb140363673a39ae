"""What is on offer, by kind and name: entry points of installed packages, and plugin files."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

import msgspec

from orka.agent.agent import AgentType
from orka.agent.tool import FunctionTool
from orka.errors import AgentError, PluginError
from orka.plugin.decides import check_signature
from orka.port.guard import GuardType
from orka.port.memory import Memory
from orka.port.model import Model
from orka.port.store import Store
from orka.port.tool import Tool
from orka.port.toolbox import Toolbox
from orka.score.criterion import Criterion, Proposal, State
from orka.score.factor import Abstained
from orka.score.strategy import STRATEGIES, Choice, Situation, Strategy
from orka.value import Json, digest

T = TypeVar("T")


class Offers(Mapping[str, T], Generic[T]):
    """Name -> thing. An entry point is loaded when it is first looked up; `origin` says whence."""

    def __init__(self, group: str, check: Callable[[str, object, str], T]) -> None:
        self._group, self._check = group, check
        self._found: dict[str, T] = {}
        self.origin: dict[str, str] = {}
        self._points: dict[str, metadata.EntryPoint] = {}
        for point in metadata.entry_points(group=group):
            source = point.dist.name if point.dist else point.value
            if point.name in self._points and self.origin[point.name] != source:
                raise _clash(group, point.name, self.origin[point.name], source)
            self._points[point.name] = point
            self.origin[point.name] = source

    def __getitem__(self, name: str) -> T:
        if name not in self._found:
            point = self._points[name]
            self._found[name] = self._check(name, _loaded(point), _version(point))
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found or name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._points, *self._found}))

    def __len__(self) -> int:
        return len({*self._points, *self._found})

    def add(self, name: str, thing: object, origin: str, version: str) -> None:
        """Raises `PluginError` for a name that is taken or a thing that is not of the kind."""
        if name in self and self.origin.get(name) != origin:
            raise _clash(self._group, name, self.origin[name], origin)
        self.put(name, thing, origin, version)

    def put(self, name: str, thing: object, origin: str, version: str) -> None:
        """Like `add`, in place of what has the name already."""
        self._found[name] = self._check(name, thing, version)
        self.origin[name] = origin


class Tools(Offers[Tool]):
    """Tools by name. A name that nobody has is looked for in the boxes."""

    def __init__(self) -> None:
        super().__init__("orka.tools", _tool)
        self.boxes: list[Toolbox] = []

    def __getitem__(self, name: str) -> Tool:
        box = None if super().__contains__(name) else self._box(name)
        return super().__getitem__(name) if box is None else box[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._box(name) is not None

    def _box(self, name: object) -> Toolbox | None:
        return next((box for box in self.boxes if name in box), None)


class Registry:
    """All offers of a process or a call: built-ins, installed packages, plugin files."""

    def __init__(self) -> None:
        self.agents: Offers[AgentType] = Offers("orka.agents", _agent)
        self.tools = Tools()
        self.toolboxes: Offers[Callable[..., Toolbox]] = Offers("orka.toolboxes", _callable)
        self.models: Offers[Callable[[], Model]] = Offers("orka.models", _callable)
        self.stores: Offers[Callable[..., Store]] = Offers("orka.stores", _callable)
        self.memories: Offers[Callable[..., Memory]] = Offers("orka.memories", _callable)
        self.commands: Offers[object] = Offers("orka.commands", _anything)
        self.guards: Offers[GuardType] = Offers("orka.guards", _guard)
        self.criteria: Offers[Criterion] = Offers("orka.criteria", _criterion)
        self.strategies: Offers[Strategy] = Offers("orka.strategies", _strategy)
        for strategy in STRATEGIES.values():
            self.strategies.put(strategy.name, strategy, "orka", "")
        self.files: dict[str, str] = {}
        self.servers: dict[str, str] = {}

    @property
    def components(self) -> dict[str, str]:
        """The files that runs depend on, with their versions."""
        plugins = {f"plugin:{path}": version for path, version in self.files.items()}
        return plugins | {f"mcp:{path}": version for path, version in self.servers.items()}

    def add(self, thing: object, origin: str = "python", version: str = "") -> bool:
        """Register an agent type, a tool, a criterion or a strategy; False for what is none."""
        if isinstance(thing, AgentType):
            self.agents.add(thing.name, thing, origin, version or thing.version)
        elif isinstance(thing, FunctionTool):
            self.tools.add(thing.name, thing, origin, version)
        elif isinstance(thing, GuardType):
            self.guards.add(thing.name, thing, origin, version)
        elif isinstance(thing, Criterion):
            self.criteria.add(thing.name, thing, origin, version)
        elif isinstance(thing, Strategy):
            self.strategies.add(thing.name, thing, origin, version)
        else:
            return False
        return True

    def store(self, place: str | Path | Store, durability: str = "") -> Store:
        """The store at a folder, or in ":memory:"; one that is a store already is given back."""
        if not isinstance(place, (str, Path)):
            return place
        if str(place) == ":memory:":
            return self.stores["memory"]()
        return self.stores["sqlite"](
            str(place), **({"durability": durability} if durability else {})
        )

    def memory(self, place: str | Path | Memory | None, store: str | Path | Store) -> Memory:
        """The memory in a folder, or in ":memory:"; one that is a memory already is given back.
        Without a `place`: the one beside the runs, or in the process."""
        if place is None:
            place = store if isinstance(store, (str, Path)) else ":memory:"
        return self.memories["sqlite"](str(place)) if isinstance(place, (str, Path)) else place

    def load_file(self, path: str) -> None:
        """Run a plugin file and register the agent types, tools, criteria and strategies in it.

        Raises `PluginError` that names the file, also for whatever the file itself raises.
        """
        source = Path(path).resolve()
        try:
            version = digest(source.read_bytes())[:12]
        except OSError as error:
            raise PluginError(
                f"plugin file {path!r} cannot be read: {error.strerror}",
                fix="check the path; if the file was moved, give its place with --plugin FILE",
                code="plugin.missing",
            ) from None
        module = _run(source, path)
        things = [item for item in vars(module).values() if self._defines(module, item)]
        if not things:
            raise PluginError(
                f"plugin file {path!r} defines no agent type, tool, criterion or strategy",
                fix="mark functions with @orka.agent(name), @orka.tool, @criterion or @strategy",
                code="plugin.empty",
            )
        for thing in things:
            self.add(thing, str(source), version)
        self.files[str(source)] = version

    def open_servers(self, source: str | Path | Mapping[str, Json]) -> None:
        """Offer the tools of the MCP servers that a file declares; none is started yet.

        Raises `ConfigError` (`config.mcp`)."""
        box = self.toolboxes["mcp"](source)
        self.tools.boxes.append(box)
        if not isinstance(source, Mapping):
            self.servers[str(Path(source).resolve())] = box.version

    def take_up(self, components: Mapping[str, str]) -> None:
        """Load the files a run was made with. One that was moved may be given by the user."""
        given, served = dict(self.files), bool(self.tools.boxes)
        for name, version in components.items():
            kind, _, path = name.partition(":")
            if kind == "mcp" and not served:
                self.open_servers(path)
            if kind != "plugin" or path in given or version in given.values():
                continue
            if given and not Path(path).exists():
                continue  # what the user gave takes its place; a missing name is told by `check`
            self.load_file(path)

    async def close(self) -> None:
        """End the servers that were started."""
        for box in self.tools.boxes:
            await box.close()

    def _defines(self, module: ModuleType, item: object) -> bool:
        if not isinstance(item, (AgentType, FunctionTool, Criterion, Strategy)):
            return False
        return getattr(item.function, "__module__", "") == module.__name__


def _run(source: Path, path: str) -> ModuleType:
    name = f"orka_plugin_{source.stem}_{digest(str(source).encode())[:8]}"
    spec = importlib.util.spec_from_file_location(name, source)
    if spec is None or spec.loader is None:
        raise PluginError(f"plugin file {path!r} is not a Python file", code="plugin.missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except PluginError:
        raise
    except (
        Exception,
        SystemExit,
    ) as error:  # a stranger's code: whatever it raises is its failure, by name
        raise PluginError(
            f"plugin file {path!r} raised {type(error).__name__}: {error}",
            fix="run it with python to see where",
            code="plugin.raised",
        ) from error
    return module


def _loaded(point: metadata.EntryPoint) -> object:
    try:
        return point.load()
    except (
        Exception,
        SystemExit,
    ) as error:  # a stranger's code: whatever it raises is its failure, by name
        raise PluginError(
            f"plugin {point.name!r} ({point.value}) cannot be loaded: "
            f"{type(error).__name__}: {error}",
            fix=f"install what it needs, or remove the package {_package(point)}",
            code="plugin.raised",
        ) from error


def _package(point: metadata.EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _version(point: metadata.EntryPoint) -> str:
    return point.dist.version if point.dist else ""


def _clash(group: str, name: str, first: str, second: str) -> PluginError:
    return PluginError(
        f"{second!r} registers {name!r} in {group}, which {first!r} has registered",
        fix="rename one of them",
        code="plugin.name_clash",
    )


def _agent(name: str, thing: object, version: str) -> AgentType:
    if not isinstance(thing, AgentType) or thing.name != name:
        raise PluginError(f"{name!r} is not an agent type of that name: {thing!r}")
    return msgspec.structs.replace(thing, version=version or thing.version)


def _tool(name: str, thing: object, version: str) -> Tool:
    needed = ("name", "schema", "call", "blocking", "idempotent")
    missing = [attribute for attribute in needed if not hasattr(thing, attribute)]
    if missing:
        raise PluginError(f"{name!r} is not a tool: it has no {', '.join(missing)}")
    found: Any = thing  # checked attribute by attribute
    tool: Tool = found
    return tool


def _guard(name: str, thing: object, version: str) -> GuardType:
    if not isinstance(thing, GuardType) or thing.name != name:
        raise PluginError(f"{name!r} is not a guard of that name: {thing!r}")
    return msgspec.structs.replace(thing, version=version or thing.version)


def _criterion(name: str, thing: object, version: str) -> Criterion:
    if not isinstance(thing, Criterion) or thing.name != name:
        raise PluginError(f"{name!r} is not a criterion of that name: {thing!r}")
    check_signature("criterion", name, thing.function, ("candidate", "state"))
    function, version = thing.function, version or thing.version

    def measured(candidate: Proposal, state: State) -> object:
        try:
            return function(candidate, state)
        except (Exception, SystemExit) as error:  # what a stranger cannot say is no value
            return Abstained(f"{name} raised {_told(error)}")

    return msgspec.structs.replace(thing, function=measured, version=version)


def _strategy(name: str, thing: object, version: str) -> Strategy:
    if not isinstance(thing, Strategy) or thing.name != name:
        raise PluginError(f"{name!r} is not a strategy of that name: {thing!r}")
    if STRATEGIES.get(name) is thing:
        return thing
    check_signature("strategy", name, thing.function, ("situation",))
    function, version = thing.function, version or thing.version

    def chosen(situation: Situation) -> Choice:
        try:
            return function(situation)
        except (Exception, SystemExit) as error:  # a stranger's code: its failure, by name
            raise AgentError(
                f"strategy {name!r} raised {_told(error)}",
                fix="the strategy's code raised this; see its source",
                code="strategy.raised",
            ) from error

    return msgspec.structs.replace(thing, function=chosen, version=version)


def _told(error: BaseException) -> str:
    """Type and text of an error, also of one whose text cannot be had."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # a stranger's __str__
        return type(error).__name__


def _callable(name: str, thing: object, version: str) -> Callable[..., Any]:
    if not callable(thing):
        raise PluginError(f"{name!r} is not a factory: {thing!r}")
    return thing


def _anything(name: str, thing: object, version: str) -> object:
    return thing
