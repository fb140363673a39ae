"""What is on offer, by kind and name: entry points of installed packages, and plugin files."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from functools import partial, wraps
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import msgspec

from orka.agent.agent import AgentType
from orka.errors import AgentError, PluginError, nearest
from orka.plugin import kinds
from orka.plugin.decides import check_signature
from orka.plugin.manifest import Manifest, compare, undeclared_offer
from orka.plugin.offers import OURS, PYTHON, Check, Offers, Point, Tools, installed
from orka.port.guard import GuardType
from orka.port.memory import Memory
from orka.port.model import Model
from orka.port.store import Store
from orka.port.toolbox import Toolbox
from orka.port.view import ViewType
from orka.score.criterion import Criterion, Proposal, State
from orka.score.factor import Abstained
from orka.score.strategy import STRATEGIES, Choice, Situation, Strategy
from orka.value import Json, digest, plain

# The environment variable that names modules for all runs: `ORKA_FEATURES=a,b`.
FEATURES = "ORKA_FEATURES"
T = TypeVar("T")


class Registry:
    """All offers of a process or a call: built-ins, installed packages, plugin files."""

    def __init__(self) -> None:
        self.points = installed()
        self.agents: Offers[AgentType] = self._offers("agents", kinds.agent)
        self.tools = Tools(kinds.tool, _loaded, self.points)
        self.toolboxes: Offers[Callable[..., Toolbox]] = self._offers("toolboxes", kinds.factory)
        self.models: Offers[Callable[[], Model]] = self._offers("models", kinds.factory)
        self.stores: Offers[Callable[..., Store]] = self._offers("stores", kinds.factory)
        self.memories: Offers[Callable[..., Memory]] = self._offers("memories", kinds.factory)
        self.commands: Offers[object] = self._offers("commands", kinds.command)
        self.guards: Offers[GuardType] = self._offers("guards", kinds.guard)
        self.views: Offers[ViewType] = self._offers("views", _view)
        self.criteria: Offers[Criterion] = self._offers("criteria", _criterion)
        self.strategies: Offers[Strategy] = self._offers("strategies", _strategy)
        for strategy in STRATEGIES.values():
            self.strategies.builtin(strategy.name, strategy)
        self.modules: Offers[Manifest] = self._offers("modules", kinds.module)
        for kind, offers in self.kinds.items():
            offers.vet = partial(self._vet, kind)
        self.modules.vet = self._vet_module
        self.features: tuple[str, ...] = ()
        self.files: dict[str, str] = {}
        self.servers: dict[str, str] = {}

    def _offers(self, group: str, check: Check[T]) -> Offers[T]:
        return Offers(f"orka.{group}", check, _loaded, self.points)

    @property
    def kinds(self) -> dict[str, Offers[Any]]:  # Any: each kind offers its own
        """Kind of thing -> all there is of it."""
        return {
            "agent": self.agents,
            "tool": self.tools,
            "model": self.models,
            "store": self.stores,
            "memory": self.memories,
            "command": self.commands,
            "criterion": self.criteria,
            "strategy": self.strategies,
            "guard": self.guards,
            "view": self.views,
        }

    @property
    def components(self) -> dict[str, str]:
        """The modules asked for everywhere and the files that runs depend on, with their
        versions."""
        modules = {f"module:{name}": self.version_of(name) for name in self.features}
        plugins = {f"plugin:{path}": version for path, version in self.files.items()}
        return (
            modules | plugins | {f"mcp:{path}": version for path, version in self.servers.items()}
        )

    def add(self, thing: object, origin: str = PYTHON, version: str = "") -> bool:
        """Register a thing of any kind that plugins bring, or a manifest; False for what is none.
        Raises `PluginError`."""
        if isinstance(thing, Manifest):
            self.modules.add(thing.name, thing, origin, version)
            return True
        kind = kinds.kind_of(thing)
        if not kind:
            return False
        named: Any = thing  # each kind has a name
        self.kinds[kind].add(named.name, thing, origin, version)
        return True

    # ---- modules and their manifests

    def manifest_of(self, kind: str, name: str) -> Manifest | None:
        """The manifest of the module that brings a thing; None for what is built in, and for what
        comes without one. Raises `PluginError` for a manifest that cannot be used."""
        origin = self.kinds[kind].origin.get(name, OURS)
        near = [each for each, whence in self.modules.origin.items() if whence == origin]
        if not near:
            return None
        found = [self.modules[each] for each in near]
        ours = [each for each in found if name in each.offers(kind)]
        if ours or origin == PYTHON:
            return ours[0] if ours else None
        return found[0]

    def require(self, module: str) -> Manifest:
        """The manifest of a module that a workflow or `ORKA_FEATURES` names. Raises `PluginError`:
        it is not installed, cannot be loaded, or wants a name that is taken."""
        if module not in self.modules:
            there = nearest(module, self.modules) if self.modules else "no module is installed"
            raise PluginError(
                f"module {module!r} is not installed",
                fix=f"pip install orka-{module.replace('_', '-')}; {there}",
                code="plugin.module_missing",
            )
        found, origin = self.modules[module], self.modules.origin[module]
        for offers in self.kinds.values():
            for _, loser, error in offers.refused:
                if loser == origin:
                    raise error
        return found

    def version_of(self, module: str) -> str:
        """Raises what `require` raises; says if it was the environment that named the module."""
        try:
            return self.require(module).version
        except PluginError as error:
            error.where = error.where or (FEATURES if module in self.features else "")
            raise

    def _vet(self, kind: str, name: str, _: object) -> None:
        """What a module brings stands in its manifest."""
        manifest = self.manifest_of(kind, name)
        if manifest is not None and name not in manifest.offers(kind):
            raise undeclared_offer(manifest, kind, name)

    def _vet_module(self, name: str, manifest: Manifest) -> None:
        """What a manifest lists is there, under the same distribution; so is the reverse if the
        distribution has one module."""
        origin = self.modules.origin[name]
        brought = {
            (kind, each)
            for kind, offers in self.kinds.items()
            for each, whence in offers.origin.items()
            if whence == origin
        }
        brought |= {
            (k, n) for k, o in self.kinds.items() for n, whose, _ in o.refused if whose == origin
        }
        alone = [*self.modules.origin.values()].count(origin) == 1
        compare(manifest, brought if alone else brought & {*manifest.offered})

    # ---- stores and memories by place

    def store(self, place: str | Path | Store, durability: str = "") -> Store:
        """The store at a folder, in ":memory:", or at the place of a plugin's store
        (`NAME:PLACE`); one that is a store already is given back."""
        if not isinstance(place, (str, Path)):
            return place
        if str(place) == ":memory:":
            return self.stores["memory"]()
        name, _, rest = str(place).partition(":")
        if self.stores.origin.get(name, OURS) != OURS:
            return self.stores[name](rest)
        return self.stores["sqlite"](
            str(place), **({"durability": durability} if durability else {})
        )

    def memory(self, place: str | Path | Memory | None, store: str | Path | Store) -> Memory:
        """The memory in a folder, in ":memory:", or at the place of a plugin's memory
        (`NAME:PLACE`); one that is a memory already is given back. Without a `place`: the one
        beside the runs, or in the process."""
        if place is None:
            here = isinstance(store, (str, Path)) and not self._named(str(store))
            place = str(store) if here else ":memory:"
        if not isinstance(place, (str, Path)):
            return place
        name, _, rest = str(place).partition(":")
        if self.memories.origin.get(name, OURS) != OURS:
            return self.memories[name](rest)
        return self.memories["sqlite"](str(place))

    def _named(self, place: str) -> bool:
        """Whether a store's place begins with the name of a plugin's store."""
        return self.stores.origin.get(place.partition(":")[0], OURS) != OURS

    # ---- files

    def load_file(self, path: str) -> None:
        """Run a plugin file and register what is in it. If it has a `manifest`, that is held to
        what is there.

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
        things = [item for item in vars(module).values() if _defines(module, item)]
        if not things:
            raise PluginError(
                f"plugin file {path!r} defines no agent type, tool, guard or other plugin",
                fix="mark functions with @orka.agent(name), @orka.tool, @guard(name), @criterion …",
                code="plugin.empty",
            )
        manifest = getattr(module, "manifest", None)
        if isinstance(manifest, Manifest):
            self.add(manifest, str(source), version)
            compare(manifest, {(kinds.kind_of(each), each.name) for each in things})
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
        for name in components:
            kind, _, module = name.partition(":")
            if kind == "module" and module not in self.modules:
                self.require(module)

    async def close(self) -> None:
        """End the servers that were started."""
        for box in self.tools.boxes:
            await box.close()


