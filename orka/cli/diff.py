"""`orka diff`: where two runs part, and why."""

from __future__ import annotations

import click
import msgspec

from orka.cli import select
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.view.diff import Difference, Side
from orka.view.diff import diff as difference

_BECAUSE = {
    "prompt": "the model was asked something else",
    "model": "another model, or other settings of it",
    "input": "the runs were given different inputs",
    "graph": "the workflows decide differently",
    "code": "an agent's or a plugin's code decides differently after the same facts",
    "rules": "the schedulers follow different rules",
    "answer": "the same question got another answer",
    "timing": "things from outside came at another time, or in another order",
}


@click.command()
@click.argument("left")
@click.argument("right")
@machine()
@reads
def diff(*, left: str, right: str, form: str, settings: Settings) -> None:
    """Say where the runs LEFT and RIGHT part first, and why."""
    with settings.reading() as runtime:
        one, other = (select.run_id(runtime, word) for word in (left, right))
        found = difference(runtime.open(one), runtime.open(other))
    if form == "json":
        print_json({"left": one, "right": other, "difference": msgspec.to_builtins(found)})
    elif found is None:
        click.echo(f"{one} and {other} say the same, event by event")
    else:
        click.echo(_told(one, other, found))


def _told(one: str, other: str, found: Difference) -> str:
    place = f"{found.what}, {found.path}" if found.path else found.what
    lines = [
        f"cause: {click.style(found.cause, bold=True)} ({_BECAUSE[found.cause]})",
        f"first difference: {place}",
        _side(one, found.left),
        _side(other, found.right),
    ]
    return "\n".join([*lines, *(f"also: {note}" for note in found.notes)])


def _side(run: str, side: Side) -> str:
    event = "" if side.seq is None else f" event {side.seq}"
    return f"  {run}{event}: {side.text}"
