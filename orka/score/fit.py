"""Fit: from decisions of which a person says what was right to weights that explain it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from orka.errors import ConfigError
from orka.score.agreement import Agreement, Paired, agreement, paired
from orka.score.factor import UNIT, exact
from orka.score.labelled import Used, sorted_out
from orka.score.ledger import Ledger
from orka.score.scorer import PathScorer
from orka.score.setting import Setting

Advice = Literal["use", "keep"]
FOLDS = 5
# The share of labels that takes no part in fitting.
HELD_OUT = 0.3
# A difference that chance alone makes less often than this is one.
_CHANCE = 0.05
# Fitted weights have four decimal places: more would not be the same on every machine.
_STEP = UNIT // 10_000


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """Fitted weights beside today's, and how both do on decisions that took no part in fitting.

    `strength` is the pull to today's weights that cross-validation chose (None: nothing but today's
    weights); `slip` the share of labels that no weights explain. Of the labels, `alone` name one of
    fewer than two candidates and `out` one that could not be chosen: they say nothing of weights.
    """

    today: Mapping[str, float]
    weights: Mapping[str, float]
    before: Agreement
    after: Agreement
    paired: Paired
    advice: Advice
    reason: str
    trained: int
    alone: int
    out: int
    strength: float | None
    slip: float
    seed: int
    folds: int


def fit(
    labelled: Sequence[tuple[Ledger, str]],
    *,
    names: Sequence[str] = (),
    today: Mapping[str, float] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> Fit:
    """Weights with the least change from `today` (as the last decision has them) that explain the
    labels: each the id of the candidate that a person says is right. They are 0 or more, and their
    sum is today's. `names` are what messages call the decisions.

    Three of ten labels are held out: which ones depends on the order of decisions and on `seed`.
    Raises `InputError` for labels that say too little (`fit.few_labels`, `fit.one_place`,
    `fit.no_variation`) or something wrong (`fit.no_candidate`, `fit.other_factors`), `ConfigError`
    for weights that cannot be meant and without scipy (`fit.needs_stats`).
    """
    found = sorted_out(labelled, names, today)
    held, trained = _parted(found.used, seed)
    told, strength, slip = _fitted(trained, found.weights, folds)
    before, after = _right(held, found.weights), _right(held, told)
    both = paired(before, after)
    advice, reason = _advice(both, len(held), same=told == found.weights)
    return Fit(
        today=found.weights,
        weights=told,
        before=agreement(before),
        after=agreement(after),
        paired=both,
        advice=advice,
        reason=reason,
        trained=len(trained),
        alone=found.alone,
        out=found.out,
        strength=strength,
        slip=slip,
        seed=seed,
        folds=folds,
    )


def _fitted(
    used: Sequence[Used], today: Mapping[str, float], folds: int
) -> tuple[dict[str, float], float | None, float]:
    """Weights, the strength of the pull to today's that was chosen, and the slip."""
    if folds < 2:
        raise ConfigError(f"`folds` is {folds}; it must be 2 or more", code="fit.folds")
    try:
        from orka.score import logit  # noqa: PLC0415  # scipy is an extra, and heavy
    except ImportError as error:
        raise ConfigError(
            f"weights are fitted with scipy, which cannot be imported: {error}",
            fix="run `pip install 'orka[stats]'`",
            code="fit.needs_stats",
        ) from error
    data = logit.choices([each.values for each in used], [each.label for each in used])
    start = logit.numbers(list(today.values()))
    place = logit.chosen(data, start, folds)
    path = logit.path(data, start)
    if not place:
        return dict(today), None, 0.0
    weights = _rounded(path.weights[place].tolist(), today)
    return weights, logit.STRENGTHS[place - 1], round(path.slips[place], 3)


def _parted(used: Sequence[Used], seed: int) -> tuple[list[Used], list[Used]]:
    """Held out, and the rest, in an order that depends on the seed alone."""

    def digest(at: int) -> bytes:
        return hashlib.sha256(f"{seed}:{at}".encode()).digest()

    mixed = [used[at] for at in sorted(range(len(used)), key=digest)]
    size = round(HELD_OUT * len(used))
    return mixed[:size], mixed[size:]


def _right(held: Sequence[Used], weights: Mapping[str, float]) -> list[bool]:
    """Which labels the weights choose, by the exact scorer."""
    return [_winner(each.ledger, weights) == each.winner for each in held]


def _winner(ledger: Ledger, weights: Mapping[str, float]) -> str:
    setting: Setting = ledger.setting.weighing(weights)
    ranked = PathScorer(setting).score(ledger.candidates).ranked
    return ranked[0].candidate.id if ranked else ""


def _rounded(weights: Sequence[float], today: Mapping[str, float]) -> dict[str, float]:
    """At four places; what rounding took from the sum, or gave, is the largest weight's."""
    units = [round(exact(weight) / _STEP) * _STEP for weight in weights]
    most = units.index(max(units))
    units[most] += sum(map(exact, today.values())) - sum(units)
    return {name: unit / UNIT for name, unit in zip(today, units, strict=True)}


def _advice(both: Paired, held: int, *, same: bool) -> tuple[Advice, str]:
    """What to do, and why."""
    if same:
        return "keep", "keep today's weights: no others explain the labels better, beyond chance"
    told = (
        f"of {held} held-out labels they choose {both.gained} that today's weights miss, and miss "
        f"{both.lost} that today's choose ({_chance(both.p)})"
    )
    if both.gained > both.lost and both.p < _CHANCE:
        return "use", f"use the fitted weights: {told}"
    return "keep", f"keep today's weights: the fitted ones are not better, beyond chance: {told}"


def _chance(p: float) -> str:
    told = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    return f"{told} that chance alone makes such a difference"
