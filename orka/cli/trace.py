"""`orka trace`: the events of a run, one a line."""

from __future__ import annotations

import click
import msgspec

from orka.cli import exit, select, words
from orka.cli.options import Settings, machine, reads
from orka.event.event import Event, RunStarted
from orka.value import Json

# Shown by a short text of their own, or not worth a place on a line.
_LEFT_OUT = ("type", "at", "node", "scope", "id")
_WIDTH = 100


@click.command()
@click.argument("run")
@machine()
@reads
def trace(*, run: str, form: str, settings: Settings) -> int:
    """Print the events of RUN (an id, the beginning of one, or `last`), one a line.

    With --format json these are the canonical lines, byte for byte. Of a damaged run the intact
    part is printed, and the exit code is 5.
    """
    with settings.reading() as runtime:
        recorded, damage = select.readable(runtime, select.run_id(runtime, run))
        events = recorded.events
    began = recorded.started.at
    for seq, event in enumerate(events):
        click.echo(recorded.lines[seq] if form == "json" else line_of(seq, event, began))
    if damage is None:
        return exit.COMPLETED
    click.echo(select.warning(damage), err=True)
    return exit.STORE


def line_of(seq: int, event: Event, began: float) -> str:
    """One event as text: facts carry the seconds since the run began, decisions no clock."""
    fields: dict[str, Json] = msgspec.to_builtins(event)
    at = getattr(event, "at", None)
    clock = "" if at is None else f"+{at - began:.3f}"
    what = "/".join(str(fields[key]) for key in ("scope", "node", "id") if fields.get(key))
    rest = {key: item for key, item in fields.items() if key not in _LEFT_OUT}
    if isinstance(event, RunStarted):
        rest = {key: rest[key] for key in ("workflow", "input", "origin") if rest.get(key)}
    told = words.short(rest, _WIDTH) if rest else ""
    mark = click.style(f"{fields['type']:<16}", fg="cyan" if at is not None else None)
    return f"{seq:>5} {clock:>10}  {mark} {what:<16} {told}".rstrip()
