"""Scores in texts: read with their scale, or not at all."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.score.number import Found
from orka.score.reading import labelled, matched, score_of
from orka.value import Json

PATTERN = [re.compile(r"SCORE:\s*([0-9.]+)")]
CAUGHT = {
    "8/10": 0.8,
    "8 / 10": 0.8,
    "8/10.": 0.8,
    "4/5 stars": 0.8,
    "10/10": 1.0,
    "0.85/1.00.": 0.85,
    "8 out of 10": 0.8,
    "9 (out of 10)": 0.9,
    "80%": 0.8,
    "80 percent": 0.8,
    "100 %": 1.0,
    "0.9.": 0.9,
    "0.85, good": 0.85,
    "0,85": 0.85,
    ".7": 0.7,
    "1e-1": 0.1,
    "1": 1.0,
    "0": 0.0,
    "0.5 (3 issues)": 0.5,
    "８/１０": 0.8,
    "٠٫٨": 0.8,
}
UNREADABLE = [
    "8",
    "85",
    "100",
    "1.5",
    "-0.5",
    "−0.5",
    "11/10",
    "150%",
    "8/0",
    "8/10/2024",
    "0.7-0.8",
    "0.8 to 0.9",
    "0.9.1",
    "1,000",
    "1 of 10",
    "1 von 10",
    "1 (scale 1-10)",
    "0.8x",
    "<0.5",
    "$1",
    "1:10",
    "NaN",
    "Infinity",
    "eight out of ten",
    "1e999",
]


@pytest.mark.parametrize(("text", "score"), CAUGHT.items())
def test_a_number_is_read_with_its_scale(text: str, score: float) -> None:
    assert score_of(f"SCORE: {text}").value == score
    assert score_of(f"Good work.\nSCORE: {text}\nThat is 3 points more.").value == score
    if text[0].isascii() and text[0] in "0123456789.":
        assert matched(f"SCORE: {text}", PATTERN).value == score


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_has_no_plain_scale_is_unknown(text: str) -> None:
    assert score_of(f"SCORE: {text}").value is None
    assert matched(f"SCORE: {text}", PATTERN).value is None
    assert score_of(text).value is None


@pytest.mark.parametrize(
    ("text", "score"),
    {
        "**SCORE:** 0.8": 0.8,
        "Score = **0.8**": 0.8,
        "| Score | 0.8 |": 0.8,
        '"score": 0.8,': 0.8,
        "The score is 8 out of 10.": 0.8,
        "a score of 0.8": 0.8,
        "AGREEMENT_SCORE: 0.8": 0.8,
        "Overall score: 0.8": 0.8,
        "Score - 0.8": 0.8,
        "Score (out of 10): 8": 0.8,
        "Score (0-100): 80": 0.8,
        "Score (0-1): 0.8": 0.8,
        "Score (1-5): 1": None,
        "Confidence: 0.9. Score: 0.4": 0.4,
        "Score: 0.4 (target score: 0.9)": 0.4,
        "Previous score: 0.9": None,
        "The score improved from 0.3 to 0.8": None,
        "score_threshold: 0.9": None,
        "version 1.5 is 0.9 better": None,
        "Rating: 4/5, confidence score: 0.9": 0.8,
        "Confidence score: 0.9": 0.9,
        "Confidence level: 90%": 0.9,
        "Score: 0.5, minimum acceptable score: 0.9": 0.5,
        "Score: 0.5. Score (target): 0.9": 0.5,
        "target_score: 0.9": None,
        "Draft score: 0.3. Final score: 0.7": 0.7,
        '{"score": 0.8, "note": "score: 0.1"}': 0.8,
        '```json\n{"score": "8/10"}\n```': 0.8,
    }.items(),
)
def test_labels_name_the_score(text: str, score: float | None) -> None:
    assert score_of(text).value == score


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (0.8, 0.8),
        (1, 1.0),
        (8, None),
        (True, None),
        (None, None),
        ([0.8], None),
        ({"score": 0.8}, 0.8),
        ({"score": True}, None),
        ({"score": "80%"}, 0.8),
        ({"response": {"score": 0.8}}, 0.8),
        ({"response": "Score: 0.8"}, 0.8),
        ({"rating": "4/5"}, 0.8),
        ({"validation_score": None}, None),
    ],
)
def test_values_are_read_directly(value: Json, score: float | None) -> None:
    assert score_of(value).value == score


def test_a_pattern_counts_by_its_last_match_and_says_how_many_there_were() -> None:
    found = matched("SCORE: 0.3 … SCORE: 0.7", PATTERN)
    assert (found.value, found.count) == (0.7, 2)


def test_a_later_pattern_does_not_mend_what_an_earlier_one_cannot_read() -> None:
    stray = re.compile(r"(0\.[5-9][0-9]?)")
    text = "SCORE: 8. It was 0.75 before."
    assert matched(text, [*PATTERN, stray]).value is None
    assert matched("It is 0.75 now.", [*PATTERN, stray]).value == 0.75
    assert matched("It is 10.75 now.", [stray]).value is None


def test_a_pattern_may_catch_a_part_of_the_number() -> None:
    assert matched("8/10", [re.compile("([0-9])")]).value == 0.8
    assert matched("SCORE: 0.85", [re.compile(r"SCORE: 0\.([0-9]+)")]).value == 0.85
    assert matched("SCORE: **8/10**", [re.compile("SCORE: (.+)")]).value == 0.8


@given(st.text() | st.text("0123456789.,/%-+eE scoreSCORE:()of\n", max_size=40))
def test_any_text_gives_a_score_or_none(text: str) -> None:
    for found in (score_of(text), labelled(text), matched(text, PATTERN)):
        _honest(found)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["score", "response", "x"]), inner)
        ),
    )
)
def test_any_value_gives_a_score_or_none(value: Json) -> None:
    _honest(score_of(value))


@pytest.mark.parametrize(
    "text",
    [
        "score" + " " * 50_000,
        "score: " + "*" * 50_000,
        "a_" * 50_000,
        "a-" * 50_000,
        "score " * 20_000,
        "score: 1 " * 10_000,
        "```\n" + "\n " * 50_000,
        "9" * 50_000,
        "1 " * 50_000,
        "score (" * 10_000,
        " " * 50_000 + "x",
        "0." * 50_000,
    ],
    ids=lambda text: text[:10],
)
def test_long_texts_are_read_in_no_time(text: str) -> None:
    assert score_of(text).value is None or text.startswith("score: 1")
    assert matched(text, [*PATTERN, re.compile("([0-9.]+)")]).count >= 0


@given(st.integers(0, 10), st.sampled_from(["{}/10", "{} out of 10", "{}0%", "SCORE: {}/10."]))
def test_scales_are_never_lost(amount: int, form: str) -> None:
    assert score_of(form.format(amount)).value == amount / 10


def _honest(found: Found) -> None:
    assert found.value is None or 0 <= found.value <= 1
    assert not (found.problem and found.value is not None)
