"""`orka flips`: by how much weights and values must move for another candidate to lead."""

from __future__ import annotations

from collections.abc import Iterator

import click

from orka.cli import exit, words
from orka.cli.decided import about, asks, chosen, figures, plain, tell
from orka.cli.names import Names, fitted, room
from orka.cli.options import Settings, machine, reads
from orka.score.again import again
from orka.score.flip import Distance, Flip, Flips, Nearest, ValueFlip
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
        parts += fitted(_ids(found), lambda names: list(_tables(found, names)), room())
    return "\n\n".join(part for part in parts if part)


def _tables(found: Flips, names: Names) -> Iterator[str]:
    yield _weights(found, names)
    yield from _values(found, names)
    yield from _nearest(found, names)
    yield from _rivals(found, names)


def _ids(found: Flips) -> list[str]:
    """The candidates, the leader and its rivals first."""
    ranked = [found.leader, *(each.candidate for each in found.rivals)]
    return [id for id in dict.fromkeys([*ranked, *(v.candidate for v in found.values)]) if id]


def _leading(found: Flips) -> Iterator[str]:
    yield f"{found.leader} leads." if found.leader else "Nobody leads."
    if found.coin_flip:
        yield click.style(
            f"COIN FLIP: the nearest rival is within {NOISE} standard deviations of the noise.",
            fg="yellow",
        )


def _weights(found: Flips, names: Names) -> str:
    rows = [
        [
            each.factor,
            plain(float(each.weight)),
            _flip(each.below, names),
            _flip(each.above, names),
        ]
        for each in found.weights
    ]
    return words.table(("factor", "weight", "flips below", "flips above"), rows)


def _flip(flip: Flip | None, names: Names) -> str:
    """A value, and who leads then: from it (≤, ≥) is told by the word."""
    if flip is None:
        return _NEVER
    about = "" if flip.exact else "about "
    where = "at" if flip.at else "beyond"
    return f"{where} {about}{plain(float(flip.value))}: {names.get(flip.leads, 'nobody')}"


def _values(found: Flips, names: Names) -> Iterator[str]:
    """Only what can flip; the rest in one line."""
    moving = [each for each in found.values if each.flip is not None]
    rows = [
        [names[each.candidate], each.factor, _now(each), _move(each), _flip(each.flip, names)]
        for each in moving
    ]
    columns = ("candidate", "factor", "value", "must move", "flips")
    told = [words.table(columns, rows)] if rows else []
    if rest := len(found.values) - len(moving):
        other = "other value" if moving else "value"
        told.append(f"{rest} {other}{'' if rest == 1 else 's'}: never within the range")
    if told:
        yield "\n".join(told)


def _now(each: ValueFlip) -> str:
    if each.known:
        return plain(float(each.value or 0))
    return words.UNKNOWN if each.value is None else f"{words.UNKNOWN} ({plain(float(each.value))})"


def _move(each: ValueFlip) -> str:
    if each.move is None:
        return ""
    return f"{float(each.move):+.6f}".replace("-", "−")


def _nearest(found: Flips, names: Names) -> Iterator[str]:
    rows = [
        [name, _away(near), names.get(near.leads, "nobody"), _point(near)]
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


def _away(near: Nearest) -> str:
    """How far, as with `_flip`."""
    return f"{'at' if near.at else 'beyond'} {near.distance:.4f}"


def _point(near: Nearest) -> str:
    return ", ".join(
        f"{name} {plain(round(float(weight), 4))}" for name, weight in near.weights.items()
    )


def _rivals(found: Flips, names: Names) -> Iterator[str]:
    if not found.rivals:
        return
    rows = [
        [names[each.candidate], plain(float(each.gap)), _deviations(each, found.noise)]
        for each in found.rivals
    ]
    yield figures(("rival", "behind", "in deviations of the noise"), rows, 1)


def _deviations(each: Distance, noise: float | None) -> str:
    """How many; a judge that never wavered has none."""
    if noise == 0:
        return "no noise"
    return words.UNKNOWN if each.deviations is None else f"{each.deviations:.2f}"
