"""`orka fork`: run again from a step, or with a change, reusing the answers to what is the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from orka.api import Runtime
from orka.cli import select
from orka.cli.conduct import conduct
from orka.cli.options import Settings, drives, machine, watched
from orka.cli.session import Begun
from orka.errors import InputError
from orka.value import Json, parse
from orka.view.run import Run


@click.command()
@click.argument("run")
@click.option(
    "--at", default="", metavar="SEQ|NODE", help="An event's number, or a node to ask anew."
)
@click.option("--flow", default="", metavar="FILE", help="Another workflow.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="PATH=VALUE",
    help="A change of the input, e.g. age=3.",
)
@machine()
@watched
@drives
def fork(
    *,
    run: str,
    at: str,
    flow: str,
    changes: Sequence[str],
    form: str,
    output: Path | None,
    verbose: bool,
    settings: Settings,
) -> int:
    """Run RUN again as a new run: recorded answers are given to the same questions, only what is
    downstream of the change is asked anew."""
    changed = _changes(changes)
    point = int(at) if at.isdecimal() else at or None

    async def verb(runtime: Runtime, begun: Begun) -> Run:
        id = select.run_id(runtime, run)
        if isinstance(point, int):
            _check_event(runtime.open(id), point)
        try:
            new = await runtime.fork(id, at=point, flow=flow or None, changes=changed, begun=begun)
        except InputError:
            _check_inner(runtime.open(id), at)
            raise
        reused, asked = counts(new)
        click.echo(
            f"{new.id}: forked from {id}; answers reused: {reused}, asked anew: {asked}", err=True
        )
        return new

    return conduct(settings, lambda: verb, form=form, verbose=verbose, output=output)


def _check_event(run: Run, seq: int) -> None:
    last = len(run.lines) - 1
    if seq > last:
        raise InputError(
            f"run {run.id!r} has no event {seq}",
            fix=f"its last event is {last}; `orka trace {run.id}` lists them",
            code="input.no_event",
        )


def _check_inner(run: Run, at: str) -> None:
    """Raises `InputError` if `at` is a node that `orka show` lists, but an inner one."""
    outer = list(dict.fromkeys(node.id for node in run.nodes if not node.scope))
    inner = [node.path for node in run.nodes if node.scope and at in (node.id, node.path)]
    if inner and at not in outer:
        raise InputError(
            f"node {inner[0]!r} is part of an inner workflow; only nodes of the outer workflow "
            "can be forked at",
            fix=f"fork at one of: {', '.join(outer)}",
            code="input.no_node",
        )


def counts(run: Run) -> tuple[int, int]:
    """(answers copied from another run, questions somebody was asked)."""
    attempts = [a for node in run.nodes for a in node.attempts if a.kind != "graph"]
    reused = sum(attempt.reused for attempt in attempts)
    return reused, len(attempts) - reused


def _changes(given: Sequence[str]) -> Mapping[str, Json]:
    changes: dict[str, Json] = {}
    for text in given:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise click.BadParameter(f"{text!r} is not PATH=VALUE", param_hint="--set")
        try:
            changes[path] = parse(value)
        except ValueError:
            changes[path] = value
    return changes
