"""Commands that plugins bring, from installed packages and plugin files."""

from __future__ import annotations

from collections.abc import Iterable

import click

from orka.errors import PluginError
from orka.plugin.offers import OURS
from orka.plugin.registry import Registry


def names(files: Iterable[str] = ()) -> dict[str, str]:
    """Their names, and where each comes from. Raises `PluginError` for a file that is wrong."""
    return _names(_registry(files))


def command(name: str, files: Iterable[str] = ()) -> click.Command | None:
    """The command of that name. Raises `PluginError` for one that is no click command."""
    registry = _registry(files)
    if name not in _names(registry):
        return None
    found = registry.commands[name]
    if not isinstance(found, click.Command):
        raise PluginError(
            f"command {name!r} of {registry.commands.origin[name]} is no click command: {found!r}",
            fix="put @click.command() below @command(name)",
        )
    return found


def _registry(files: Iterable[str]) -> Registry:
    registry = Registry()
    for path in files:
        registry.load_file(path)
    return registry


def _names(registry: Registry) -> dict[str, str]:
    origin = registry.commands.origin
    return {name: origin[name] for name in registry.commands if origin[name] != OURS}
