"""A decision in one plain sentence that its arithmetic supports."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from orka.score.factor import Known
from orka.score.ledger import Outcome
from orka.score.scorer import SQUARE, Exact, Scored, Standing

# Decimal places: the first at which nothing is lost, else as many as tell it from 0.
_FEWEST, _USUAL, _MOST = 4, 6, 12
# Of a long list so many are named.
_SEVERAL = 3


def figure(value: Exact, *, sign: bool = False) -> str:
    """A score, or a part of one, in units of 1e-12, as a person reads it."""
    true = Fraction(value, SQUARE)
    places = _FEWEST
    if round(true, _FEWEST) != true:
        places = _USUAL if round(true, _USUAL) else _MOST
    text = f"{abs(float(true)):.{places}f}"
    return f"−{text}" if true < 0 else f"+{text}" if sign else text


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; of many the first few: `a, b, c and 4 others`."""
    if len(words) > _SEVERAL + 1:
        words = [*words[:_SEVERAL], f"{len(words) - _SEVERAL} others"]
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


def sentence(
    standing: Standing,
    rival: Scored | None,
    margin: Exact | None,
    shares: Sequence[tuple[str, Exact]],
) -> str:
    """How the first of the ranking compares with a rival, if there is one."""
    if not standing.ranked:
        return _nobody(standing)
    leader = standing.ranked[0]
    name, score = leader.candidate.id, figure(leader.final or 0)
    if rival is None:
        return _alone(standing, name, score)
    other = rival.candidate.id
    if margin is None:
        return f"{name} leads with {score}; {other} is out: {rival.out}."
    if margin == 0:
        return _tie(standing, name, score, shares)
    return f"{name} leads {other} by {figure(margin)}: {_weighed(shares)}."


def _weighed(shares: Sequence[tuple[str, Exact]]) -> str:
    """What speaks for the leader, and what it outweighs; the largest first."""
    moving = sorted((s for s in shares if s[1]), key=lambda share: -abs(Fraction(share[1])))
    good = [each for each in moving if each[1] > 0]
    bad = [each for each in moving if each[1] < 0]
    if not bad:
        return _summed(good)
    return f"{_summed(good)} {'outweighs' if len(good) == 1 else 'outweigh'} {_summed(bad)}"


def _summed(shares: Sequence[tuple[str, Exact]]) -> str:
    """Each with its share; of many the first few, and what the others come to."""
    told = [f"{name} {figure(share, sign=True)}" for name, share in shares]
    if len(told) > _SEVERAL + 1:
        rest = shares[_SEVERAL:]
        together = figure(sum(share for _, share in rest), sign=True)
        told = [*told[:_SEVERAL], f"{len(rest)} others {together}"]
    return listed(told)


def _tie(standing: Standing, name: str, score: str, shares: Sequence[tuple[str, Exact]]) -> str:
    names = [name, *(each for each in standing.tied if each != name)]
    cause = ""
    if len(names) == 2:
        same = not any(share for _, share in shares)
        held = standing.ranked[0].candidate.factors.values()
        known = all(isinstance(each, Known) for each in held)
        alike = f", the same in every factor{'' if known else ' that is known'}"
        cause = alike if same else f" ({_balanced(shares)})"
    return f"{listed(names)} tie at {score}{cause}; {name} was declared first, so it leads."


def _balanced(shares: Sequence[tuple[str, Exact]]) -> str:
    return f"{_summed([each for each in shares if each[1]])} cancel out"


def _alone(standing: Standing, name: str, score: str) -> str:
    if not standing.out:
        return f"{name} is the only candidate; its score is {score}."
    return f"{name} is the only candidate that is in, with {score}; {_out(standing)}."


def _nobody(standing: Standing) -> str:
    if not standing.out:
        return "Nobody leads: no candidates were proposed."
    return f"Nobody leads: {_out(standing)}."


def _out(standing: Standing) -> str:
    """Why some are out: of many the first ones."""
    told = [f"{each.candidate.id} is out: {each.out}" for each in standing.out]
    if len(told) <= _SEVERAL:
        return "; ".join(told)
    more = len(told) - _SEVERAL
    others = "1 other is" if more == 1 else f"{more} others are"
    return f"{'; '.join(told[:_SEVERAL])}; and {others} out"


def done(outcome: Outcome, leader: str) -> str:
    """What came of it."""
    if outcome.status == "all_excluded":
        return "Nothing was committed: all candidates are out."
    if outcome.decision == "fallback":
        return f"Nothing was committed: {outcome.reason}."
    if outcome.decision == "human_gate":
        who = f"The agent {outcome.ask!r}" if outcome.ask else "A person"
        return f"{who} decides among {listed(outcome.shortlist)}: {outcome.reason}."
    if outcome.decision == "shortlist":
        return f"It is left open among {listed(outcome.shortlist)}: {outcome.reason}."
    instead = "" if outcome.chosen == leader else f" in place of {leader}"
    return f"{outcome.chosen} was committed{instead}: {outcome.reason}."
