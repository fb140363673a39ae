"""`orka rescore`: what other weights would have decided in all stored decisions."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

import click
import msgspec

from orka.cli import exit, words
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.cli.stored import Stored, name_of, nothing, stored
from orka.cli.weights import policy_pairs, weight_pairs, whole_weights
from orka.errors import OrkaError, StoreError
from orka.score.ledger import Ledger
from orka.score.rescore import LeftOut, Rescore, Rescored, Side
from orka.score.rescore import rescore as rescored
from orka.score.whatif import Change
from orka.value import Json

_HEAD = ("decision", "was", "would be", "margin", "then", "decided", "then")
# So many decisions are named that were left out for the same cause; JSON has them all.
_NAMED = 3


@click.command()
@click.argument("what", metavar="[FLOW|RUN]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All runs of the store.")
@click.option(
    "--weights",
    multiple=True,
    metavar="FILE|FACTOR=WEIGHT",
    help="A YAML map in place of all weights, or one weight. May be repeated.",
)
@click.option("--set", "single", multiple=True, metavar="FACTOR=WEIGHT", help="One weight.")
@click.option("--profile", default="", metavar="NAME", help="The weights of a profile.")
@click.option("--policy", multiple=True, metavar="FACTOR=POLICY", help="For not knowing a factor.")
@click.option("--margin", type=float, help="Another `commit_margin`.")
@click.option("--strategy", default="", metavar="NAME", help="Another strategy.")
@click.option("--too-close", default="", metavar="WORD", help="Another `too_close`.")
@machine()
@reads
def rescore(
    *,
    what: Sequence[str],
    every: bool,
    weights: Sequence[str],
    single: Sequence[str],
    profile: str,
    policy: Sequence[str],
    margin: float | None,
    strategy: str,
    too_close: str,
    form: str,
    settings: Settings,
) -> int:
    """Decide all stored decisions of a workflow (its file or id) or of runs again, with a change.
    No model is asked.

    The exit code is 5 if a record is damaged, and 2 if no decision could be decided again.
    """
    change = Change(
        weights=whole_weights(weights),
        set=weight_pairs([*(each for each in weights if "=" in each), *single], "--weights"),
        profile=profile,
        policies=policy_pairs(policy, "--policy"),
        commit_margin=margin,
        strategy=strategy,
        too_close=too_close,
    )
    if change.empty:
        raise click.UsageError("say what is to be different: --weights, --profile, --policy, …")
    with settings.reading() as runtime:
        found = stored(runtime, what, every=every)
        told = rescored(named(found), change, runtime.registry.strategies)
    if not found.recorded and not found.unread:
        raise nothing(found)
    if form == "json":
        print_json(_document(told))
    else:
        _tell(told)
    return _code(found, told)


def named(found: Stored) -> list[tuple[str, Ledger | OrkaError]]:
    """Decisions by name, and after them what cannot be read."""
    read = [(name_of(each), each.ledger) for each in found.recorded]
    return [*read, *((each.name, each.error) for each in found.unread)]


def _code(found: Stored, told: Rescored) -> int:
    damaged = [each for each in told.left_out if each.code.startswith(("ledger.", "store."))]
    if damaged or any(isinstance(each.error, StoreError) for each in found.unread):
        return exit.STORE
    return exit.COMPLETED if told.lines else exit.USAGE


def _tell(told: Rescored) -> None:
    changed = [line for line in told.lines if line.moved or line.turned]
    if changed:
        click.echo(words.table(_HEAD, [_cells(line) for line in changed], right="margin then"))
        click.echo()
    click.echo(summary(told))
    for (before, after), count in told.moves.items():
        click.echo(f"  {before or 'nothing'} → {after or 'nothing'}: {count}")
    for line in _left_out(told):
        click.echo(line, err=True)


def _left_out(told: Rescored) -> Iterator[str]:
    """What was left out, once for each cause."""
    causes: dict[tuple[str, str], list[str]] = {}
    for each in told.left_out:
        causes.setdefault((each.code, each.cause), []).append(each.name)
    for (code, cause), names in causes.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield f"left out: {', '.join(names[:_NAMED])}{more}: [{code}] {cause}"


def summary(told: Rescored) -> str:
    """One line: how many, and how many change."""
    count = len(told.lines)
    left = f"; {len(told.left_out)} left out" if told.left_out else ""
    parts = f"{len(told.moved)} other winners, {len(told.turned)} decisions of another kind"
    line = f"{count} decision{'' if count == 1 else 's'} decided again: {parts}{left}"
    before, after = margins(told)
    if before is None or after is None:
        return line
    return f"{line}\nmedian margin {_margin(before)}, then {_margin(after)}"


def margins(told: Rescored) -> tuple[float | None, float | None]:
    """The medians, before and after; None if no decision has a margin."""
    sides = [
        [each.margin for each in part if each.margin is not None]
        for part in zip(*((line.before, line.after) for line in told.lines), strict=True)
    ]
    before, after = (statistics.median(each) if each else None for each in sides or ([], []))
    return before, after


def _cells(line: Rescore) -> list[str]:
    was, then = line.before, line.after
    decided = [was.decision, then.decision] if line.turned else [was.decision, ""]
    winners = [was.winner or "nothing", (then.winner or "nothing") if line.moved else "the same"]
    return [line.name, *winners, _margin(was.margin), _margin(then.margin), *decided]


def _margin(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _document(told: Rescored) -> Json:
    before, after = margins(told)
    changed = [line for line in told.lines if line.moved or line.turned]
    return {
        "decisions": len(told.lines),
        "other_winners": len(told.moved),
        "other_kinds": len(told.turned),
        "median_margin": {"before": before, "after": after},
        "moves": [{"from": b, "to": a, "count": n} for (b, a), n in told.moves.items()],
        "changed": [_line(line) for line in changed],
        "left_out": [_left(each) for each in told.left_out],
    }


def _line(line: Rescore) -> Json:
    return {"decision": line.name, "before": _side(line.before), "after": _side(line.after)}


def _side(each: Side) -> Json:
    told: Json = msgspec.to_builtins(each)
    return told


def _left(each: LeftOut) -> Json:
    told: Json = msgspec.to_builtins(each)
    return told
