"""`orka models`: the weights of embedded models; what they are is up to the plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import click

from orka.cli import words
from orka.cli.options import machine
from orka.cli.output import print_json
from orka.errors import PluginError
from orka.plugin.registry import Registry


class Installed(Protocol):
    """`size` in bytes; `path` is empty for a model that is not here."""

    name: str
    purpose: str
    licence: str
    size: int
    path: str


class Step(Protocol):
    """A word about a download: `done` of `total` bytes, 0 when not counted."""

    text: str
    done: int
    total: int


class Status(Protocol):
    """What a doctor wants to know about the runtime of embedded models."""

    found: bool
    kind: str
    place: str
    build: str
    cache: str
    models: tuple[str, ...]


class Weights(Protocol):
    """What the plugin registers as the command `models`."""

    default: str

    def list(self) -> Sequence[Installed]: ...
    def pull(self, name: str, progress: Callable[[Any], None]) -> Path: ...  # Any: its own Step
    def remove(self, name: str) -> bool: ...
    def status(self) -> Status: ...


def weights() -> Weights:
    """Raises `PluginError` if nothing here runs embedded models."""
    commands = Registry().commands
    if "models" not in commands:
        raise PluginError("nothing is installed that runs embedded models", code="plugin.missing")
    found: Any = commands["models"]  # Any: whatever the plugin registered
    plugin: Weights = found
    return plugin


@click.group()
def models() -> None:
    """List, pull and remove local models."""


@models.command("list")
@machine()
def list_models(*, form: str) -> None:
    """List the models that are known, and which of them are here."""
    known = weights().list()
    if form == "json":
        names = ("name", "purpose", "licence", "size", "path")
        print_json([{name: getattr(model, name) for name in names} for model in known])
        return
    rows = [
        (f"local/{m.name}", words.size(m.size), "here" if m.path else "", m.licence, m.purpose)
        for m in known
    ]
    click.echo(words.table(("model", "size", "", "licence", "purpose"), rows, right="size"))


@models.command()
@click.argument("name", required=False)
def pull(*, name: str | None) -> None:
    """Download the model NAME, and what runs it. Without NAME the default."""
    plugin = weights()
    wanted = (name or plugin.default).removeprefix("local/")
    path = plugin.pull(wanted, Progress())
    click.echo(f"local/{wanted} is ready: {path}")


@models.command()
@click.argument("name")
def remove(*, name: str) -> None:
    """Delete the model NAME from this machine."""
    gone = weights().remove(name.removeprefix("local/"))
    click.echo(f"local/{name.removeprefix('local/')} " + ("is gone" if gone else "was not here"))


class Progress:
    """Steps on standard error: each word once, and a line for every tenth of a download."""

    def __init__(self) -> None:
        self._last: tuple[str, int] = ("", -1)

    def __call__(self, step: Step) -> None:
        tenth = step.done * 10 // step.total if step.total else 0
        if (step.text, tenth) == self._last:
            return
        self._last = (step.text, tenth)
        share = f"  {tenth * 10} % of {words.size(step.total)}" if step.total else ""
        click.echo(f"{step.text}{share}", err=True)
