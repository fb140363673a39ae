"""A recorded decision made again from its factors: what is on record is never trusted blindly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.errors import ConfigError, LedgerError
from orka.score.decide import DecisionEngine, needed_margin, setting_problem
from orka.score.ledger import Ledger, Outcome, Place, distinct
from orka.score.scorer import PathScorer, Standing, number
from orka.score.strategy import STRATEGIES, Strategy
from orka.value import Json

_DECIDED = ("decision", "status", "chosen", "shortlist", "ask")


def again(ledger: Ledger, strategies: Mapping[str, Strategy] = STRATEGIES) -> Standing:
    """The standing that the stored factors give.

    Raises `LedgerError` (`ledger.mismatch`) that names the first thing in which the recorded
    outcome differs; a strategy that is not in `strategies` is not asked again.
    """
    try:
        distinct(ledger.candidates)
    except ConfigError as error:
        raise _unreadable(error.what) from None
    _weighed(ledger)
    standing = PathScorer(ledger.setting).score(ledger.candidates)
    differing = [*_measured(ledger, standing), *_chosen(ledger, standing, strategies)]
    if differing:
        what, recorded, found = differing[0]
        raise LedgerError(
            f"the recorded decision does not follow from its factors: {what} is {recorded!r} on "
            f"record and {found!r} by the factors",
            fix="the record or OrKa's arithmetic was changed: `orka replay` says where the run "
            "parts from its record",
            code="ledger.mismatch",
        )
    return standing


def _weighed(ledger: Ledger) -> None:
    """Raises `LedgerError` for a factor that was measured, and of which the setting has lost how
    much it counts."""
    weights = ledger.setting.weights.keys()
    for candidate in ledger.candidates:
        if candidate.factors.keys() <= weights:
            continue
        for name in candidate.factors:
            if name not in weights:
                raise _unreadable(
                    f"the setting has no factor {name!r}, which candidate {candidate.id!r} has"
                )


def _measured(ledger: Ledger, standing: Standing) -> Iterator[tuple[str, Json, Json]]:
    """Where the ranking, the scores and the margins differ."""
    recorded = ledger.outcome
    found = [(each.candidate.id, each.score) for each in (*standing.ranked, *standing.out)]
    if found != [(each.id, each.score) for each in recorded.ranking]:
        yield from _places(recorded.ranking, standing.places)
    needed = needed_margin(ledger.setting, ledger.noise)
    figures: Mapping[str, Json] = {
        "margin": None if standing.margin is None else number(standing.margin),
        "needed": None if needed is None else number(needed),
        "tied": standing.tied,
    }
    for name, value in figures.items():
        if getattr(recorded, name) != value:
            yield f"the outcome's `{name}`", getattr(recorded, name), value


def _places(
    recorded: tuple[Place, ...], found: tuple[Place, ...]
) -> Iterator[tuple[str, Json, Json]]:
    before, after = [each.id for each in recorded], [each.id for each in found]
    if sorted(before) != sorted(after):
        yield "the set of ranked candidates", before, after
        return
    scores = {each.id: each.score for each in found}
    for each in recorded:
        if scores[each.id] != each.score:
            yield f"the score of {each.id!r}", each.score, scores[each.id]
    if before != after:
        yield "the ranking", before, after


def _chosen(
    ledger: Ledger, standing: Standing, strategies: Mapping[str, Strategy]
) -> Iterator[tuple[str, Json, Json]]:
    """Where what was chosen differs."""
    setting = ledger.setting
    if setting.strategy not in strategies:
        return
    if problem := setting_problem(setting, strategies):
        raise _unreadable(problem)
    found: Outcome = DecisionEngine(setting, strategies).conclude(standing, ledger.noise)
    for name in _DECIDED:
        if getattr(ledger.outcome, name) != getattr(found, name):
            yield f"the outcome's `{name}`", getattr(ledger.outcome, name), getattr(found, name)


def _unreadable(what: str) -> LedgerError:
    return LedgerError(
        f"a recorded decision cannot be made again: {what}",
        fix="nothing is guessed: take the decision from an intact trace",
        code="ledger.incomplete",
    )
