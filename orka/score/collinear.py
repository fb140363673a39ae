"""Factors that say the same: correlations and variance inflation within decisions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

ALIKE = 0.95
"""Two factors say the same from this correlation on, whatever its sign."""
INFLATED = 10.0
"""A factor follows from the others above this variance inflation factor, 1 / (1 - R²)."""
FEWEST = 10
"""Fewer degrees of freedom say nothing: two candidates always lie on a line."""
_ROUND = 1e-9

Pair = tuple[tuple[str, ...], Mapping[str, float]]


def collinear(names: Sequence[str], decisions: Sequence[Sequence[Sequence[float]]]) -> list[Pair]:
    """Pairs of factors with their correlation `r` over deviations from each decision's mean; then
    factors in no such pair that follow from several others, with `vif` (without a number if they
    follow wholly). Needs numpy for the latter; without it there are only pairs."""
    free = sum(len(rows) - 1 for rows in decisions if rows)
    if len(names) < 2 or free < max(FEWEST, len(names) + 1):
        return []
    rows = [row for each in decisions for row in _deviations(each)]
    matrix = _correlations(rows, len(names))
    pairs: list[Pair] = [
        ((names[a], names[b]), {"r": round(matrix[a][b], 6)})
        for a in range(len(names))
        for b in range(a + 1, len(names))
        if abs(matrix[a][b]) >= ALIKE
    ]
    paired = [name for each, _ in pairs for name in each]
    rest = [at for at, name in enumerate(names) if name not in paired]
    return pairs + [
        ((names[at],), {} if math.isinf(vif) else {"vif": round(vif, 6)})
        for at, vif in zip(rest, _inflation(matrix, rest), strict=True)
        if vif > INFLATED
    ]


def _deviations(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    means = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    return [[value - mean for value, mean in zip(row, means, strict=True)] for row in rows]


def _correlations(rows: Sequence[Sequence[float]], size: int) -> list[list[float]]:
    columns = [[row[at] for row in rows] for at in range(size)]
    lengths = [math.sqrt(math.fsum(value * value for value in column)) for column in columns]
    return [
        [
            math.fsum(x * y for x, y in zip(columns[a], columns[b], strict=True))
            / ((lengths[a] * lengths[b]) or 1.0)
            for b in range(size)
        ]
        for a in range(size)
    ]


def _inflation(matrix: Sequence[Sequence[float]], at: Sequence[int]) -> list[float]:
    """The diagonal of the inverse of the correlations of the factors at `at`; infinite if they
    follow from each other wholly."""
    try:
        import numpy as np  # noqa: PLC0415  # an extra; without it only pairs are looked at
    except ImportError:
        return [1.0] * len(at)
    if len(at) < 3:
        return [1.0] * len(at)
    picked = np.array([[matrix[a][b] for b in at] for a in at])
    found: list[float] = []
    for place in range(len(at)):
        others = [each for each in range(len(at)) if each != place]
        inner, beside = picked[np.ix_(others, others)], picked[others, place]
        explained = float(beside @ np.linalg.lstsq(inner, beside, rcond=None)[0])
        found.append(math.inf if explained > 1 - _ROUND else 1 / (1 - explained))
    return found
