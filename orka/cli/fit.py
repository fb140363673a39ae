"""`orka fit`: weights that explain what people say was right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from orka.cli import exit, words
from orka.cli.labels import matched, names, read_labels
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json, write_file
from orka.cli.stored import nothing, stored, tell_unread
from orka.score.fit import Fit
from orka.score.fit import fit as fitted
from orka.value import Json

_HEAD = ("factor", "today", "fitted", "change")


@click.command()
@click.argument("what", metavar="[FLOW|RUN]...", nargs=-1)
@click.option(
    "--labels",
    required=True,
    metavar="FILE",
    help='A line of JSON for each: {"run": …, "node": …, "winner": "the id of a candidate"}.',
)
@click.option("--all", "every", is_flag=True, help="All runs of the store.")
@click.option(
    "--write",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the fitted weights as YAML.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which labels are held out.")
@machine()
@reads
def fit(
    *,
    what: Sequence[str],
    labels: str,
    every: bool,
    write: Path | None,
    seed: int,
    form: str,
    settings: Settings,
) -> int:
    """Fit weights to labels of stored decisions: the least change from today's that explains them.
    Three of ten labels are held out, to say how often both agree with a person. No model is asked.

    The exit code is 5 if a record could not be read.
    """
    given = read_labels(labels)
    with settings.reading() as runtime:
        found = stored(runtime, what, every=every)
        if not found.recorded and not found.unread:
            raise nothing(found)
        pairs, other = matched(runtime, given, found, labels)
    told = fitted(
        [(each.recorded.ledger, each.label.winner) for each in pairs],
        names=list(names(pairs, labels)),
        seed=seed,
    )
    if write is not None:
        write_file(write, written(told))
    if form == "json":
        print_json({**msgspec.to_builtins(told), "of_other_runs": other})
    else:
        click.echo(report(told))
    if other:
        click.echo(f"{_labels(other)} of runs that were not asked for: not used", err=True)
    tell_unread(found.unread)
    return exit.STORE if found.unread else exit.COMPLETED


def written(told: Fit) -> Json:
    """The weights as a YAML file; what is known of them stands above."""
    lines = [f"# {line}" for line in (told.reason, _agreement(told))]
    lines += [f"{name}: {weight:g}" for name, weight in told.weights.items()]
    return "\n".join(lines)


def report(told: Fit) -> str:
    """Weights side by side, the agreement of both, and what to do."""
    rows = [
        [name, f"{weight:g}", f"{told.weights[name]:g}", f"{told.weights[name] - weight:+.4f}"]
        for name, weight in told.today.items()
    ]
    table = words.table(_HEAD, rows, right="today fitted change")
    lines = [table, "", _agreement(told), _labelled(told), "", f"to do: {told.reason}"]
    return "\n".join(lines)


def _agreement(told: Fit) -> str:
    return (
        f"agreement on {told.after.of} held-out labels (95 % interval): "
        f"today's weights {told.before}, fitted weights {told.after}"
    )


def _labelled(told: Fit) -> str:
    """How many labels were used, and for what."""
    line = f"fitted to {_labels(told.trained)}"
    parts = [f"{told.alone} of decisions with nothing to choose"] if told.alone else []
    parts += [f"{told.out} that name a candidate which was out"] if told.out else []
    return f"{line}; not used: {', '.join(parts)}" if parts else line


def _labels(count: int) -> str:
    return f"{count} label{'' if count == 1 else 's'}"
