"""`orka vault`: what placeholders in runs stand for, without ever showing it."""

from __future__ import annotations

import click
import msgspec

from orka.api import Runtime
from orka.cli import words
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.cli.select import run_id
from orka.engine.vault import Kept
from orka.errors import RunNotFound

_HEAD = ("run", "placeholder", "value")


@click.group()
def vault() -> None:
    """See what is kept of personal data beside the runs, and forget it. Values are never shown."""


@vault.command("list")
@click.argument("run", default="")
@machine()
@reads
def listed(*, run: str, form: str, settings: Settings) -> None:
    """List the placeholders whose values are kept: of RUN, or of all runs."""
    with settings.reading() as runtime:
        found = runtime.vault.kept(_key(runtime, run) if run else "")
    if form == "json":
        print_json(msgspec.to_builtins(found))
    elif found:
        click.echo(words.table(_HEAD, [row for kept in found for row in _rows(kept)]))
    else:
        click.echo("nothing is kept", err=True)


@vault.command()
@click.argument("run")
@machine()
@reads
def forget(*, run: str, form: str, settings: Settings) -> None:
    """Overwrite the values that are kept of RUN. Its placeholders stay, and no tool gets the values
    any more."""
    with settings.reading() as runtime:
        id = _key(runtime, run)
        gone = runtime.vault.forget(id)
    if form == "json":
        print_json({"run": id, "forgotten": gone})
    else:
        click.echo(f"{gone} forgotten")


def _key(runtime: Runtime, word: str) -> str:
    """Under which id the values of a run are kept: a salvaged run has those of the damaged one. Of
    a run that is not in the store any more, the id has to be given whole."""
    try:
        return runtime.open(run_id(runtime, word)).started.run
    except RunNotFound:
        if runtime.vault.kept(word):
            return word
        raise


def _rows(kept: Kept) -> list[tuple[str, str, str]]:
    return [
        (kept.run, label, "forgotten" if label in kept.forgotten else "kept")
        for label in kept.labels
    ]
