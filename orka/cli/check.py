"""`orka check`: everything that can be found before a run."""

from __future__ import annotations

from collections.abc import Sequence

import click

from orka.cli import exit
from orka.cli.options import Settings, loads
from orka.errors import OrkaError


@click.command()
@click.argument("flows", metavar="FLOW...", nargs=-1, required=True)
@loads
def check(*, flows: Sequence[str], settings: Settings) -> int:
    """Check workflow files without running them. The exit code is 2 if one of them is not right."""
    runtime = settings.open()
    code = exit.COMPLETED
    for flow in flows:
        try:
            graph = runtime.check(flow)
        except OrkaError as error:
            click.echo(f"{flow}: {error}", err=True)
            code = exit.of_error(error)
        else:
            click.echo(f"{flow}: ok, {len(graph.nodes)} nodes, digest {graph.digest[:12]}")
    return code
