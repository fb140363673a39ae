"""`orka replay`: feed the recorded facts again and insist on the same bytes."""

from __future__ import annotations

import click

from orka.cli import select
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json


@click.command()
@click.argument("run")
@machine()
@reads
def replay(*, run: str, form: str, settings: Settings) -> None:
    """Replay RUN (an id, the beginning of one, or `last`) without asking anything of the world.

    The exit code is 6 if a decision comes out differently.
    """
    with settings.reading() as runtime:
        id = select.run_id(runtime, run)
        runtime.replay(id)
        count = len(runtime.open(id).lines)
    if form == "json":
        print_json({"run": id, "identical": True, "events": count})
    else:
        click.echo(f"{id}: byte-identical, {count} events")
