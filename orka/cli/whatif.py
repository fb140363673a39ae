"""`orka whatif`: a recorded decision, made again with something else."""

from __future__ import annotations

from collections.abc import Iterator

import click

from orka.cli import exit
from orka.cli.change import changes
from orka.cli.decided import about, asks, chosen, figures, tell
from orka.cli.names import Names, fitted, room
from orka.cli.options import Settings, machine, reads
from orka.score.ledger import Ledger, Place
from orka.score.told import figure
from orka.score.whatif import Change
from orka.score.whatif import whatif as decided
from orka.score.why import Why, why
from orka.value import Json


@click.command()
@asks
@changes
@machine()
@reads
def whatif(
    *,
    run: str,
    node: str,
    at: int | None,
    change: Change,
    form: str,
    settings: Settings,
) -> int:
    """Say what RUN (without one: the last) would have decided with other weights, candidates or
    rules. Nothing is measured anew: no model is asked."""
    with settings.reading() as runtime:
        known = runtime.registry.strategies
        told = []
        for recorded in chosen(runtime, run, node, at):
            with about(recorded):
                before = why(recorded.ledger, "", known)
                after = decided(recorded.ledger, change, known)
                pair = (before, why(after, "", known))
            told.append((recorded, _document(recorded.ledger, after, *pair), _text(*pair)))
    tell(told, form)
    return exit.COMPLETED


def _document(old: Ledger, new: Ledger, before: Why, after: Why) -> dict[str, Json]:
    return {
        "changed": {
            "leader": before.leader != after.leader,
            "decision": _result(before) != _result(after),
        },
        "weights": {"before": old.setting.weights, "after": new.setting.weights},
        "before": before.json(),
        "after": after.json(),
    }


def _result(found: Why) -> tuple[str, str, tuple[str, ...]]:
    """What is decided; of what is left open, among whom."""
    outcome = found.outcome
    left_open = outcome.decision in ("shortlist", "human_gate")
    return outcome.decision, outcome.chosen, outcome.shortlist if left_open else ()


def _text(before: Why, after: Why) -> str:
    same = _result(before) == _result(after)
    head = "The same is decided." if same else "Something else is decided."
    return "\n\n".join(
        [
            head,
            f"before: {before.sentence}\n        {before.then}",
            f"after:  {after.sentence}\n        {after.then}",
            *_weights(before, after),
            *fitted(
                [line.id for line in before.lines],
                lambda names: [_scores(before, after, names)],
                room(),
            ),
        ]
    )


def _weights(before: Why, after: Why) -> Iterator[str]:
    old, new = before.setting.weights, after.setting.weights
    if old != new:
        rows = [[name, f"{old[name]:g}", f"{new[name]:g}"] for name in old]
        yield figures(("factor", "weight", "then"), rows, 1)


def _scores(before: Why, after: Why, names: Names) -> str:
    then = {place.id: place for place in after.outcome.ranking}
    places = {line.id: line.place for line in after.lines}
    rows = []
    for line in before.lines:
        found = then.get(line.id)
        score = "" if line.score is None else figure(line.score)
        row = [names[line.id], _place(line.place), score]
        rows.append([*row, _place(places.get(line.id)), _score(found)])
    return figures(("candidate", "place", "score", "then", "score"), rows, 1)


def _place(place: int | None) -> str:
    return "out" if place is None else str(place)


def _score(place: Place | None) -> str:
    if place is None:
        return "left out"
    return "" if place.score is None else f"{place.score:.4f}".replace("-", "−")
