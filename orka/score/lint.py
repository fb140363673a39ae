"""Lint: weights that cannot mean what they say, seen in a setting or in stored decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from orka.score.collinear import collinear
from orka.score.factor import PLACES, UNIT, Abstained, exact
from orka.score.ledger import Ledger
from orka.score.scorer import PathScorer
from orka.score.setting import Factor, Setting

Row = tuple[int | None, ...]
MEASURED = ("unknown", "constant", "collinear")
"""Kinds of findings that only decisions can show."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What is odd: its `kind` (sum, unread, unmeasured, unknown,
    constant, collinear, policy), words, the
    numbers behind them, what to do, and which weights are meant if there are several."""

    kind: str
    what: str
    fix: str
    factors: tuple[str, ...] = ()
    numbers: Mapping[str, float] = {}
    where: str = ""


def lint(ledgers: Iterable[Ledger]) -> list[Finding]:
    """What is odd about the weights of decisions; decisions with other weights are told apart."""
    groups: dict[tuple[object, ...], list[Ledger]] = {}
    for ledger in ledgers:
        setting = ledger.setting
        key = (setting.factors, bool(setting.profile), setting.boolean)
        groups.setdefault(key, []).append(ledger)
    found: list[Finding] = []
    for group in groups.values():
        factors = group[0].setting.factors
        where = _where(factors, len(group)) if len(groups) > 1 else ""
        found += [msgspec.structs.replace(each, where=where) for each in _of_group(factors, group)]
    return found


def lint_setting(setting: Setting, *, budget: bool = False) -> list[Finding]:
    """What is odd about weights before any decision. With a `budget` a penalty without weight is
    not: candidates are excluded by it. In boolean mode criteria decide whatever they weigh."""
    if setting.boolean:
        return []
    return [
        *_sum(setting.factors),
        *_unread(setting, budget=budget),
        *_policies(setting.factors),
    ]


def _of_group(factors: Sequence[Factor], ledgers: Sequence[Ledger]) -> list[Finding]:
    setting = ledgers[0].setting
    budget = any("budget" in each.excluded for ledger in ledgers for each in ledger.candidates)
    found = lint_setting(setting, budget=budget)
    found += [f for factor in factors if factor.weight for f in _unknown(factor, ledgers)]
    if setting.boolean:
        return found
    unknown = [name for each in found if each.kind == "unknown" for name in each.factors]
    rows = [_rows(ledger) for ledger in ledgers]
    several = [each for each in rows if len(each) > 1]
    weighed = [at for at, f in enumerate(factors) if f.weight and f.name not in unknown]
    constant = [at for at in weighed if several and not _varies(at, several)]
    found += [_constant(factors[at], len(several)) for at in constant]
    at = [each for each in weighed if each not in constant]
    names = [factors[each].name for each in at]
    alike = collinear(names, [_numbers(each, at) for each in several])
    return found + [_alike(which, numbers) for which, numbers in alike]


def _rows(ledger: Ledger) -> list[Row]:
    """What counts for each factor of each candidate that is in."""
    ranked = PathScorer(ledger.setting).score(ledger.candidates).ranked
    return [each.effective for each in ranked]


def _numbers(rows: Sequence[Row], at: Sequence[int]) -> list[list[float]]:
    """Of the factors at some places; without candidates that give the weight of one to others."""
    picked = [[row[place] for place in at] for row in rows]
    return [
        [value / UNIT for value in row if value is not None] for row in picked if None not in row
    ]


def _varies(at: int, decisions: Sequence[Sequence[Row]]) -> bool:
    return any(row[at] != rows[0][at] for rows in decisions for row in rows)


def _sum(factors: Sequence[Factor]) -> list[Finding]:
    total = sum(exact(factor.weight) for factor in factors)
    apart = total - UNIT
    if abs(apart) <= len(factors):  # each was rounded to six places
        return []
    scaled = ", ".join(f"{f.name}: {round(exact(f.weight) / total, PLACES):g}" for f in factors)
    more = "more" if apart > 0 else "less"
    return [
        Finding(
            kind="sum",
            what=f"the weights sum to {total / UNIT:g}, {abs(apart) / UNIT:g} {more} than 1: "
            "scores and margins are not on the scale that `commit_margin` is meant for",
            fix=f"write {{{scaled}}}",
            factors=tuple(factor.name for factor in factors),
            numbers={"sum": total / UNIT, "difference": apart / UNIT},
        )
    ]


def _unread(setting: Setting, *, budget: bool) -> list[Finding]:
    """Weights of 0. A profile has them on purpose."""
    if setting.profile:
        return []
    return [
        Finding(
            kind="unread",
            what=f"{factor.name} has weight 0: whatever it is, it decides nothing",
            fix=f"give {factor.name} a weight, or take it out of `weights`",
            factors=(factor.name,),
            numbers={"weight": 0.0},
        )
        for factor in setting.factors
        if not factor.weight and not (factor.penalty and budget) and not _safer(setting, factor)
    ]


def _safer(setting: Setting, factor: Factor) -> bool:
    """Whether it says which of two is safer when they are too close, whatever it weighs."""
    return setting.too_close == "safer" and factor.name in setting.safer


def unmeasured(factor: Factor, what: str) -> Finding:
    """A factor for which a file has nothing that measures it; `what` is missing."""
    return Finding(
        kind="unmeasured",
        what=f"{factor.name} has weight {factor.weight:g} and {what}: it decides nothing",
        fix=f"let something measure {factor.name}, or take its weight out",
        factors=(factor.name,),
        numbers={"weight": factor.weight},
    )


def _policies(factors: Sequence[Factor]) -> list[Finding]:
    return [
        Finding(
            kind="policy",
            what=f"{factor.name} has the policy {factor.policy}, and weight 0: nobody asks for it",
            fix=f"take {factor.name} out of `policies`, or give it a weight",
            factors=(factor.name,),
            numbers={"weight": 0.0},
        )
        for factor in factors
        if not factor.weight and factor.policy != "worst"
    ]


def _unknown(factor: Factor, ledgers: Sequence[Ledger]) -> list[Finding]:
    """A factor that abstains wherever it was asked."""
    held = [each.factors[factor.name] for ledger in ledgers for each in ledger.candidates]
    causes = [each.cause for each in held if isinstance(each, Abstained)]
    if not held or len(causes) < len(held):
        return []
    often = max(dict.fromkeys(causes), key=causes.count)
    return [
        Finding(
            kind="unknown",
            what=f"{factor.name} has weight {factor.weight:g} and is never known: of {len(held)} "
            f"candidates it abstained in all, most often since: {often}",
            fix=f"let something measure {factor.name}, or take it out of `weights`",
            factors=(factor.name,),
            numbers={"weight": factor.weight, "candidates": len(held)},
        )
    ]


def _constant(factor: Factor, decisions: int) -> Finding:
    counted = f"{decisions} decision{'' if decisions == 1 else 's'}"
    return Finding(
        kind="constant",
        what=f"{factor.name} has weight {factor.weight:g} and is the same for all candidates in "
        f"each of {counted}: it decides nothing",
        fix=f"measure {factor.name} so that it tells candidates apart, or take it out of `weights`",
        factors=(factor.name,),
        numbers={"weight": factor.weight, "decisions": decisions},
    )


def _alike(names: Sequence[str], numbers: Mapping[str, float]) -> Finding:
    if "r" in numbers:
        what = (
            f"{names[0]} and {names[1]} say the same (r = {numbers['r']:.3f}): what they measure "
        )
        what += "counts twice" if numbers["r"] > 0 else "cancels out"
        fix = "keep one of them, or look at their weights as one"
    else:
        told = "wholly" if "vif" not in numbers else f"VIF = {numbers['vif']:.1f}"
        what = f"{names[0]} follows from the other factors ({told}): its weight is theirs as well"
        fix = f"take {names[0]} out, or one of those that it follows from"
    return Finding(kind="collinear", what=what, fix=fix, factors=tuple(names), numbers=numbers)


def _where(factors: Sequence[Factor], count: int) -> str:
    told = ", ".join(f"{factor.name} {factor.weight:g}" for factor in factors)
    return f"weights {told} ({count} decision{'' if count == 1 else 's'})"
