"""`orka flips`: by how much weights and values must move for another candidate to lead."""

from __future__ import annotations

from collections.abc import Iterator

import click

from orka.cli import exit, words
from orka.cli.decided import about, asks, chosen, figures, plain, tell
from orka.cli.options import Settings, machine, reads
from orka.score.again import again
from orka.score.flip import Flip, Flips, Nearest, ValueFlip
from orka.score.flips import NOISE
from orka.score.flips import flips as found_flips

_NEVER = "never"


@click.command()
@asks
@machine()
@reads
def flips(*, run: str, node: str, at: int | None, form: str, settings: Settings) -> int:
    """Say what would make another candidate of RUN (without one: the last) lead: for each weight
    and each value how far it must move, the nearest weights, and how near the rivals are by the
    judge's noise.

    All is exact, from the record, and no model is asked. The exit code is 6 if the record does
    not follow from its factors, and 5 if a part of it is missing.
    """
    with settings.reading() as runtime:
        told = []
        for recorded in chosen(runtime, run, node, at):
            with about(recorded):
                again(recorded.ledger, runtime.registry.strategies)
                found = found_flips(recorded.ledger)
            told.append((recorded, found.json(), flips_text(found)))
    tell(told, form)
    return exit.COMPLETED


def flips_text(found: Flips) -> str:
    """What leads, then the tables."""
    parts = ["\n".join(_leading(found))]
    if found.leader or any(each.flip for each in found.values):
        parts += [_weights(found), _values(found), *_nearest(found), *_rivals(found)]
    return "\n\n".join(part for part in parts if part)


def _leading(found: Flips) -> Iterator[str]:
    yield f"{found.leader} leads." if found.leader else "Nobody leads."
    if found.coin_flip:
        yield click.style(
            f"COIN FLIP: the nearest rival is within {NOISE} standard deviations of the noise.",
            fg="yellow",
        )


def _weights(found: Flips) -> str:
    rows = [
        [each.factor, plain(float(each.weight)), _flip(each.below), _flip(each.above)]
        for each in found.weights
    ]
    return words.table(("factor", "weight", "flips below", "flips above"), rows)


def _flip(flip: Flip | None) -> str:
    """A value, and who leads then: from it (≤, ≥) is told by the word."""
    if flip is None:
        return _NEVER
    about = "" if flip.exact else "about "
    where = "at" if flip.at else "beyond"
    return f"{where} {about}{plain(float(flip.value))}: {flip.leads or 'nobody'}"


def _values(found: Flips) -> str:
    """Only what can flip; the rest in one line."""
    moving = [each for each in found.values if each.flip is not None]
    rows = [
        [each.candidate, each.factor, _now(each), _move(each), _flip(each.flip)] for each in moving
    ]
    columns = ("candidate", "factor", "value", "must move", "flips")
    table = words.table(columns, rows) if rows else ""
    rest = len(found.values) - len(moving)
    if not rest:
        return table
    other = "other value" if moving else "value"
    told = f"{rest} {other}{'' if rest == 1 else 's'}: never within the range"
    return f"{table}\n{told}" if table else told


def _now(each: ValueFlip) -> str:
    if each.known:
        return plain(float(each.value or 0))
    return words.UNKNOWN if each.value is None else f"{words.UNKNOWN} ({plain(float(each.value))})"


def _move(each: ValueFlip) -> str:
    if each.move is None:
        return ""
    return f"{float(each.move):+.6f}".replace("-", "−")


def _nearest(found: Flips) -> Iterator[str]:
    rows = [
        [name, f"{near.distance:.4f}", near.leads or "nobody", _point(near)]
        for name, near in (("any weights", found.nearest), ("none below 0", found.allowed))
        if near is not None
    ]
    if rows:
        yield words.table(("nearest flip", "distance", "leads", "weights"), rows)
        near = found.nearest or found.allowed
        if near is not None and near.cause:
            yield f"not exact: {near.cause}"
    elif found.leader:
        yield "No change of the weights makes another candidate lead."


def _point(near: Nearest) -> str:
    return ", ".join(
        f"{name} {plain(round(float(weight), 4))}" for name, weight in near.weights.items()
    )


def _rivals(found: Flips) -> Iterator[str]:
    if not found.rivals:
        return
    rows = [
        [
            each.candidate,
            plain(float(each.gap)),
            words.UNKNOWN if each.deviations is None else f"{each.deviations:.2f}",
        ]
        for each in found.rivals
    ]
    yield figures(("rival", "behind", "in deviations of the noise"), rows, 1)
