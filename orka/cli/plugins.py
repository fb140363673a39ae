"""`orka plugins`: what is on offer, by kind, from where, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from orka.cli import words
from orka.cli.options import Settings, loads, machine
from orka.cli.output import print_json
from orka.errors import PluginError
from orka.plugin.offers import OURS, PYTHON
from orka.plugin.registry import Registry

_HEAD = ("kind", "name", "from", "module", "manifest", "")


@dataclass(frozen=True, slots=True)
class _Row:
    """One thing on offer. `manifest` is "" for what is built in, else yes or no; `problem` says why
    it cannot be used."""

    kind: str
    name: str
    origin: str
    version: str = ""
    module: str = ""
    manifest: str = ""
    problem: str = ""

    @property
    def document(self) -> dict[str, str]:
        found: dict[str, str] = asdict(self)
        return {"from": found.pop("origin"), **found}

    @property
    def cells(self) -> list[str]:
        whence = f"{self.origin} {self.version}".strip()
        return [self.kind, self.name, whence, self.module, self.manifest, self.problem]


@click.command()
@machine()
@loads
def plugins(*, form: str, settings: Settings) -> None:
    """List agent types, tools, models, stores, memories, commands, criteria, strategies, guards,
    views and modules, and where each comes from.

    Each is loaded; one that cannot be is listed with what is wrong.
    """
    registry = replace(settings, plugins=()).open().registry
    rows = [*_files(registry, settings.plugins), *_rows(registry)]
    if form == "json":
        print_json([row.document for row in rows])
    else:
        click.echo(words.table(_HEAD, [row.cells for row in rows]))


def _files(registry: Registry, paths: Iterable[str]) -> Iterator[_Row]:
    """Loads plugin files; a row for each that cannot be."""
    for path in paths:
        try:
            registry.load_file(path)
        except PluginError as error:
            yield _Row("file", Path(path).name, path, problem=f"[{error.code}] {error.what}")


def _rows(registry: Registry) -> Iterator[_Row]:
    for kind, offers in registry.kinds.items():
        for name in offers:
            yield _row(registry, kind, name)
        for name, origin, error in offers.refused:
            yield _Row(kind, name, origin, problem=f"[{error.code}] {error.what}")
    for name in registry.modules:
        origin, version = registry.modules.origin[name], registry.modules.version[name]
        problem = registry.modules.problem(name)
        yield _Row("module", name, origin, version, name, "yes", problem)


def _row(registry: Registry, kind: str, name: str) -> _Row:
    offers = registry.kinds[kind]
    origin = offers.origin.get(name, "")
    if origin == OURS:
        return _Row(kind, name, origin, offers.version[name], problem=offers.problem(name))
    try:
        manifest = registry.manifest_of(kind, name)
    except PluginError:
        return _Row(kind, name, origin, offers.version[name], problem=offers.problem(name))
    return _Row(
        kind,
        name,
        origin,
        "" if origin == PYTHON else offers.version[name],
        manifest.name if manifest else "",
        "yes" if manifest else "no manifest",
        offers.problem(name),
    )
