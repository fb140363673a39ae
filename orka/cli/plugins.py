"""`orka plugins`: what is on offer, by kind, and from where."""

from __future__ import annotations

from typing import Any

import click

from orka.cli import words
from orka.cli.options import Settings, loads, machine
from orka.cli.output import print_json
from orka.plugin.registry import Offers


@click.command()
@machine()
@loads
def plugins(*, form: str, settings: Settings) -> None:
    """List agent types, tools, models, stores, memories, commands, criteria and strategies, and
    where each comes from."""
    registry = settings.open().registry
    kinds: dict[str, Offers[Any]] = {  # Any: each kind offers its own
        "agent": registry.agents,
        "tool": registry.tools,
        "model": registry.models,
        "store": registry.stores,
        "memory": registry.memories,
        "command": registry.commands,
        "criterion": registry.criteria,
        "strategy": registry.strategies,
    }
    rows = [
        (kind, name, offers.origin.get(name, ""))
        for kind, offers in kinds.items()
        for name in offers
    ]
    if form == "json":
        print_json([{"kind": kind, "name": name, "from": origin} for kind, name, origin in rows])
    else:
        click.echo(words.table(("kind", "name", "from"), rows))
