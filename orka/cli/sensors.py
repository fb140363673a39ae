"""`orka sensors`: how well models keep their contracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click

from orka.api import Runtime
from orka.cli import exit, words
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.cli.select import LAST, UNREADABLE, ids, run_id
from orka.errors import OrkaError
from orka.spec.yaml import read
from orka.value import Json
from orka.view.run import Run
from orka.view.sensors import SensorLine, Sensors

_HEAD = ("agent", "model", "prompt", "calls", "violations", "repairs")
_SHORT = 8
# What of an agent is its question.
_ASKED = ("prompt", "system", "options", "choices", "output", "output_schema")


@click.command()
@click.argument("runs", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All runs of the store.")
@machine()
@reads
def sensors(*, runs: tuple[str, ...], every: bool, form: str, settings: Settings) -> int:
    """Count violations and repairs by agent, model and prompt in RUNS (without any: in the last).

    The exit code is 5 if one of them cannot be read.
    """
    if runs and every:
        raise click.UsageError("give runs or --all, not both")
    fold, damaged = Sensors(), []
    with settings.reading() as runtime:
        for id in ids(runtime) if every else [run_id(runtime, word) for word in runs or (LAST,)]:
            try:
                run = runtime.open(id)
                fold.add(run, prompts(runtime, run))
            except UNREADABLE:
                damaged.append(id)
    _print(fold.lines, form)
    if damaged:
        click.echo(f"left out, since damaged: {', '.join(damaged)}", err=True)
    return exit.STORE if damaged else exit.COMPLETED


def prompts(runtime: Runtime, run: Run) -> dict[str, Json]:
    """What each agent of the run's workflow asks, as written; none if that was not recorded."""
    if not run.started.flow:
        return {}
    try:
        written = read(runtime.store.blob(run.started.flow).decode(), run.id).value
    except OrkaError:
        return {}
    found: dict[str, Json] = {}
    for agent in _agents(written):
        asked = {key: agent[key] for key in _ASKED if key in agent}
        known = found.setdefault(agent["id"], asked)
        if known != asked:  # the same id in another inner workflow
            found[agent["id"]] = [known, asked]
    return found


def _agents(written: Json) -> Iterator[Mapping[str, Json]]:
    if isinstance(written, Mapping):
        if isinstance(written.get("id"), str) and "type" in written:
            yield written
        for item in written.values():
            yield from _agents(item)
    elif isinstance(written, list):
        for item in written:
            yield from _agents(item)


def _print(lines: Sequence[SensorLine], form: str) -> None:
    if form == "json":
        print_json([_document(line) for line in lines])
    elif lines:
        click.echo(words.table(_HEAD, [_cells(line) for line in lines], right="calls"))
    else:
        click.echo("no model was called", err=True)


def _document(line: SensorLine) -> Json:
    return {
        "agent": line.agent,
        "model": line.model,
        "prompt": line.prompt or None,
        "calls": line.calls,
        "violations": dict(line.violations),
        "rates": line.rates,
        "repairs": dict(line.repairs),
    }


def _cells(line: SensorLine) -> list[str]:
    rates = line.rates
    broken = [f"{kind} {n} ({rates[kind]:.0%})" for kind, n in line.violations.items()]
    mended = [f"{rule} {n}" for rule, n in line.repairs.items()]
    return [
        line.agent,
        line.model,
        line.prompt[:_SHORT] or words.UNKNOWN,
        str(line.calls),
        ", ".join(broken),
        ", ".join(mended),
    ]
