"""Weights that explain labels: a conditional logit that stays near today's weights.

The chance that a person names candidate c is (1 - slip) · exp(v·f_c) / Σ exp(v·f) + slip / n
(McFadden 1974), where v is a scale times the weights, and `slip` the share of labels that are no
choice at all (the lapse rate of Wichmann & Hill 2001): without it a few wrong labels bend the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Strengths of the pull to today's weights, strongest first. Before them stands today itself.
STRENGTHS = tuple(10.0**power for power in range(1, -7, -1))
# The scale has no end where labels can be explained wholly; this much pull to 0 gives it one.
_SCALE_PULL = 1e-6
_SLIP = (1e-3, 0.5)
# Scores nearer than this are a tie: floats differ in the last digits where exact sums do not.
_PLACES = 9


class Choices(msgspec.Struct, frozen=True):
    """n decisions: `values` (n, candidates, factors), `there` (n, candidates) tells which are
    candidates and which only fill up, `label` (n) is the place of the right one."""

    values: Numbers
    there: Flags
    label: NDArray[np.int64]

    def of(self, places: Sequence[int]) -> Choices:
        """Those at `places`."""
        at = np.asarray(places, dtype=np.int64)
        return Choices(self.values[at], self.there[at], self.label[at])

    def right(self, weights: Numbers) -> Flags:
        """Which labels the weights choose; of a tie the first."""
        scores = np.round(_scores(self.values, weights), _PLACES)
        chosen: NDArray[np.int64] = np.where(self.there, scores, -np.inf).argmax(axis=1)
        right: Flags = chosen == self.label
        return right


class Path(msgspec.Struct, frozen=True):
    """Weights for each strength, today's first, and the slip that goes with each."""

    weights: tuple[Numbers, ...]
    slips: tuple[float, ...]


def choices(values: Sequence[Sequence[Sequence[float]]], labels: Sequence[int]) -> Choices:
    """Of decisions with a list of factors for each of their candidates."""
    widest, factors = max(map(len, values)), len(values[0][0])
    filled = np.zeros((len(values), widest, factors))
    there = np.zeros((len(values), widest), dtype=np.bool_)
    for at, candidates in enumerate(values):
        filled[at, : len(candidates)] = candidates
        there[at, : len(candidates)] = True
    return Choices(filled, there, np.asarray(labels, dtype=np.int64))


def numbers(values: Sequence[float]) -> Numbers:
    return np.asarray(values, dtype=np.float64)


def path(data: Choices, today: Numbers) -> Path:
    """Weights as near to today's as each strength asks for; their sum is that of today's."""
    sum_ = float(today.sum())
    start = np.append(today * (10 / sum_), 0.1)
    weights, slips = [today], [0.0]
    for strength in STRENGTHS:
        start = _solved(data, today, strength, start)
        scale = float(start[:-1].sum()) / sum_
        weights.append(start[:-1] / scale if scale > _SCALE_PULL else today)
        slips.append(float(start[-1]))
    return Path(tuple(weights), tuple(slips))


def chosen(data: Choices, today: Numbers, folds: int) -> int:
    """The place in a `path` of the strongest pull whose agreement is within one standard error of
    the best, in cross-validation (Breiman et al. 1984); the error is that of the difference, since
    both are measured on the same decisions."""
    count = len(data.label)
    right = np.zeros((len(STRENGTHS) + 1, count))
    for fold in range(folds):
        inside = [at for at in range(count) if at % folds != fold]
        outside = list(range(fold, count, folds))
        for at, weights in enumerate(path(data.of(inside), today).weights):
            right[at, outside] = data.of(outside).right(weights)
    lost = right[right.mean(axis=1).argmax()] - right
    error = lost.std(axis=1, ddof=1) / np.sqrt(count)
    return int(np.flatnonzero(lost.mean(axis=1) <= error)[0])


def _scores(values: Numbers, weights: Numbers) -> Numbers:
    """By einsum, as the optimiser is TNC: what works with BLAS shares even so little out to
    threads, which takes ten times as long on a busy machine."""
    scores: Numbers = np.einsum("nck,k->nc", values, weights)
    return scores


def _solved(data: Choices, today: Numbers, strength: float, start: Numbers) -> Numbers:
    """The least of mean loss + strength · |v - scale · today|²; the last number is the slip."""
    label = data.values[np.arange(len(data.label)), data.label]
    apart = data.values - label[:, None, :]
    many = data.there.sum(axis=1)
    sum_ = float(today.sum())

    def loss(point: Numbers) -> tuple[float, Numbers]:
        v, slip = point[:-1], float(point[-1])
        odds = np.where(data.there, _scores(apart, v), -np.inf)
        top = odds.max(axis=1, keepdims=True)
        parts = np.exp(odds - top)
        total = parts.sum(axis=1, keepdims=True)
        meant = np.exp(-top[:, 0]) / total[:, 0]
        chance = (1 - slip) * meant + slip / many
        share = ((1 - slip) * meant / chance)[:, None] * (parts / total)
        slope = np.einsum("nc,nck->k", share, apart) / len(many)
        by_slip = ((meant - 1 / many) / chance).mean()
        scale = float(v.sum()) / sum_
        off = v - scale * today
        pull = strength * float(off @ off) + _SCALE_PULL * scale * scale
        slope += 2 * strength * (off - float(off @ today) / sum_)
        slope += 2 * _SCALE_PULL * scale / sum_
        return pull - float(np.log(chance).mean()), np.append(slope, by_slip)

    bounds = [(0.0, None)] * len(today) + [_SLIP]
    options = {"maxfun": 2000, "ftol": 1e-10, "gtol": 1e-6, "xtol": -1}
    found = minimize(loss, start, jac=True, method="TNC", bounds=bounds, options=options)
    return np.asarray(found.x, dtype=np.float64)
