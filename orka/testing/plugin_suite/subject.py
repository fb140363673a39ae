"""What is checked: a plugin with everything it brings, and samples to try it with."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from orka.errors import ConfigError, PluginError, nearest
from orka.plugin.manifest import Manifest
from orka.plugin.offers import OURS
from orka.plugin.registry import Registry
from orka.spec.text import decode
from orka.spec.yaml import read
from orka.testing.plugin_suite.probe import Report
from orka.value import Json


class Samples(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to try a plugin with: options of `agents` and `guards` and arguments of `tools`, by
    name; an `input` of runs, and the `replies` of models."""

    agents: Mapping[str, Mapping[str, Json]] = {}
    guards: Mapping[str, Mapping[str, Json]] = {}
    tools: Mapping[str, Mapping[str, Json]] = {}
    input: Json = "something"
    replies: tuple[str, ...] = ("yes",)


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing that a plugin brings. `value` is as its author made it."""

    kind: str
    name: str
    value: Any  # Any: one of the kinds


@dataclass
class Subject:
    """A plugin. `problems` are things that could not be loaded; `file` is "" for a package,
    `package` is "" for a file. `environment` is as it was before it was loaded."""

    name: str
    registry: Registry
    things: list[Thing] = field(default_factory=list)
    problems: list[PluginError] = field(default_factory=list)
    manifest: Manifest | None = None
    file: str = ""
    package: str = ""
    entries: tuple[str, ...] = ()
    samples: Samples = field(default_factory=Samples)
    report: Report | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> Thing:
        return Thing("plugin", self.name, self)

    def of(self, kind: str) -> list[Thing]:
        return [thing for thing in self.things if thing.kind == kind]

    @property
    def origin(self) -> str:
        return self.file or self.package

    @cached_property
    def sources(self) -> dict[str, ast.Module]:
        """The parsed files that its things are written in, by path."""
        found: dict[str, ast.Module] = {}
        for path in self.paths:
            found[str(path)] = ast.parse(path.read_text(encoding="utf-8"))
        return found

    @cached_property
    def paths(self) -> list[Path]:
        """The file, or all files of the packages its things are in, without their tests."""
        if self.file:
            return [Path(self.file)]
        tops = {entry.partition(".")[0] for entry in self.entries}
        folders = [
            Path(folder)
            for top in sorted(tops)
            for folder in getattr(sys.modules.get(top), "__path__", ())
        ]
        lone = [Path(str(getattr(sys.modules.get(top), "__file__", ""))) for top in sorted(tops)]
        files = [path for path in lone if path.suffix == ".py" and path.name != "__init__.py"]
        return [*files, *(path for folder in folders for path in sorted(folder.rglob("*.py")))]


def subject(named: str, samples: Samples | str | Path | None = None) -> Subject:
    """The plugin in a file (`*.py`), or the installed module or package of that name. What cannot
    be loaded is among its `problems`. Raises `PluginError` if there is no such plugin."""
    tries = samples or Samples()
    if not isinstance(tries, Samples):
        tries = read_samples(tries)
    before = dict(os.environ)
    found = _of_file(named, tries) if named.endswith(".py") else _of_package(named, tries)
    found.environment = before
    return found


def read_samples(path: str | Path) -> Samples:
    """The samples in a YAML file. Raises `ConfigError`."""
    source = str(path)
    try:
        written = read(decode(Path(path).read_bytes(), source), source).value
        return msgspec.convert(written or {}, Samples)
    except OSError as error:
        what = f"the samples cannot be read: {error.strerror}"
    except msgspec.ValidationError as error:
        what = f"the samples do not fit: {error}"
    fix = "write agents, guards, tools (name: options or arguments), input, replies"
    raise ConfigError(what, where=source, fix=fix, code="config.samples")


def source_of(function: object) -> ast.AST | None:
    """The code of a function; None if it cannot be read."""
    try:
        lines = inspect.getsource(inspect.unwrap(function))  # type: ignore[arg-type]  # told if it is none
        return ast.parse(inspect.cleandoc(f"\n{lines}") if lines[:1].isspace() else lines)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None


def _of_file(path: str, samples: Samples) -> Subject:
    source = str(Path(path).resolve())
    found = Subject(Path(path).stem, Registry(), file=source, samples=samples)
    try:
        found.registry.load_file(path)
    except PluginError as error:
        if error.code == "plugin.missing":
            raise
        found.problems.append(error)
    _fill(found)
    return found


def _of_package(name: str, samples: Samples) -> Subject:
    registry = Registry()
    packages = {
        origin
        for offers in (*registry.kinds.values(), registry.modules)
        for origin in offers.origin.values()
        if origin != OURS
    }
    packages |= {whose for offers in registry.kinds.values() for _, whose, _ in offers.refused}
    wanted = registry.modules.origin.get(name, name)
    if wanted not in packages:
        known = [*registry.modules, *sorted(packages)]
        raise PluginError(
            f"no module and no package is called {name!r}",
            fix=f"{nearest(name, known)}; for a file write its path: plugin.py",
            code="plugin.missing",
        )
    found = Subject(name, registry, package=wanted, samples=samples)
    found.entries = tuple(
        point.entry.value.partition(":")[0]
        for points in registry.points.values()
        for point in points
        if point.package == wanted
    )
    _fill(found)
    return found


def _fill(found: Subject) -> None:
    """Load everything that comes from where the plugin comes from."""
    registry, origin = found.registry, found.origin
    for kind, offers in registry.kinds.items():
        found.problems += [error for _, whose, error in offers.refused if whose == origin]
        for name in offers:
            if offers.origin.get(name) != origin:
                continue
            try:
                found.things.append(Thing(kind, name, offers[name]))
            except PluginError as error:
                found.problems.append(error)
    for name, whence in registry.modules.origin.items():
        if whence == origin:
            try:
                found.manifest = registry.modules[name]
            except PluginError as error:
                found.problems.append(error)
