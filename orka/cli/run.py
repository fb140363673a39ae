"""`orka run`: run a workflow to its end, or to where it waits for a person."""

from __future__ import annotations

from pathlib import Path

import click

from orka.api import Runtime
from orka.cli.conduct import Verb, conduct
from orka.cli.given import given
from orka.cli.options import Settings, drives, machine, watched
from orka.cli.session import Begun
from orka.view.run import Run

# `--json` without a file means `--format json`.
_BARE = "\0"


@click.command()
@click.argument("flow", metavar="FLOW")
@click.argument("text", metavar="[INPUT]", required=False)
@click.option(
    "--json",
    "json_file",
    is_flag=False,
    flag_value=_BARE,
    metavar="[FILE]",
    help="Take the input from a JSON file (- for standard input). Without FILE: --format json.",
)
@click.option("--run-id", default="", metavar="ID", help="Name the run yourself.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Cancel the run after this time.",
)
@machine()
@watched
@drives
def run(
    *,
    flow: str,
    text: str | None,
    json_file: str | None,
    run_id: str,
    timeout: float | None,
    form: str,
    output: Path | None,
    verbose: bool,
    settings: Settings,
) -> int:
    """Run the workflow file FLOW with INPUT (- reads it from standard input).

    The answer goes to standard output, everything else to standard error.
    """
    if json_file == _BARE:
        form, json_file = "json", None
    if json_file is not None and text is not None:
        raise click.UsageError("INPUT and --json FILE exclude each other")

    def prepare() -> Verb:
        value = given(text, json_file)

        async def verb(runtime: Runtime, begun: Begun) -> Run:
            return await runtime.run(flow, value, run_id=run_id, begun=begun)

        return verb

    return conduct(settings, prepare, form=form, verbose=verbose, output=output, timeout=timeout)
