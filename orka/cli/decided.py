"""Which of a run's decisions are meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from orka.api import Runtime
from orka.cli import words
from orka.cli.output import print_json
from orka.cli.select import LAST, run_id
from orka.errors import InputError, LedgerError, nearest
from orka.value import Json
from orka.view.decisions import Recorded, Written, located, written
from orka.view.run import Run

Command = TypeVar("Command", bound=Callable[..., Any])  # Any: click passes what options say


def asks(command: Command) -> Command:
    """Give a command the arguments RUN and NODE and the option `--at`."""
    at = click.option(
        "--at", type=click.IntRange(min=1), metavar="N", help="The Nth decision only, from 1."
    )
    node = click.argument("node", default="")
    run = click.argument("run", default=LAST)
    decorated: Command = run(node(at(command)))
    return decorated


def chosen(runtime: Runtime, word: str, node: str, at: int | None) -> list[Recorded]:
    """The decisions of a run, or of one of its nodes (a path, or an id), the newest last; if `at`
    is given, only that one of them.

    Raises `InputError` if there are none, `LedgerError` for one that is damaged.
    """
    run = runtime.open(run_id(runtime, word))
    found = list(written(run))
    if not found:
        raise InputError(
            f"run {run.id!r} has made no decision",
            fix="an agent of type `graph-scout` makes them; `orka runs` lists other runs",
            code="input.no_decision",
        )
    found = _of_node(run, found, node) if node else found
    if at is None:
        return [each.read() for each in found]
    if at > len(found):
        raise InputError(
            f"there {'are' if len(found) > 1 else 'is'} {len(found)} of these decisions, no {at}th",
            fix=f"give --at a number up to {len(found)}",
            code="input.no_decision",
        )
    return [found[at - 1].read()]


def _of_node(run: Run, found: Sequence[Written], node: str) -> list[Written]:
    own = [each for each in found if each.node == node] or [
        each for each in found if each.node.rpartition("/")[2] == node
    ]
    if own:
        return own
    deciding = list(dict.fromkeys(each.node for each in found))
    if any(node in (each.path, each.id) for each in run.nodes):
        raise InputError(
            f"node {node!r} of run {run.id!r} has made no decision",
            fix=f"decisions were made by: {', '.join(deciding)}",
            code="input.no_decision",
        )
    raise InputError(
        f"run {run.id!r} has no node {node!r}", fix=nearest(node, deciding), code="input.no_node"
    )


@contextmanager
def about(recorded: Recorded) -> Iterator[None]:
    """Say of which run and event a `LedgerError` speaks."""
    try:
        yield
    except LedgerError as error:
        raise located(error, recorded.run, recorded.node, recorded.seq) from None


def head(recorded: Recorded, number: int, count: int) -> str:
    """The line above what is told of a decision."""
    numbered = f"decision {number} of {count}, " if count > 1 else ""
    name = click.style(recorded.node, bold=True)
    return f"{name}  {numbered}run {recorded.run}, event {recorded.seq}"


def plain(value: float) -> str:
    """A number in a table, with a minus as long as the plus."""
    return f"{value:.6g}".replace("-", "−")


def figures(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """A table: all columns but the first `left` are aligned to the right."""
    lines = [list(columns), *map(list, rows)]
    for at in range(left, len(columns)):
        width = max(len(line[at]) for line in lines)
        for line in lines:
            line[at] = line[at].rjust(width)
    return words.table(lines[0], lines[1:])


def tell(told: Sequence[tuple[Recorded, Json, str]], form: str) -> None:
    """What is to be said of each decision: as a JSON list, or as text one below the other."""
    if form == "json":
        print_json([_document(recorded, body) for recorded, body, _ in told])
        return
    pages = [
        f"{head(recorded, number, len(told))}\n{text}"
        for number, (recorded, _, text) in enumerate(told, 1)
    ]
    click.echo("\n\n\n".join(pages))


def _document(recorded: Recorded, body: Json) -> Json:
    return {"run": recorded.run, "node": recorded.node, "event": recorded.seq, **body}
