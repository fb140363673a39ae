"""`orka why`: a recorded decision, taken apart."""

from __future__ import annotations

from collections.abc import Iterator

import click

from orka.cli import exit, words
from orka.cli.decided import about, asks, chosen, figures, plain, tell
from orka.cli.options import Settings, machine, reads
from orka.score.told import figure
from orka.score.why import Cell, Line, Why
from orka.score.why import why as explained


@click.command()
@asks
@click.option("--against", default="", metavar="CANDIDATE", help="Compare with it, not the second.")
@machine()
@reads
def why(*, run: str, node: str, at: int | None, against: str, form: str, settings: Settings) -> int:
    """Say why RUN (without one: the last) decided as it did: candidates, factors, weights, what
    each added to the margin, and what was out. NODE is an agent's id or path.

    All is made again from the record, and no model is asked. The exit code is 6 if the record does
    not follow from its factors, and 5 if a part of it is missing.
    """
    with settings.reading() as runtime:
        told = []
        for recorded in chosen(runtime, run, node, at):
            with about(recorded):
                found = explained(recorded.ledger, against, runtime.registry.strategies)
            told.append((recorded, found.json(), why_text(found)))
    tell(told, form)
    return exit.COMPLETED


def why_text(found: Why) -> str:
    """The sentence, then the tables."""
    parts = [f"{found.sentence}\n{found.then}", *_candidates(found), *_margin(found)]
    parts += ["\n".join(each) for each in (list(_reasons(found)), list(_pruned(found))) if each]
    return "\n\n".join(parts)


def _candidates(found: Why) -> Iterator[str]:
    """Candidates and the values of their factors; what counts for an unknown one in brackets."""
    if not found.lines:
        return
    names = [f"{cell.factor} ×{cell.weight:g}" for cell in found.lines[0].cells]
    columns = ("", "candidate", "score", *names)
    rows = [_row(line) for line in found.lines]
    yield figures(columns, rows, 2)


def _row(line: Line) -> list[str]:
    place = "out" if line.place is None else str(line.place)
    score = "" if line.score is None else figure(line.score)
    return [place, line.id, score, *(_value(cell) for cell in line.cells)]


def _value(cell: Cell) -> str:
    if cell.value is not None:
        return plain(cell.value)
    return words.UNKNOWN if cell.effective is None else f"{words.UNKNOWN} ({plain(cell.effective)})"


def _margin(found: Why) -> Iterator[str]:
    """What each factor adds to the margin."""
    if found.margin is None:
        return
    lines = {line.id: line for line in found.lines}
    one, other = lines[found.leader], lines[found.rival]
    columns = ("factor", "weight", one.id, other.id, "adds")
    rows = [
        [
            share.factor,
            f"{share.weight:g}",
            _value(a),
            _value(b),
            figure(share.difference, sign=True),
        ]
        for share, a, b in zip(found.shares, one.cells, other.cells, strict=True)
    ]
    rows.append(["margin", "", "", "", figure(found.margin, sign=True)])
    yield figures(columns, rows, 1)


def _reasons(found: Why) -> Iterator[str]:
    """Why each value is what it is, what counts where nobody knows, and who was out."""
    for line in found.lines:
        if line.out:
            yield f"{line.id} is out: {line.out}"
        for cell in line.cells:
            if cell.cause:
                counts = f"; counts as {cell.counts}" if cell.counts else ""
                yield f"{line.id}, {cell.factor}: unknown ({cell.cause}){counts}"
            elif cell.reason:
                yield f"{line.id}, {cell.factor}: {cell.reason}"


def _pruned(found: Why) -> Iterator[str]:
    """Paths that were not proposed."""
    for each in found.pruned:
        paths = "; ".join(" → ".join(path) for path in each.paths)
        yield f"not proposed ({each.count}): {each.message}{f': {paths}' if paths else ''}"
