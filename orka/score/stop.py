"""When a loop ends before its limit: its rules as data, and what each says of the rounds so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from orka.score.novelty import novelty

Scores = Sequence[float | None]
_QUOTES = "\"'`“”‘’«»„"


class Convergence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ends when the last `rounds` rounds gained less than `min_gain` over the best before."""

    rounds: int = 2
    min_gain: float = 0.01


class Repetition(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from"}
):
    """Ends when what the agent `from` says is less new than `min_novelty` beside what it said in an
    earlier round."""

    source: str
    min_novelty: float = 0.2


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ends when the rounds have spent this much."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


def best_of(scores: Scores) -> int | None:
    """The index of the highest score, the earliest of equals; None if none is known."""
    known = [(score, -index) for index, score in enumerate(scores) if score is not None]
    return -max(known)[1] if known else None


def met(score: float | None, threshold: float | None) -> bool:
    """An unknown score meets nothing."""
    return score is not None and threshold is not None and score >= threshold


def converged(scores: Scores, rule: Convergence) -> bool:
    """True if the last rounds gained nothing. Without a known score before them nobody can say."""
    before = [score for score in scores[: -rule.rounds] if score is not None]
    after = [score for score in scores[-rule.rounds :] if score is not None]
    if not before:
        return False
    if len(after) < rule.rounds:
        return False  # of a round without a score nobody knows what it gained
    gain = max(after) - max(before)
    return gain <= 0 or round(gain, 6) < rule.min_gain


def repeated(said: Sequence[str], rule: Repetition) -> float | None:
    """The novelty of what was said last, if it is below the bound."""
    if not said:
        return None
    found = novelty(said[-1], said[:-1])
    return found if found is not None and found < rule.min_novelty else None


def says(text: str, phrase: str) -> bool:
    """True if a text says the phrase: as words of its own, and not in quotation marks, unless that
    is all it says."""
    if text.strip().strip(_QUOTES).strip() == phrase:
        return True
    for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text):
        before, after = text[: match.start()][-1:], text[match.end() :][:1]
        if not (before and before in _QUOTES and after and after in _QUOTES):
            return True
    return False


def spent(budget: Budget, used: Mapping[str, float | None]) -> str:
    """What of the budget is used up, in words. What was used and not counted cannot be held to a
    bound, so it counts as used up."""
    for name in ("tokens", "cost", "seconds"):
        limit, amount = getattr(budget, name), used.get(name)
        if limit is not None and amount is None:
            return f"nobody counted the {name}, so {limit:g} cannot be kept"
        if limit is not None and amount is not None and amount >= limit:
            return f"{amount:g} of {limit:g} {name} are used up"
    return ""
