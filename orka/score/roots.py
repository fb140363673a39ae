"""Real roots of polynomials with whole coefficients, isolated by Sturm's theorem.

A polynomial is the list of its coefficients, the constant first. See Basu, Pollack, Roy,
"Algorithms in Real Algebraic Geometry", 2.2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

Polynomial = Sequence[Fraction | int]
# Brackets are at most this wide, in units of 1e-6: a weight is known to 1e-12.
_WIDTH = Fraction(1, 1_000_000)
_SIMPLE = 1_000_000


class Root(NamedTuple):
    """A root in [low, high]; both are the root itself if it is known exactly."""

    low: Fraction
    high: Fraction

    @property
    def middle(self) -> Fraction:
        return (self.low + self.high) / 2


def value(polynomial: Polynomial, at: Fraction | int) -> Fraction:
    found = Fraction(0)
    for coefficient in reversed(polynomial):
        found = found * at + coefficient
    return found


def product(one: Polynomial, other: Polynomial) -> list[Fraction | int]:
    found: list[Fraction | int] = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] += a * b
    return found


def difference(one: Polynomial, other: Polynomial) -> list[Fraction | int]:
    size = max(len(one), len(other))
    return [
        (one[at] if at < len(one) else 0) - (other[at] if at < len(other) else 0)
        for at in range(size)
    ]


def roots(polynomial: Polynomial, low: Fraction, high: Fraction | None) -> list[Root]:
    """Its distinct roots in the open interval (None: without an end), in rising order."""
    simple = _square_free(_trimmed(polynomial))
    if len(simple) < 2:
        return []
    if len(simple) == 2:
        only = -simple[0] / simple[1]
        return [Root(only, only)] if low < only and (high is None or only < high) else []
    bound = 1 + max(abs(Fraction(each, simple[-1])) for each in simple[:-1])
    end = max(low, bound) + 1 if high is None else high
    chain = _chain(simple)
    found = [_refined(simple, chain, *each) for each in _isolated(chain, low, end)]
    return [root for root in found if root.low >= low and not (root.low == root.high == end)]


def _isolated(
    chain: Sequence[Polynomial], low: Fraction, high: Fraction
) -> list[tuple[Fraction, Fraction]]:
    """Half-open intervals (low, high] with one root each."""
    count = _changes(chain, low) - _changes(chain, high)
    if count == 0:
        return []
    if count == 1:
        return [(low, high)]
    middle = (low + high) / 2
    return [*_isolated(chain, low, middle), *_isolated(chain, middle, high)]


def _refined(
    polynomial: Polynomial, chain: Sequence[Polynomial], low: Fraction, high: Fraction
) -> Root:
    while high - low > _WIDTH:
        middle = (low + high) / 2
        if _changes(chain, low) - _changes(chain, middle):
            high = middle
        else:
            low = middle
    near = ((low + high) / 2).limit_denominator(_SIMPLE)
    if low < near <= high and value(polynomial, near) == 0:
        return Root(near, near)
    return Root(high, high) if value(polynomial, high) == 0 else Root(low, high)


def _changes(chain: Sequence[Polynomial], at: Fraction) -> int:
    """Changes of sign in the chain."""
    signs = [found > 0 for each in chain if (found := value(each, at))]
    return sum(one != other for one, other in pairwise(signs))


def _chain(polynomial: Polynomial) -> list[Polynomial]:
    found: list[Polynomial] = [polynomial, _derivative(polynomial)]
    while len(found[-1]) > 1:
        rest = _remainder(found[-2], found[-1])
        if not rest:
            break
        found.append([-each for each in rest])
    return found


def _square_free(polynomial: Polynomial) -> list[Fraction]:
    """The same roots, each once."""
    one, other = [Fraction(each) for each in polynomial], _derivative(polynomial)
    while other:
        one, other = other, _remainder(one, other)
    return _quotient(polynomial, one) if len(one) > 1 else [Fraction(p) for p in polynomial]


def _derivative(polynomial: Polynomial) -> list[Fraction]:
    return _trimmed([each * at for at, each in enumerate(polynomial)][1:])


def _remainder(one: Polynomial, other: Polynomial) -> list[Fraction]:
    return _divided(one, other)[1]


def _quotient(one: Polynomial, other: Polynomial) -> list[Fraction]:
    return _divided(one, other)[0]


def _divided(one: Polynomial, other: Polynomial) -> tuple[list[Fraction], list[Fraction]]:
    rest = [Fraction(each) for each in one]
    times = [Fraction(0)] * max(1, len(one) - len(other) + 1)
    while len(rest) >= len(other):
        factor, shift = rest[-1] / other[-1], len(rest) - len(other)
        times[shift] = factor
        for at, each in enumerate(other):
            rest[at + shift] -= factor * each
        rest.pop()
    return times, _trimmed(rest)


def _trimmed(polynomial: Polynomial) -> list[Fraction]:
    found = [Fraction(each) for each in polynomial]
    while found and not found[-1]:
        found.pop()
    return found
