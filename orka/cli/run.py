"""`orka run`: run a workflow to its end, or to where it waits for a person."""

from __future__ import annotations

import re
from pathlib import Path

import click

from orka.api import Runtime
from orka.cli.check import warned
from orka.cli.conduct import Verb, conduct
from orka.cli.given import given
from orka.cli.options import Settings, drives, machine, watched
from orka.cli.select import LAST
from orka.cli.session import Begun
from orka.errors import InputError
from orka.source import load
from orka.view.run import Run

# `--json` without a file means `--format json`.
_BARE = "\0"
# An id is a file name in every store, and a word on every command line.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")


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
@click.option("--run-id", metavar="ID", help="Name the run yourself.")
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
    run_id: str | None,
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
        id = "" if run_id is None else _id(run_id)
        value = given(text, json_file)

        async def verb(runtime: Runtime, begun: Begun) -> Run:
            workflow = load(flow)
            if count := warned(runtime, workflow):
                click.echo(f"{flow}: {count}; `orka check` shows them", err=True)
            return await runtime.run(workflow, value, run_id=id, begun=begun)

        return verb

    return conduct(settings, prepare, form=form, verbose=verbose, output=output, timeout=timeout)


def _id(word: str) -> str:
    if word == LAST or not _ID.fullmatch(word):
        what = "always means the newest run" if word == LAST else "cannot name a run"
        raise InputError(
            f"--run-id {word!r} {what}",
            fix="up to 128 letters, digits, '_', '-' and '.', the first a letter or digit",
            code="input.run_id",
        )
    return word
