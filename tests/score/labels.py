"""Decisions labelled by hidden weights: what `fit` is measured with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from orka.score.factor import FACTORS, PENALTIES, UNIT, Known
from orka.score.ledger import Candidate, Ledger, Outcome
from orka.score.setting import PROFILES, Setting, factors_of

SETTING = Setting(factors=factors_of(PROFILES["conservative"]), profile="conservative")
NOTHING = Outcome(decision="fallback", status="unknown")
NOISE = 0.1
# So many that the share of them is the truth, to a thousandth.
FRESH = 50_000


def hidden(random: Random) -> dict[str, float]:
    """Weights nobody is told, evenly from all that sum to 1."""
    drawn = [random.expovariate(1) for _ in FACTORS]
    return {name: each / sum(drawn) for name, each in zip(FACTORS, drawn, strict=True)}


def values(random: Random) -> list[list[float]]:
    """Those of 3 to 8 candidates."""
    return [
        [
            round((-1 if name in PENALTIES else 1) * random.random() * UNIT) / UNIT
            for name in FACTORS
        ]
        for _ in range(random.randint(3, 8))
    ]


def best(found: Sequence[Sequence[float]], weights: Mapping[str, float]) -> int:
    """The place of the highest score."""
    scores = [sum(w * v for w, v in zip(weights.values(), each, strict=True)) for each in found]
    return scores.index(max(scores))


def label(
    random: Random, found: Sequence[Sequence[float]], weights: Mapping[str, float], noise: float
) -> int:
    """The place of the best by `weights`; with a chance of `noise` another one."""
    right = best(found, weights)
    if random.random() >= noise:
        return right
    return random.choice([at for at in range(len(found)) if at != right])


def ledger(found: Sequence[Sequence[float]], setting: Setting = SETTING) -> Ledger:
    """A decision between c0, c1, …; what came of it plays no part."""
    candidates = tuple(
        Candidate(
            id=f"c{at}",
            path=(f"c{at}",),
            factors={
                factor.name: Known(value)
                for factor, value in zip(setting.factors, each, strict=True)
            },
        )
        for at, each in enumerate(found)
    )
    return Ledger(setting=setting, candidates=candidates, outcome=NOTHING)


def labelled(
    random: Random, weights: Mapping[str, float], count: int, noise: float = NOISE
) -> list[tuple[Ledger, str]]:
    """Decisions, and which candidate a person with `weights` says is right."""
    found = [values(random) for _ in range(count)]
    return [(ledger(each), f"c{label(random, each, weights, noise)}") for each in found]


@cache
def fresh() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Decisions that nobody has seen: values of up to 8 candidates, and how many there are."""
    random = np.random.default_rng(1)
    found = random.random((FRESH, 8, len(FACTORS)))
    signs = [-1.0 if name in PENALTIES else 1.0 for name in FACTORS]
    return found * np.asarray(signs), random.integers(3, 9, FRESH)


def truth(weights: Mapping[str, float], fitted: Mapping[str, float]) -> float:
    """How often `fitted` weights choose what a person with `weights` will say. Which labels are
    noise is not drawn: their expectation is taken."""
    found, many = fresh()
    there = np.arange(found.shape[1]) < many[:, None]

    def chosen(by: Mapping[str, float]) -> NDArray[np.int64]:
        scores = np.einsum("nck,k->nc", found, np.asarray([by[name] for name in FACTORS]))
        place: NDArray[np.int64] = np.where(there, scores, -np.inf).argmax(axis=1)
        return place

    same = chosen(weights) == chosen(fitted)
    return float(np.where(same, 1 - NOISE, NOISE / (many - 1)).mean())