def _defines(module: ModuleType, item: object) -> bool:
    return bool(kinds.kind_of(item)) and kinds.home_of(item) == module.__name__


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
        del sys.modules[name]
        raise
    except (
        Exception,
        SystemExit,
    ) as error:  # a stranger's code: whatever it raises is its failure, by name
        sys.modules.pop(name, None)
        raise PluginError(
            f"plugin file {path!r} raised {_told(error)}",
            fix="run it with python to see where",
            code="plugin.raised",
        ) from error
    return module


def _loaded(point: Point) -> object:
    entry = point.entry
    try:
        return entry.load()
    except (
        Exception,
        SystemExit,
    ) as error:  # a stranger's code: whatever it raises is its failure, by name
        raise PluginError(
            f"plugin {entry.name!r} ({entry.value}) cannot be loaded: {_told(error)}",
            fix=f"install what it needs, or remove the package {point.package}",
            code="plugin.raised",
        ) from error


def _criterion(name: str, thing: object, version: str) -> Criterion:
    found = kinds.criterion(name, thing)
    function, version = found.function, version or found.version

    @wraps(function)
    def measured(candidate: Proposal, state: State) -> object:
        try:
            return function(candidate, state)
        except (Exception, SystemExit) as error:  # what a stranger cannot say is no value
            return Abstained(f"{name} raised {_told(error)}")

    return msgspec.structs.replace(found, function=measured, version=version)


def _strategy(name: str, thing: object, version: str) -> Strategy:
    found = kinds.strategy(name, thing)
    if STRATEGIES.get(name) is found:
        return found
    check_signature("strategy", name, found.function, ("situation",))
    function, version = found.function, version or found.version

    @wraps(function)
    def chosen(situation: Situation) -> Choice:
        try:
            return function(situation)
        except (Exception, SystemExit) as error:  # a stranger's code: its failure, by name
            raise AgentError(
                f"strategy {name!r} raised {_told(error)}",
                fix="the strategy's code raised this; see its source",
                code="strategy.raised",
            ) from error

    return msgspec.structs.replace(found, function=chosen, version=version)


def _view(name: str, thing: object, version: str) -> ViewType:
    found = kinds.view(name, thing)
    function = found.function

    @wraps(function)
    def shown(run: Any) -> Json:  # Any: an `orka.Run`
        try:
            return plain(function(run))[0]
        except (Exception, SystemExit) as error:  # a stranger's code: its failure, by name
            raise PluginError(
                f"view {name!r} raised {_told(error)}",
                fix="the view's code raised this, or gave what is neither text nor JSON",
                code="plugin.view",
            ) from error

    return msgspec.structs.replace(found, function=shown, version=version or found.version)


def _told(error: BaseException) -> str:
    """Type and text of an error, also of one whose text cannot be had."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # a stranger's __str__
        return type(error).__name__
