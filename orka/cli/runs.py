"""`orka runs`: what has been recorded, newest first."""

from __future__ import annotations

import click

from orka.api import Runtime
from orka.cli import exit, words
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.cli.report import usage
from orka.cli.select import UNREADABLE, lost, seconds, status
from orka.value import Json

_HEAD = ("run", "workflow", "status", "started", "time", "cost")


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@machine()
@reads
def runs(*, limit: int, form: str, settings: Settings) -> int:
    """List recorded runs, newest first.

    The exit code is 5 if one of them is damaged, or the store has lost some.
    """
    with settings.reading() as runtime:
        lines = [_line(runtime, id) for id, _, _ in runtime.store.runs(limit)]
        loss = lost(runtime)
    if form == "json":
        print_json(lines)
    elif lines:
        click.echo(words.table(_HEAD, [_cells(line) for line in lines], right="time cost"))
    elif not loss:
        click.echo(f"no runs in {settings.store!r} yet; `orka run FLOW` makes one", err=True)
    damaged = [line["run"] for line in lines if line["status"] == "damaged"]
    if damaged:
        click.echo(f"\ndamaged: `orka show {damaged[0]}` shows what is intact", err=True)
    if loss:
        click.echo(str(loss), err=True)
    return exit.STORE if damaged or loss else exit.COMPLETED


def _line(runtime: Runtime, id: str) -> dict[str, Json]:
    try:
        run = runtime.open(id)
        state = status(runtime, run)
        return {
            "run": id,
            "workflow": run.started.workflow,
            "status": state,
            "started": run.started.at,
            "seconds": round(seconds(run, state), 6),
            "usage": usage(run.totals),
        }
    except UNREADABLE:
        return {"run": id, "workflow": None, "status": "damaged", "started": None, "seconds": None}


def _cells(line: dict[str, Json]) -> list[str]:
    started = line["started"]
    return [
        line["run"],
        line["workflow"] or words.UNKNOWN,
        words.status(line["status"]),
        words.UNKNOWN if started is None else words.moment(started),
        words.duration(line["seconds"]),
        _cost(line.get("usage")),
    ]


def _cost(usage: Json) -> str:
    if usage is None:
        return words.UNKNOWN
    return words.money(usage["cost"], usage["currency"]) if usage["calls"] else ""
