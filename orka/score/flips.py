"""What would flip a decision: by how much each weight and each value must move, exactly."""

from __future__ import annotations

from fractions import Fraction

from orka.score.decide import spread_of
from orka.score.flip import Distance, Flips
from orka.score.ledger import Ledger
from orka.score.nearest import nearest
from orka.score.scorer import SQUARE, PathScorer, Standing
from orka.score.valueflips import value_flips
from orka.score.weightflips import weight_flips

# A rival within this many standard deviations of the noise may as well lead: about 95 %.
NOISE = 2


def flips(ledger: Ledger) -> Flips:
    """Where the leader (the first of the ranking, ties in declared order) changes. Candidates that
    a gate excluded stay out. Raises `LedgerError` for a factor that is missing."""
    standing = PathScorer(ledger.setting).score(ledger.candidates)
    weights = weight_flips(ledger, standing)
    anywhere, allowed = nearest(ledger, standing, weights)
    noise = spread_of(ledger.setting, ledger.noise)
    rivals = _rivals(standing, noise)
    return Flips(
        leader=standing.ranked[0].candidate.id if standing.ranked else "",
        weights=weights,
        values=value_flips(ledger, standing),
        nearest=anywhere,
        allowed=allowed,
        noise=noise,
        rivals=rivals,
        coin_flip=_coin_flip(standing, rivals, noise),
    )


def _rivals(standing: Standing, noise: float | None) -> tuple[Distance, ...]:
    if not standing.ranked:
        return ()
    first = standing.ranked[0].final or 0
    found = []
    for each in standing.ranked[1:]:
        gap = Fraction(first - (each.final or 0), SQUARE)
        deviations = round(float(gap) / noise, 6) if noise else None
        found.append(Distance(each.candidate.id, gap, deviations))
    return tuple(found)


def _coin_flip(
    standing: Standing, rivals: tuple[Distance, ...], noise: float | None
) -> bool | None:
    if noise is None or not standing.ranked:
        return None
    return bool(rivals) and rivals[0].gap <= NOISE * Fraction(noise)
