"""Random decisions, and a scorer of a few lines that shares nothing with OrKa's own."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

from orka.score.decide import DecisionEngine
from orka.score.factor import FACTORS, PENALTIES, Abstained, Known, Reading
from orka.score.ledger import Candidate, Ledger, Noise
from orka.score.setting import POLICIES, BooleanRules, Factor, Setting, Severity

SEVERITIES: tuple[Severity, ...] = ("critical", "important", "nice_to_have")
Weights = Sequence[Fraction]
# By candidate and factor; None is not known.
Values = Sequence[Sequence[Fraction | None]]


def random_ledger(seed: int) -> Ledger:
    """A decision with gates, ties, abstentions of each policy, shortlists, or in boolean mode."""
    rng = random.Random(seed)
    names = [n for n in FACTORS if rng.random() < 0.8] or ["llm"]
    boolean = rng.random() < 0.2
    grid = rng.choice((4, 10, 1000))
    unknown = rng.choice((0.0, 0.0, 0.15, 0.4))
    factors = tuple(_factor(rng, name, boolean=boolean) for name in names)
    if not any(factor.weight for factor in factors):
        return random_ledger(seed + 1_000_000)
    candidates = [
        Candidate(
            id="ABCDEFGH"[at],
            path=("x",) * rng.randint(1, 3),
            factors={f.name: _reading(rng, f, grid, unknown) for f in factors},
            excluded="gated" if rng.random() < 0.1 else "",
        )
        for at in range(rng.choice((0, 1, 2, 2, 3, 3, 4, 5, 8)))
    ]
    setting = Setting(
        factors=factors,
        strategy=rng.choice(("margin", "strict", "shortlist")),
        commit_margin=rng.choice((0.0, 0.05, 1.5)),
        margin_unit=rng.choice(("score", "noise")),
        too_close=rng.choice(("shortlist", "ask", "safer", "agent:other")),
        k_beam=rng.randint(1, 4),
        boolean=BooleanRules(strict=rng.random() < 0.3) if boolean else None,
    )
    noise = [Noise(names[0], rng.choice((None, 0.0, 0.05)), 2)] if rng.random() < 0.6 else []
    return DecisionEngine(setting).ledger(candidates, noise=noise)


def _factor(rng: random.Random, name: str, *, boolean: bool) -> Factor:
    penalty = name in PENALTIES
    return Factor(
        name=name,
        weight=rng.choice((0.0, 0.1, 0.2, 0.3, round(rng.random(), 2))),
        penalty=penalty,
        policy=rng.choice([p for p in POLICIES if not (penalty and p == "renormalise")]),
        severity=rng.choice(SEVERITIES) if boolean and not penalty else None,
    )


def _reading(rng: random.Random, factor: Factor, grid: int, unknown: float) -> Reading:
    if rng.random() < unknown:
        return Abstained("nobody knows")
    value = rng.randint(0, 1) if factor.severity else rng.randint(0, grid) / grid
    return Known(-value if factor.penalty else value)


def weights_of(ledger: Ledger) -> list[Fraction]:
    return [Fraction(round(f.weight * 10**6), 10**6) for f in ledger.setting.factors]


def values_of(ledger: Ledger) -> list[list[Fraction | None]]:
    return [
        [
            Fraction(round(held.value * 10**6), 10**6)
            if isinstance(held := candidate.factors[factor.name], Known)
            else None
            for factor in ledger.setting.factors
        ]
        for candidate in ledger.candidates
    ]


def passes(ledger: Ledger, row: Sequence[Fraction | None]) -> bool:
    """The yes/no criteria of boolean mode."""
    rules = ledger.setting.boolean
    if rules is None:
        return True
    by: dict[str, list[bool]] = {name: [] for name in SEVERITIES}
    for factor, value in zip(ledger.setting.factors, row, strict=True):
        if factor.severity:
            by[factor.severity].append(value == 1)
    important = by["important"] or [True]
    return (
        (all(by["critical"]) or not rules.require_critical)
        and sum(important) / len(important) >= rules.important_threshold
        and (all(by["nice_to_have"]) or not rules.strict)
    )


def scores(ledger: Ledger, weights: Weights, values: Values) -> dict[int, Fraction]:
    """The scores of those that are in, by declared place."""
    factors = ledger.setting.factors
    places = range(len(factors))
    inside = []
    for c, row in enumerate(values):
        missing = [i for i in places if row[i] is None and weights[i]]
        if ledger.candidates[c].excluded or not passes(ledger, row):
            continue
        if any(factors[i].policy == "exclude" for i in missing):
            continue
        lost = any(factors[i].policy == "renormalise" for i in missing)
        speaks = any(
            row[i] is not None and weights[i] > 0 and not factors[i].penalty for i in places
        )
        if not lost or speaks:
            inside.append(c)
    return {c: _score(ledger, weights, values, inside, c) for c in inside}


def _score(
    ledger: Ledger, weights: Weights, values: Values, inside: Sequence[int], c: int
) -> Fraction:
    total = gain = known = benefits = Fraction(0)
    for i, factor in enumerate(ledger.setting.factors):
        value = values[c][i]
        if value is None and factor.policy != "renormalise":
            low = Fraction(-1 if factor.penalty else 0)
            there = [v for k in inside if (v := values[k][i]) is not None]
            value = low if factor.policy == "floor" else min(there, default=low)
        if factor.penalty:
            total += weights[i] * (value or 0)
            continue
        benefits += weights[i]
        if value is not None:
            known += weights[i]
            gain += weights[i] * value
    if known == benefits:  # all are known: nothing is handed on
        return total + gain
    return total + (gain * benefits / known if known else 0)


def leader(ledger: Ledger, weights: Weights, values: Values) -> str:
    """Who leads; empty if nobody is in."""
    found = scores(ledger, weights, values)
    if not found:
        return ""
    return ledger.candidates[min(found, key=lambda c: (-found[c], c))].id


def meetings(
    one: dict[int, Fraction], other: dict[int, Fraction], low: Fraction, high: Fraction
) -> Iterable[Fraction]:
    """Where any two scores, linear between `low` (scores `one`) and `high`, are equal."""
    for a in one:
        for b in one:
            here, there = one[a] - one[b], other[a] - other[b]
            if a < b and here != there:
                yield low + (high - low) * here / (here - there)
