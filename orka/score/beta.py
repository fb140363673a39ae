"""Quantiles of the Beta distribution, for credible intervals of a rate.

The standard library has none, and scipy is optional: what is recorded must be the same without it.
"""

from __future__ import annotations

import math

PLACES = 4
_STEPS = 40
_TINY = 1e-300
_CLOSE = 1e-14
# Terms of the continued fraction grow with the square root of the larger parameter.
_MOST = 100_000


def interval(a: float, b: float, mass: float = 0.95) -> tuple[float, float]:
    """The central interval that holds `mass` of Beta(a, b), to four places."""
    tail = (1 - mass) / 2
    return quantile(tail, a, b), quantile(1 - tail, a, b)


def quantile(p: float, a: float, b: float) -> float:
    """The x with P(X ≤ x) = p for X ~ Beta(a, b), to four places. A parameter of 0 puts all at its
    end. Raises `ValueError` for p outside of [0, 1] and for parameters that are no distribution."""
    if not 0 <= p <= 1 or not 0 <= a < math.inf or not 0 <= b < math.inf or a == b == 0:
        raise ValueError(f"Beta({a}, {b}) has no quantile {p}")
    if a == 0 or b == 0:
        return 0.0 if a == 0 else 1.0
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if cdf(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, PLACES)


def cdf(x: float, a: float, b: float) -> float:
    """P(X ≤ x) for X ~ Beta(a, b), a and b above 0: the regularised incomplete beta function.
    Continued fraction DLMF 8.17.22, with the symmetry 8.17.4 where it converges slowly."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - cdf(1 - x, b, a)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log + a * math.log(x) + b * math.log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's method, as in Numerical Recipes 6.4."""
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST):
        at = a + 2 * m
        for term in (
            m * (b - m) * x / ((at - 1) * at),
            -(a + m) * (a + b + m) * x / (at * (at + 1)),
        ):
            d = 1 / _apart(1 + term * d)
            c = _apart(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < _CLOSE:
            return value
    raise ArithmeticError(f"the incomplete beta function of ({x}, {a}, {b}) does not converge")


def _apart(value: float) -> float:
    """A value that can be divided by."""
    return value if abs(value) > _TINY else _TINY
