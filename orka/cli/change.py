"""The options that say what of a decision is to be different."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from orka.cli.weights import policy_pairs, read_weights, weight_pairs
from orka.score.whatif import Change

Command = TypeVar("Command", bound=Callable[..., Any])  # Any: click passes what options say


def changes(command: Command) -> Command:
    """Give a command the options of a change as one `change`, which changes something."""

    @wraps(command)
    def called(
        *,
        weights: Sequence[str],
        single: Sequence[str],
        profile: str,
        without: Sequence[str],
        policy: Sequence[str],
        margin: float | None,
        strategy: str,
        too_close: str,
        **rest: Any,  # Any: what click passes on
    ) -> Any:  # Any: what the command gives back
        change = Change(
            weights=_file(weights),
            set=weight_pairs([*(each for each in weights if "=" in each), *single], "--weights"),
            profile=profile,
            without=tuple(without),
            policies=policy_pairs(policy, "--policy"),
            commit_margin=margin,
            strategy=strategy,
            too_close=too_close,
        )
        if change.empty:
            raise click.UsageError(
                "say what is to be different: --weights, --profile, --without, …"
            )
        return command(change=change, **rest)

    decorated: Any = called  # Any: the wrapper stands for the command
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]  # a command, with options on it


_OPTIONS: Sequence[Callable[[Any], Any]] = (  # Any: decorates whatever it is put on
    click.option(
        "--weights",
        multiple=True,
        metavar="FILE|FACTOR=WEIGHT",
        help="A YAML map in place of all weights, or one weight. May be repeated.",
    ),
    click.option("--set", "single", multiple=True, metavar="FACTOR=WEIGHT", help="One weight."),
    click.option("--profile", default="", metavar="NAME", help="The weights of a profile."),
    click.option("--without", multiple=True, metavar="CANDIDATE", help="Leave a candidate out."),
    click.option(
        "--policy", multiple=True, metavar="FACTOR=POLICY", help="For not knowing a factor."
    ),
    click.option("--margin", type=float, help="Another `commit_margin`."),
    click.option("--strategy", default="", metavar="NAME", help="Another strategy."),
    click.option("--too-close", default="", metavar="WORD", help="Another `too_close`."),
)


def _file(weights: Sequence[str]) -> dict[str, float] | None:
    """The weights of the one file that is named, if one is."""
    files = [each for each in weights if "=" not in each]
    if len(files) > 1:
        raise click.BadParameter("give one file at most", param_hint="--weights")
    return read_weights(files[0]) if files else None
