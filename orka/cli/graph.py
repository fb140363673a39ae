"""`orka graph`: a workflow as a picture."""

from __future__ import annotations

import click

from orka.cli.options import Settings, loads, machine
from orka.graph.draw import dot, mermaid, text

_DRAWN = {"text": text, "mermaid": mermaid, "dot": dot}


@click.command()
@click.argument("flow")
@machine(("text", "mermaid", "dot"))
@loads
def graph(*, flow: str, form: str, settings: Settings) -> None:
    """Draw the workflow file FLOW."""
    click.echo(_DRAWN[form](settings.open().check(flow)))
