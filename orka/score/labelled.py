"""Labelled decisions: which of them say something of weights, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from orka.errors import InputError
from orka.score.factor import UNIT
from orka.score.ledger import Ledger
from orka.score.scorer import PathScorer, Scored
from orka.score.setting import Factor, Setting

FEWEST = 20
_TOLD = 10


class Used(msgspec.Struct, frozen=True):
    """A decision with a label: `values` of the factors of each candidate that is in, in declared
    order, and the place of the right one among them."""

    ledger: Ledger
    winner: str
    values: Sequence[Sequence[float]]
    label: int
    order: int


class Labelled(msgspec.Struct, frozen=True):
    """What can be used, today's weights, and how many labels say nothing: of decisions with fewer
    than two candidates that are in (`alone`), or naming one that is out (`out`)."""

    used: Sequence[Used]
    weights: Mapping[str, float]
    alone: int
    out: int


def sorted_out(
    labelled: Sequence[tuple[Ledger, str]],
    names: Sequence[str],
    today: Mapping[str, float] | None,
) -> Labelled:
    """Raises `InputError` if labels say too little or something wrong."""
    named = names or [f"decision {at}" for at in range(1, len(labelled) + 1)]
    _known(labelled, named)
    if not labelled:
        raise _few(0, 0, 0)
    factors = labelled[-1][0].setting.factors
    _alike(labelled, named, factors)
    weights = labelled[-1][0].setting.weighing(today).weights if today else _weights(factors)
    used, alone, out = list[Used](), 0, 0
    for ledger, winner in labelled:
        setting = ledger.setting.weighing(weights)
        ranked = PathScorer(setting).score(ledger.candidates).ranked
        if len(ranked) < 2:
            alone += 1
        elif winner not in [each.candidate.id for each in ranked]:
            out += 1
        else:
            used.append(_used(ledger, setting, ranked, winner))
    _enough(used, alone, out)
    return Labelled(used, weights, alone, out)


def _used(ledger: Ledger, setting: Setting, ranked: Sequence[Scored], winner: str) -> Used:
    declared = sorted(ranked, key=lambda each: each.order)
    label = [each.candidate.id for each in declared].index(winner)
    values = [_values(setting.factors, each.effective) for each in declared]
    return Used(ledger, winner, values, label, declared[label].order)


def _values(factors: Sequence[Factor], effective: Sequence[int | None]) -> list[float]:
    """What counts for each factor. What gives its weight to the other benefits counts as their
    mean: with today's weights the score is the same, with others nearly."""
    known = [
        (factor.weight, value)
        for factor, value in zip(factors, effective, strict=True)
        if value is not None and not factor.penalty
    ]
    weight = sum(each for each, _ in known)
    mean = sum(each * value for each, value in known) / weight if weight else 0.0
    return [(mean if value is None else value) / UNIT for value in effective]


def _weights(factors: Sequence[Factor]) -> dict[str, float]:
    return {factor.name: factor.weight for factor in factors}


def _known(labelled: Sequence[tuple[Ledger, str]], names: Sequence[str]) -> None:
    wrong = [
        f"{name}: {winner!r} (candidates: {', '.join(c.id for c in ledger.candidates) or 'none'})"
        for (ledger, winner), name in zip(labelled, names, strict=True)
        if all(candidate.id != winner for candidate in ledger.candidates)
    ]
    if wrong:
        raise InputError(
            f"{_labels(len(wrong))} no candidate of the decision: {_listed(wrong)}",
            fix="write a candidate's id as `orka why RUN` shows it",
            code="fit.no_candidate",
        )


def _labels(count: int) -> str:
    return f"{count} label names" if count == 1 else f"{count} labels name"


def _alike(
    labelled: Sequence[tuple[Ledger, str]], names: Sequence[str], factors: Sequence[Factor]
) -> None:
    wanted = [(factor.name, factor.penalty) for factor in factors]
    wrong = [
        f"{name} ({', '.join(ledger.setting.weights)})"
        for (ledger, _), name in zip(labelled, names, strict=True)
        if [(factor.name, factor.penalty) for factor in ledger.setting.factors] != wanted
    ]
    if wrong:
        raise InputError(
            f"the last decision has the factors {', '.join(f.name for f in factors)}, and others "
            f"have other ones: {_listed(wrong)}",
            fix="fit the decisions of one scout at a time, since its factors were changed last",
            code="fit.other_factors",
        )


def _enough(used: Sequence[Used], alone: int, out: int) -> None:
    if len(used) < FEWEST:
        raise _few(len(used), alone, out)
    if all(each.order == used[0].order for each in used):
        raise InputError(
            f"all {len(used)} labels name the candidate that stands at place {used[0].order + 1} "
            "of its decision: what is said by the place alone says nothing of factors",
            fix="label decisions in which candidates at different places are right",
            code="fit.one_place",
        )
    if all(values == each.values[0] for each in used for values in each.values):
        raise InputError(
            "no factor differs between the candidates of any labelled decision: there is nothing "
            "that weights could tell apart",
            fix="`orka lint-weights` says which factors never vary",
            code="fit.no_variation",
        )


def _few(used: int, alone: int, out: int) -> InputError:
    parts = [f"{alone} of decisions without a choice"] if alone else []
    parts += [f"{out} naming a candidate that was out"] if out else []
    beside = f" (beside {' and '.join(parts)})" if parts else ""
    return InputError(
        f"{used} labels can be used{beside}; fewer than {FEWEST} say too little",
        fix="label more decisions",
        code="fit.few_labels",
    )


def _listed(items: Sequence[str]) -> str:
    more = f"; and {len(items) - _TOLD} more" if len(items) > _TOLD else ""
    return "; ".join(items[:_TOLD]) + more
