"""Flips against brute force: a sweep over every point where any two scores meet."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from orka.score.flip import Flip, Nearest, ValueFlip
from orka.score.flips import flips
from orka.score.ledger import Ledger
from score.decisions import leader, meetings, random_ledger, scores, values_of, weights_of

SEEDS = (100, 3000)
pytestmark = pytest.mark.slow
NOTHING, FAR = Fraction(0), Fraction(10**9)
Leads = Callable[[Fraction], str]
Found = tuple[Fraction, str, bool] | None


def handed(ledger: Ledger) -> bool:
    """Whether scores are no linear functions of the weights."""
    return any(
        value is None and factor.policy == "renormalise"
        for candidate, row in zip(ledger.candidates, values_of(ledger), strict=True)
        if not candidate.excluded
        for factor, value in zip(ledger.setting.factors, row, strict=True)
    )


def sweep(points: Sequence[Fraction], leads: Leads, now: str) -> Found:
    """The first change of the leader along `points`, in their order, and between them."""
    for at, point in enumerate(points):
        if at and (found := leads(point)) != now:
            return point, found, True
        if at + 1 < len(points) and (found := leads((point + points[at + 1]) / 2)) != now:
            return point, found, False
    return None


def told(flip: Flip | None) -> Found:
    return None if flip is None else (flip.value, flip.leads, flip.at)


def with_weight(weights: Sequence[Fraction], at: int, weight: Fraction) -> list[Fraction]:
    return [weight if i == at else w for i, w in enumerate(weights)]


def by_weight(ledger: Ledger, at: int) -> Leads:
    """Who leads, by the weight at a place."""
    weights, values = weights_of(ledger), values_of(ledger)
    return lambda weight: leader(ledger, with_weight(weights, at, weight), values)


def test_weight_flips_are_those_of_a_sweep(block: range) -> None:
    for seed in block:
        ledger = random_ledger(seed)
        if handed(ledger):
            continue
        weights, values = weights_of(ledger), values_of(ledger)
        now, found = leader(ledger, weights, values), flips(ledger)
        assert found.leader == now
        for at, each in enumerate(found.weights):
            leads = by_weight(ledger, at)
            one, two = (
                scores(ledger, with_weight(weights, at, Fraction(w)), values) for w in (1, 2)
            )
            points = {p for p in meetings(one, two, Fraction(1), Fraction(2)) if p > 0}
            up = [weights[at], *sorted(p for p in points if p > weights[at]), FAR]
            down = [
                weights[at],
                *sorted((p for p in points if p < weights[at]), reverse=True),
                NOTHING,
            ]
            assert told(each.above) == sweep(up, leads, now), f"seed {seed}, {each.factor}"
            if weights[at] == 0 or sum(weights) == weights[at]:
                assert each.below is None
                continue
            below = sweep(down, leads, now)
            assert told(each.below) == below, f"seed {seed}, {each.factor}"


def test_weight_flips_hold_where_weights_are_handed_on(block: range) -> None:
    for seed in block:
        ledger = random_ledger(seed)
        if not handed(ledger):
            continue
        weights, values = weights_of(ledger), values_of(ledger)
        now, found = leader(ledger, weights, values), flips(ledger)
        for at, each in enumerate(found.weights):
            leads = by_weight(ledger, at)
            low = Fraction(0) if each.below is None else each.below.value
            high = Fraction(20) if each.above is None else each.above.value
            inside = [low + (high - low) * Fraction(n, 60) for n in range(1, 60)]
            if weights[at] and sum(weights) > weights[at]:
                assert all(leads(w) == now for w in inside if w < weights[at]), f"seed {seed}"
            assert all(leads(w) == now for w in inside if w > weights[at]), f"seed {seed}"
            for flip, step in ((each.below, -1), (each.above, 1)):
                if flip is None:
                    continue
                assert flip.leads != now
                near = Fraction(1, 10**20 if flip.exact else 10**9)
                if flip.at and flip.exact:
                    assert leads(flip.value) == flip.leads, f"seed {seed}, {each.factor}"
                elif not flip.at:
                    assert leads(flip.value + step * near) == flip.leads, f"seed {seed}"
                if flip.value and flip.value != weights[at]:
                    assert leads(flip.value - step * near) == now, f"seed {seed}, {each.factor}"


def expected(ledger: Ledger, order: int, at: int, each: ValueFlip) -> Found:
    """The nearest change by a sweep over the range of one value."""
    weights, values = weights_of(ledger), values_of(ledger)
    now, factor = leader(ledger, weights, values), ledger.setting.factors[at]
    low, high = (Fraction(-1), Fraction(0)) if factor.penalty else (Fraction(0), Fraction(1))

    def moved(value: Fraction) -> list[list[Fraction | None]]:
        rows = [list(row) for row in values]
        rows[order][at] = value
        return rows

    def leads(value: Fraction) -> str:
        return leader(ledger, weights, moved(value))

    first = ledger.candidates[order].id == now
    if ledger.setting.boolean and factor.severity:
        ends = [low, high] if first else [high, low]
        changing = [end for end in ends if end != values[order][at] and leads(end) != now]
        return (changing[0], leads(changing[0]), True) if changing else None
    there = [value for row in values if (value := row[at]) is not None]
    bends = sorted({low, high, *there})
    points = set(bends)
    for start, end in pairwise(bends):
        a, b = (2 * start + end) / 3, (start + 2 * end) / 3
        meet = meetings(scores(ledger, weights, moved(a)), scores(ledger, weights, moved(b)), a, b)
        points |= {p for p in meet if start < p < end}
    line = sorted(points)
    if each.value is None:
        way = list(reversed(line)) if first else line
        if leads(way[0]) != now:
            return way[0], leads(way[0]), True
        return sweep(way, leads, now)
    up = [each.value, *(p for p in line if p > each.value)]
    down = [each.value, *(p for p in reversed(line) if p < each.value)]
    ways = [sweep(way, leads, now) for way in ((down, up) if first else (up, down))]
    here = each.value
    both = [way for way in ways if way is not None]
    return min(both, key=lambda way: (abs(way[0] - here), not way[2]), default=None)


def test_value_flips_are_those_of_a_sweep(block: range) -> None:
    for seed in block:
        ledger = random_ledger(seed)
        size = len(ledger.setting.factors)
        for n, each in enumerate(flips(ledger).values):
            order, at = divmod(n, size)
            if ledger.candidates[order].excluded:
                assert each.flip is None
                continue
            where = f"seed {seed}, {each.candidate}, {each.factor}"
            assert told(each.flip) == expected(ledger, order, at, each), where


def along(ledger: Ledger, ray: Sequence[Fraction], most: Fraction) -> Fraction | None:
    """How far one may go along a ray before the leader changes, if it does up to `most` rays."""
    weights, values = weights_of(ledger), values_of(ledger)
    now = leader(ledger, weights, values)

    def at(way: Fraction) -> list[Fraction]:
        return [w + way * d for w, d in zip(weights, ray, strict=True)]

    one, two = (scores(ledger, at(Fraction(w)), values) for w in (0, 1))
    points = sorted(p for p in meetings(one, two, Fraction(0), Fraction(1)) if 0 < p < most)
    found = sweep([Fraction(0), *points, most], lambda way: leader(ledger, at(way), values), now)
    return None if found is None else found[0]


def check(ledger: Ledger, near: Nearest | None, rng: random.Random, *, allowed: bool) -> None:
    weights, values = weights_of(ledger), values_of(ledger)
    now = leader(ledger, weights, values)
    rays = []
    for _ in range(12):
        goal = [Fraction(rng.randint(0 if allowed else -100, 100), 100) for _ in weights]
        if near is not None and rng.random() < 0.5:  # close to the way that is said to be best
            goal = [
                max(g, Fraction(0)) if allowed else g
                for w in near.weights.values()
                for g in [w + Fraction(rng.randint(-9, 9), 100)]
            ]
        rays.append([g - w for g, w in zip(goal, weights, strict=True)])
    for ray in rays:
        way = along(ledger, ray, Fraction(1) if allowed else FAR) if any(ray) else None
        if way is not None:
            ended = [w + way * d for w, d in zip(weights, ray, strict=True)]
            if allowed and not any(ended):
                continue  # where nothing weighs anything there is no decision
            assert near is not None
            gone = float(way) * math.sqrt(sum(d * d for d in ray))
            assert gone >= near.distance - 1e-9
    if near is None:
        return
    point = list(near.weights.values())
    assert not allowed or (min(point) >= 0 and any(point))
    length = math.sqrt(sum((p - w) ** 2 for p, w in zip(point, weights, strict=True)))
    assert abs(length - near.distance) < 1e-9
    if near.at:
        assert leader(ledger, point, values) == near.leads
    else:
        assert leader(ledger, point, values) == now
    if not near.at:
        beyond = [
            p + Fraction(w, 10**20) for p, w in zip(point, towards(ledger, near), strict=True)
        ]
        inside = [max(w, Fraction(0)) for w in beyond] if allowed else beyond
        assert leader(ledger, inside, values) == near.leads


def towards(ledger: Ledger, near: Nearest) -> list[Fraction]:
    """By how much each weight speaks for who leads then, against who leads now."""
    values = values_of(ledger)
    ids = [each.id for each in ledger.candidates]
    now, then = ids.index(leader(ledger, weights_of(ledger), values)), ids.index(near.leads)
    units = [
        [Fraction(i == at) for i in range(len(near.weights))] for at in range(len(near.weights))
    ]
    told = [scores(ledger, unit, values) for unit in units]
    return [each[then] - each[now] for each in told]


def test_no_change_of_weights_is_nearer_than_the_nearest(block: range) -> None:
    for seed in block:
        ledger, rng = random_ledger(seed), random.Random(seed)
        found = flips(ledger)
        for near, allowed in ((found.nearest, False), (found.allowed, True)):
            excluding = any(
                f.policy == "exclude" and any(row[i] is None for row in values_of(ledger))
                for i, f in enumerate(ledger.setting.factors)
            )
            if handed(ledger) or excluding or not found.leader:
                assert near is None or near.exact or near.cause
                continue
            check(ledger, near, rng, allowed=allowed)
