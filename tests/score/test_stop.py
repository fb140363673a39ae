"""The stop rules of loops, and novelty."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.score.novelty import agreement, novelty
from orka.score.stop import (
    Budget,
    Convergence,
    Repetition,
    best_of,
    converged,
    met,
    repeated,
    says,
    spent,
)

SCORES = st.lists(st.none() | st.floats(0, 1), max_size=8)


@given(SCORES)
def test_the_best_round_is_the_first_maximum(scores: list[float | None]) -> None:
    best = best_of(scores)
    known = [score for score in scores if score is not None]
    if best is None:
        assert not known
    else:
        assert scores[best] == max(known) and max(known) not in scores[:best]


@given(SCORES, st.integers(1, 4), st.floats(0, 0.5))
def test_convergence_needs_rounds_without_a_gain(
    scores: list[float | None], rounds: int, gain: float
) -> None:
    if converged(scores, Convergence(rounds, gain)):
        before = [score for score in scores[:-rounds] if score is not None]
        after = [score for score in scores[-rounds:] if score is not None]
        assert before and len(scores) > rounds
        assert all(score <= max(before) or score - max(before) < gain + 1e-6 for score in after)


def test_an_unknown_score_meets_no_threshold_and_none_meets_nothing() -> None:
    assert met(0.9, 0.9) and not met(0.89, 0.9)
    assert not met(None, 0.0) and not met(1.0, None)


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("Add more sources, please.", "add MORE sources please!", 0, 0),
        ("Round 2: add sources", "Round 3: add sources", 0, 0),
        ("Add more sources", "The tone is too harsh", 1, 1),
        ("来源不足", "来源不足。", 0, 0),
        ("来源不足", "语气太重", 0.8, 1),
    ],
)
def test_novelty_is_normalised(one: str, other: str, least: float, most: float) -> None:
    found = novelty(one, [other])
    assert found is not None and least <= found <= most


def test_novelty_is_unknown_without_words_or_a_past() -> None:
    assert novelty("", ["a"]) is None and novelty("12", ["a"]) is None and novelty("a", []) is None


@given(st.text(), st.lists(st.text(), max_size=3))
def test_novelty_lies_between_0_and_1(text: str, earlier: list[str]) -> None:
    found = novelty(text, earlier)
    assert found is None or 0 <= found <= 1
    assert found is None or novelty(text, [*earlier, text]) == 0


def test_criticism_that_repeats_an_earlier_one_is_told() -> None:
    said = ["Add sources.", "Tone down the claims.", "Add sources!"]
    assert repeated(said, Repetition("critic", 0.2)) == 0.0
    assert repeated(said[:2], Repetition("critic", 0.2)) is None


def test_agreement_needs_two_texts() -> None:
    assert agreement(["a b", "b a"]) == 1.0 and agreement(["a"]) is None and agreement([]) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("draft 2, DONE", True),
        ("DONE.", True),
        ('"DONE"', True),
        ('I will write "DONE" when we agree', False),
        ("UNDONE", False),
        ("DONE_NOT", False),
        ("nothing", False),
    ],
)
def test_a_phrase_is_said_or_quoted(text: str, said: bool) -> None:
    assert says(text, "DONE") is said


def test_a_budget_that_nobody_counted_cannot_be_kept() -> None:
    used = {"tokens": 90, "cost": None, "seconds": 2.0}
    assert not spent(Budget(tokens=100, seconds=3), used)
    assert "90 of 80 tokens" in spent(Budget(tokens=80), used)
    assert "nobody counted the cost" in spent(Budget(cost=1), used)
