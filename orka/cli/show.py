"""`orka show`: what happened in a run, what it waits for, and why it failed."""

from __future__ import annotations

import click
import msgspec

from orka.api import Runtime
from orka.cli import exit, select, words
from orka.cli.node import node_text
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.cli.report import document, waiting_text
from orka.cli.visible import visible
from orka.errors import InputError, nearest
from orka.event.event import Violation
from orka.value import Json
from orka.view.cost import by_model
from orka.view.critical import critical_path
from orka.view.failure import failure_report
from orka.view.outline import Row, outline
from orka.view.run import Run

_ENDED = {"cancelled": "was cancelled", "exhausted": "used up a budget"}
_HEAD = ("node", "state", "time", "tries", "tokens", "cost", "")


@click.command()
@click.argument("run")
@click.option("--node", default="", metavar="ID", help="One node: all it asked, all it was told.")
@click.option("--view", "named", default="", metavar="NAME", help="A page that a plugin makes.")
@machine()
@reads
def show(*, run: str, node: str, named: str, form: str, settings: Settings) -> int:
    """Show what happened in RUN (an id, the beginning of one, or `last`).

    Of a damaged run the intact part is shown, and the exit code is 5.
    """
    with settings.reading() as runtime:
        recorded, damage = select.readable(runtime, select.run_id(runtime, run))
        status = "damaged" if damage else select.status(runtime, recorded)
        page = _page(runtime, named, recorded) if named else None
    if named:
        print_json(page) if form == "json" else click.echo(words.pretty(page))
    elif form == "json":
        print_json(_document(recorded))
    elif node:
        click.echo(node_text(recorded, node))
    else:
        click.echo(run_text(recorded, status))
    if damage is None:
        return exit.COMPLETED
    click.echo(select.warning(damage), err=True)
    return exit.STORE


def _page(runtime: Runtime, name: str, run: Run) -> Json:
    """What the view of that name makes of a run. Raises `InputError`, `PluginError`."""
    views = runtime.registry.views
    if name not in views:
        raise InputError(
            f"no view is called {name!r}",
            fix=f"{nearest(name, views)}; a plugin brings views: --plugin FILE",
            code="input.no_view",
        )
    return views[name].function(run)


def _document(run: Run) -> Json:
    nodes = [
        {
            "node": row.node.path,
            "state": row.state,
            "seconds": row.seconds,
            "attempts": row.attempts,
            "reused": row.reused,
            "value": row.node.value,
            "failure": msgspec.to_builtins(row.node.failure),
        }
        for row in outline(run)
    ]
    path = [{"node": step.node.path, "seconds": step.seconds} for step in critical_path(run)]
    return {**document(run), "nodes": nodes, "critical_path": path}


def run_text(run: Run, status: str) -> str:
    """The whole page: the trouble first, then the outline, the costs, and the answer."""
    parts = [_head(run, status), *_trouble(run)]
    if run.status == "waiting":
        parts.append(waiting_text(run))
    parts.append(
        words.table(_HEAD, [_cells(row) for row in outline(run)], "time tries tokens cost")
    )
    parts += _where_time_went(run)
    if run.status == "completed":
        parts.append(f"answer\n{_indented(words.pretty(run.output))}")
    elif status == "interrupted":
        parts.append(f"nobody drives this run: `orka resume {run.id}` goes on")
    return "\n\n".join(parts)


def _head(run: Run, status: str) -> str:
    started = run.started
    lines = [
        f"{run.id}  {words.status(status)}",
        f"workflow {started.workflow}, started {words.moment(started.at)}, "
        f"{words.duration(select.seconds(run, status))}, {len(run.lines)} events",
    ]
    if run.totals.calls:
        lines.append(
            f"{words.calls(run.totals)}, {words.tokens(run.totals)} tokens, "
            f"cost {words.cost(run.totals)}"
        )
    if started.origin:
        lines.append(f"forked from {started.origin.run} before event {started.origin.seq}")
    lines.append(f"input {words.short(started.input)}")
    return "\n".join(lines)


def _trouble(run: Run) -> list[str]:
    report = failure_report(run)
    if report is None:
        return []
    failure, node = report.failure, report.node
    who = (
        f"{click.style(node.path, bold=True)} failed"
        if node
        else f"the run {_ENDED.get(run.status, 'failed')}"
    )
    lines = [f"{who}: [{failure.code}] {visible(failure.message)}"]
    lines += [f"  where: {failure.where}"] if failure.where else []
    for attempt in report.attempts:
        error = attempt.error
        told = f"[{error.code}] {error.message}" if error else ""
        lines.append(f"  attempt {attempt.number} at {attempt.id}: {words.short(told, 160)}")
    lines += [f"  to do: {remedy}" for remedy in report.remedies]
    return ["\n".join(lines)]


def _cells(row: Row) -> list[str]:
    node = row.node
    remarks = [f"{row.reused} reused"] if row.reused else []
    count = sum(isinstance(remark, Violation) for remark in node.remarks)
    remarks += [f"{count} violation{'' if count == 1 else 's'}"] if count else []
    noted = len(node.notes) + sum(not isinstance(remark, Violation) for remark in node.remarks)
    remarks += [f"{noted} note{'' if noted == 1 else 's'}"] if noted else []
    remarks += [f"to {', '.join(node.taken)}"] if node.taken else []
    return [
        "  " * row.depth + row.name,
        words.status(row.state),
        "" if node.state.startswith("skipped") else words.duration(row.seconds),
        str(row.attempts or ""),
        words.tokens(row.totals),
        words.cost(row.totals),
        ", ".join(remarks),
    ]


def _where_time_went(run: Run) -> list[str]:
    parts = []
    if len(steps := critical_path(run)) > 1:
        told = (f"{s.node.path} {words.duration(s.seconds)} ({s.share:.0%})" for s in steps)
        parts.append("critical path: " + " > ".join(told))
    if len(lines := by_model(run)) > 1:
        rows = [
            [line.name, str(line.totals.calls), words.tokens(line.totals), words.cost(line.totals)]
            for line in lines
        ]
        parts.append(words.table(("model", "calls", "tokens", "cost"), rows, "calls tokens cost"))
    return parts


def _indented(text: str) -> str:
    return f"  {visible(text, '  ')}"
