"""`orka why`: a recorded decision, taken apart."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import click

from orka.cli import exit, words
from orka.cli.decided import about, asks, chosen, figures, plain, tell
from orka.cli.names import Names, fits, fitted, room
from orka.cli.options import Settings, machine, reads
from orka.event.event import Noted
from orka.score.told import figure
from orka.score.why import Cell, Line, Why
from orka.score.why import why as explained
from orka.value import Json

_SECOND = 2


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
            after = [_noted(each) for each in recorded.after]
            text = why_text(found, recorded.after, room())
            told.append((recorded, {**found.json(), "after": after}, text))
    tell(told, form)
    return exit.COMPLETED


def _noted(note: Noted) -> Json:
    return {"kind": note.kind, "message": note.message, "data": note.data}


def why_text(found: Why, after: Sequence[Noted], room: int | None) -> str:
    """The sentence and what came of it, then the tables, then the reasons. Tables have `room`
    characters to a line."""
    head = [found.sentence, found.then]
    if after:
        head += ["Afterwards:", *(f"  {each.message}" for each in after)]
    ids = [line.id for line in found.lines]

    def shown(names: Names) -> list[str]:
        return [*_candidates(found, names, room), *_margin(found, names)]

    parts = ["\n".join(head), *fitted(ids, shown, room), *_reasons(found)]
    return "\n\n".join(filter(None, [*parts, "\n".join(_pruned(found))]))


def _candidates(found: Why, names: Names, room: int | None) -> Iterator[str]:
    """Candidates and the values of their factors; what counts for an unknown one in brackets."""
    if not found.lines:
        return
    heads = [f"{cell.factor} ×{cell.weight:g}" for cell in found.lines[0].cells]
    rows = [
        [_place(line), names[line.id], _score(line), *map(_value, line.cells)]
        for line in found.lines
    ]
    table = figures(("", "candidate", "score", *heads), rows, 2)
    yield table if fits([table], room) else _turned(found, names)


def _turned(found: Why, names: Names) -> str:
    """The same with a line for each factor, for there are many."""
    lines = found.lines
    rows = [["score", "", *(_score(line) or "out" for line in lines)]]
    for at, cell in enumerate(lines[0].cells):
        values = [_value(line.cells[at]) for line in lines]
        rows.append([cell.factor, f"{cell.weight:g}", *values])
    return figures(("factor", "weight", *(names[line.id] for line in lines)), rows, 1)


def _place(line: Line) -> str:
    return "out" if line.place is None else str(line.place)


def _score(line: Line) -> str:
    return "" if line.score is None else figure(line.score)


def _value(cell: Cell) -> str:
    if cell.value is not None:
        return plain(cell.value)
    return words.UNKNOWN if cell.effective is None else f"{words.UNKNOWN} ({plain(cell.effective)})"


def _margin(found: Why, names: Names) -> Iterator[str]:
    """What each factor adds to the margin, and how much the leader needs to be clear."""
    if found.margin is None:
        return
    lines = {line.id: line for line in found.lines}
    one, other = lines[found.leader], lines[found.rival]
    columns = ("factor", "weight", names[one.id], names[other.id], "adds")
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
    if found.outcome.needed is not None and other.place == _SECOND:
        rows.append(["needed", "", "", "", plain(found.outcome.needed)])
    yield figures(columns, rows, 1)


def _reasons(found: Why) -> Iterator[str]:
    """Of each candidate why it was out, why each value is what it is, and what counts where nobody
    knows."""
    yesno = {factor.name for factor in found.setting.factors if factor.severity}
    for line in found.lines:
        rows = [("out", line.out)] if line.out else []
        rows += [(c.factor, told) for c in line.cells if (told := _reason(c, c.factor in yesno))]
        if rows:
            table = words.columns(rows)
            yield f"{line.id}\n{textwrap.indent(table, '  ')}"


def _reason(cell: Cell, yesno: bool) -> str:  # noqa: FBT001  # handed on by place
    if cell.cause:
        counts = f"; counts as {cell.counts}" if cell.counts else ""
        return f"unknown ({cell.cause}){counts}"
    if yesno:
        return f"{'true' if cell.value == 1 else 'false'}: {cell.reason}".removesuffix(": ")
    return cell.reason


def _pruned(found: Why) -> Iterator[str]:
    """Paths that were not proposed."""
    for each in found.pruned:
        paths = "; ".join(" → ".join(path) for path in each.paths)
        if each.paths and each.count > len(each.paths):
            paths += f"; and {each.count - len(each.paths)} more"
        yield f"not proposed ({each.count}): {each.message}{f': {paths}' if paths else ''}"
