"""Why a decision came out as it did: made again from its stored factors, and taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from orka.errors import LedgerError
from orka.score.again import again
from orka.score.factor import UNIT, Abstained, Known, exact
from orka.score.ledger import Candidate, Ledger, Outcome, Pruned
from orka.score.scorer import Exact, Scored, Standing, number
from orka.score.setting import Factor, Setting
from orka.score.strategy import STRATEGIES, Strategy
from orka.score.told import done, sentence
from orka.value import Json


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One factor of one candidate. `value` is None if nobody knows (`cause` says why); `effective`
    is what counts in the score (None: nothing does), `counts` says as what if it is not the value.
    `contribution` is the share of the score, in units of 1e-12."""

    factor: str
    weight: float
    value: float | None = None
    reason: str = ""
    cause: str = ""
    effective: float | None = None
    counts: str = ""
    contribution: Exact | None = None

    def json(self) -> dict[str, Json]:
        told: dict[str, Json] = msgspec.structs.asdict(self)
        return {**told, "contribution": _number(self.contribution)}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate: its place in the ranking (from 1), score and factors; or why it was `out`."""

    id: str
    path: tuple[str, ...]
    place: int | None
    score: Exact | None
    out: str
    cells: tuple[Cell, ...]

    def json(self) -> dict[str, Json]:
        return {
            "candidate": self.id,
            "path": list(self.path),
            "place": self.place,
            "score": _number(self.score),
            "out": self.out or None,
            "factors": [cell.json() for cell in self.cells],
        }


class Share(msgspec.Struct, frozen=True):
    """What a factor adds to the leader's margin over the rival, in units of 1e-12."""

    factor: str
    weight: float
    difference: Exact


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, taken apart. `leader` is the first of the ranking, `rival` whom it is compared
    with (the second, if nobody else is asked for); the differences of `shares` sum exactly to
    `margin`, both in units of 1e-12. `too_close`: the first two are nearer than the setting asks
    for (None: there are not two). `sentence` tells the comparison and `then` what came of it."""

    leader: str
    rival: str
    margin: Exact | None
    shares: tuple[Share, ...]
    too_close: bool | None
    lines: tuple[Line, ...]
    pruned: tuple[Pruned, ...]
    outcome: Outcome
    setting: Setting
    sentence: str
    then: str

    def json(self) -> dict[str, Json]:
        outcome = self.outcome
        return {
            "sentence": self.sentence,
            "then": self.then,
            "decision": outcome.decision,
            "status": outcome.status,
            "chosen": outcome.chosen or None,
            "shortlist": list(outcome.shortlist),
            "ask": outcome.ask or None,
            "strategy": self.setting.strategy,
            "profile": self.setting.profile or None,
            "leader": self.leader or None,
            "rival": self.rival or None,
            "margin": _number(self.margin),
            "shares": [_share(each) for each in self.shares],
            "needed": outcome.needed,
            "too_close": self.too_close,
            "tied": list(outcome.tied),
            "candidates": [line.json() for line in self.lines],
            "pruned": msgspec.to_builtins(self.pruned),
        }


def why(ledger: Ledger, against: str = "", strategies: Mapping[str, Strategy] = STRATEGIES) -> Why:
    """Why the leader leads `against` another candidate (without a name: the second).

    Raises `LedgerError`: `ledger.incomplete`, `ledger.mismatch` if the record does not follow from
    its factors, `ledger.candidate` for a rival that there is not.
    """
    standing = again(ledger, strategies)
    factors = ledger.setting.factors
    leader = standing.ranked[0] if standing.ranked else None
    rival = _rival(ledger, standing, against)
    lines = _lines(ledger, standing)
    shares = _shares(factors, leader, rival)
    margin = sum((each.difference for each in shares), 0) if rival and rival.effective else None
    told = ledger.outcome.needed
    return Why(
        leader=leader.candidate.id if leader else "",
        rival=rival.candidate.id if rival else "",
        margin=margin,
        shares=shares,
        too_close=None if standing.margin is None else _close(standing.margin, told),
        lines=lines,
        pruned=ledger.pruned,
        outcome=ledger.outcome,
        setting=ledger.setting,
        sentence=sentence(
            standing, rival, margin, [(share.factor, share.difference) for share in shares]
        ),
        then=done(ledger.outcome, leader.candidate.id if leader else ""),
    )


def parts(factors: Sequence[Factor], effective: Sequence[int | None]) -> tuple[Exact, ...]:
    """The share of each factor in a score, in units of 1e-12; they sum exactly to it. A benefit
    that is not known has none: its weight went to the others."""
    weights = [exact(factor.weight) for factor in factors]
    if None not in effective:
        return tuple(w * (e or 0) for w, e in zip(weights, effective, strict=True))
    benefits = sum(w for w, f in zip(weights, factors, strict=True) if not f.penalty)
    known = sum(
        w
        for w, f, e in zip(weights, factors, effective, strict=True)
        if not f.penalty and e is not None
    )
    scale = Fraction(benefits, known) if known else Fraction(0)
    return tuple(
        w * (e or 0) * (1 if f.penalty else scale)
        for w, f, e in zip(weights, factors, effective, strict=True)
    )


def _rival(ledger: Ledger, standing: Standing, against: str) -> Scored | None:
    if not against:
        return standing.ranked[1] if len(standing.ranked) > 1 else None
    ledger.candidate(against)
    if standing.ranked and standing.ranked[0].candidate.id == against:
        raise LedgerError(
            f"{against!r} leads the decision, so there is nothing to compare it with",
            fix="name another candidate, or none for the second",
            code="ledger.candidate",
        )
    return next(each for each in (*standing.ranked, *standing.out) if each.candidate.id == against)


def _shares(
    factors: Sequence[Factor], leader: Scored | None, rival: Scored | None
) -> tuple[Share, ...]:
    if leader is None or rival is None or rival.final is None:
        return ()
    ours, theirs = parts(factors, leader.effective), parts(factors, rival.effective)
    return tuple(
        Share(factor.name, factor.weight, one - other)
        for factor, one, other in zip(factors, ours, theirs, strict=True)
    )


def _close(margin: Exact, needed: float | None) -> bool:
    return needed is None or number(margin) < needed


def _lines(ledger: Ledger, standing: Standing) -> tuple[Line, ...]:
    """The ranking, then those that were out."""
    factors, found = ledger.setting.factors, []
    for place, each in enumerate((*standing.ranked, *standing.out), 1):
        shares: Sequence[Exact | None] = (
            parts(factors, each.effective) if each.effective else [None] * len(factors)
        )
        effective = each.effective or (None,) * len(factors)
        cells = tuple(
            _cell(factor, each.candidate, counted, share, standing)
            for factor, counted, share in zip(factors, effective, shares, strict=True)
        )
        found.append(
            Line(
                id=each.candidate.id,
                path=each.candidate.path,
                place=None if each.final is None else place,
                score=each.final,
                out=each.out,
                cells=cells,
            )
        )
    return tuple(found)


def _cell(
    factor: Factor,
    candidate: Candidate,
    effective: int | None,
    share: Exact | None,
    standing: Standing,
) -> Cell:
    held = candidate.factors[factor.name]
    counted = None if effective is None else effective / UNIT
    if isinstance(held, Known):
        return Cell(
            factor=factor.name,
            weight=factor.weight,
            value=held.value,
            reason=held.reason,
            effective=counted,
            contribution=share,
        )
    return Cell(
        factor=factor.name,
        weight=factor.weight,
        cause=held.cause,
        effective=counted,
        counts="" if share is None else _counts(factor, standing),
        contribution=share,
    )


def _counts(factor: Factor, standing: Standing) -> str:
    """As what not knowing counts."""
    if not factor.weight:
        return "nothing, since it weighs nothing"
    if factor.policy == "renormalise":
        return "nothing: its weight goes to the other benefits"
    lone = all(
        isinstance(each.candidate.factors[factor.name], Abstained) for each in standing.ranked
    )
    told = "the lowest there can be" if factor.policy == "floor" or lone else "the worst known"
    if factor.policy == "ask":
        return f"{told}, and a person decides"
    return f"{told}, and nothing is decided" if factor.policy == "stop" else told


def _number(value: Exact | None) -> float | None:
    return None if value is None else number(value)


def _share(share: Share) -> dict[str, Json]:
    return {
        "factor": share.factor,
        "weight": share.weight,
        "difference": number(share.difference),
    }
