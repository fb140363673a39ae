"""Comparisons by order, keys that are numbers, fields of all items: nothing is made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.errors import TemplateError
from orka.graph.template import Templates
from orka.value import Json

INPUT: Json = {
    "n": 9,
    "text": "0.9",
    "none": None,
    "rows": [{"s": 1}, {"s": 5}, {}],
    "by": {"1": "one"},
}


def rendered(text: str, input: Json = None, dialect: str = "1") -> str:
    template = Templates(dialect).compile(text, "here")
    return template.render({"input": INPUT if input is None else input})


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("{{ input.n > 5 and not input.n > 10 }}", "True"),
        ("{{ input.n + 1 >= 10 or input.text > 1 }}", "True"),
        ("{{ 'hi' if input.n >= 9 else 'lo' }}", "hi"),
        ("{{ 5 < input.n < 10 }}", "True"),
        ("{{ input.text | float > 0.5 }}", "True"),
        ("{{ input.gone | default(0) > 1 }}", "False"),
        ("{{ (input.n <\n 5) == false }}", "True"),
        ("{{ 'b' > 'a' }} {{ [2] > [1] }} {{ true > 0 }}", "True True True"),
        ("{% for row in input.rows if row.s | default(0) > 2 %}{{ row.s }}{% endfor %}", "5"),
        ("{% if input.n < 3 %}a{% elif input.n <= 9 %}b{% endif %}", "b"),
        ("{{ input.by[1] }} {{ input.by.1 }} {{ input.by['1'] }}", "one one one"),
        ("{{ input.rows | map(attribute='s', default=0) | join(',') }}", "1,5,0"),
    ],
)
def test_what_has_an_answer_is_printed(text: str, printed: str) -> None:
    assert rendered(text) == printed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{ input.text > 0.5 }}", "'>' compares text with a number"),
        ("{% if input.n < input.text %}{% endif %}", "'<' compares a number with text"),
        ("{{ input.none >= 1 }}", "'>=' compares null with a number"),
        ("{{ input.rows > 1 }}", "'>' compares a list with a number"),
        ("{{ input.by <= input.by }}", "'<=' compares a map with a map"),
        ("{{ [1] < ['a'] }}", "lists of different things"),
        ("{{ input.gone > 1 }}", "input.gone is missing"),
        ("{{ input.rows | map(attribute='s') | join(',') }}", "s is missing in item 2"),
        ("{{ input.by[2] }}", "input.by[2] is missing"),
    ],
)
def test_what_has_none_is_an_error(text: str, words: str) -> None:
    with pytest.raises(TemplateError) as caught:
        rendered(text)
    assert words in str(caught.value)


def test_files_of_orka_09_compare_as_they_did() -> None:
    assert rendered("{{ input.n > 5 }}", dialect="0.9") == "True"
    assert rendered("{{ input.text > 0.5 }}", dialect="0.9") in ("True", "False")


@given(
    st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False)),
    st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False)),
)
def test_numbers_compare_as_numbers(one: float, other: float) -> None:
    text = "{{ input.a < input.b }} {{ input.a <= input.b }} {{ input.a > input.b }}"
    assert rendered(text, {"a": one, "b": other}) == f"{one < other} {one <= other} {one > other}"
