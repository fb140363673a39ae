"""Data is never code: it is not rendered again, reaches no attribute, and nothing runs for ever."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.errors import TemplateError
from orka.graph import filters
from orka.graph.lookup import LONGEST
from orka.graph.template import Templates
from orka.graph.vocabulary import FILTER_NAMES, TESTS
from orka.value import Json

NAMES: dict[str, Json] = {
    "input": {"a": {"b": 1}, "key": "__class__", "text": "t" * 100},
    "previous_outputs": {},
}


def rendered(text: str, names: dict[str, Json] = NAMES, dialect: str = "1") -> str:
    return Templates(dialect).compile(text, "here").render(names)


@given(st.text())
def test_data_passes_through_whatever_it_holds(text: str) -> None:
    for braces in (text, f"{{{{ {text} }}}}", f"{{% {text}", f"{{# {text}", f"  \n\n {text}  "):
        for dialect in ("1", "0.9"):
            names: dict[str, Json] = {"input": braces, "previous_outputs": {"a": braces}}
            assert rendered("<{{ input }}>", names, dialect) == f"<{braces}>"
            assert rendered("{{ previous_outputs.a.response }}", names, dialect) == braces
            long = "{% if true %}{{ previous_outputs.a }}{{ input ~ '' }}{% endif %}"
            assert rendered(long, names, dialect) == braces + braces


@given(st.text(alphabet="ab \n{}%#'\"\\|.()[]-=,:_", max_size=40))
def test_any_template_is_text_or_a_template_error(text: str) -> None:
    for dialect in ("1", "0.9"):
        try:
            rendered(text, dialect=dialect)
        except TemplateError as error:
            assert "__at" not in str(error) and "__maybe" not in str(error)


def test_json_in_a_prompt_stays_as_it_is() -> None:
    text = 'Return {"action": "<name>", "args": {"q": "{{ input.a.b }}", "o": {"p": {}}}} only'
    assert rendered(text) == text.replace("{{ input.a.b }}", "1")


@pytest.mark.parametrize(
    "text",
    [
        "{{ input.__class__ }}",
        "{{ input['__class__'] }}",
        "{{ input[input.key] }}",
        "{{ input | attr('__class__') }}",
        "{{ input | attr(input.key) }}",
        "{{ [input] | map(attribute='__class__') | list }}",
        "{{ [input] | map(attribute=input.key) | list }}",
        "{{ [input] | selectattr(input.key) | list }}",
        "{{ [input] | sort(attribute='a.__class__') }}",
        "{{ [input] | groupby(input.key) }}",
        "{{ previous_outputs._values }}",
        "{{ previous_outputs | attr('_values') }}",
        "{{ input.a.clear }}",
        "{{ (input.a)['clear']() }}",
        "{% set f = input.a.clear %}{{ f() }}",
        "{% set range = input.a %}{{ range() }}",
        "{{ input.a.pop('b') }}",
        "{{ input.a.mro() }}",
        "{{ ''.__class__ }}",
        "{{ __at(0, input) }}",
        "{{ get_input.__self__ }}",
        "{{ get_input.func }}",
        "{{ debug() }}",
        "{% include 't1' %}",
        "{% import 't1' as t %}",
        "{% extends 't1' %}",
        "{{ lipsum() }}",
    ],
)
def test_nothing_of_python_is_reached(text: str) -> None:
    names = {**NAMES, "get_input": len}
    for dialect in ("1", "0.9"):
        try:
            said = rendered(text, names, dialect)
        except TemplateError:
            continue
        assert said == ""
    assert names["input"]["a"] == {"b": 1}


@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ range(1000000000) | length }}",
        "{{ ('x' * 1000000000) | length }}",
        "{% for i in range(99999) %}{{ input.text * 99 }}{% endfor %}",
        "{% for i in range(99999) %}{{ input.text }}{{ input.text }}{{ input.text }}{% endfor %}",
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ " + "[" * 5000,
        "{{ " + "-" * 100_000 + "1 }}",
        "{{ 1" + " ~ 1" * 100_000 + " }}",
        "{% if 0 %}" + "{% elif 0 %}" * 20_000 + "{% endif %}",
        "{% if 1 %}" * 20_000,
        "{{ 'x' | center(99999999) }}",
    ],
)
def test_nothing_runs_for_ever(text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(TemplateError):
        rendered(text)
    assert time.perf_counter() - began < 20


def test_what_is_printed_is_bounded() -> None:
    names = {"input": "x" * (LONGEST + 1)}
    for text in ("{{ input }}", "{{ input | upper }}", "{% if true %}{{ input }}{% endif %}"):
        with pytest.raises(TemplateError) as raised:
            rendered(text, names)
        assert raised.value.code == "template.too_long"


def test_many_braces_take_no_longer_than_other_text() -> None:
    began = time.perf_counter()
    braces = "{" * 200_000 + "}" * 200_000
    assert rendered("{{ input }}", {"input": braces}) == braces
    assert rendered("{ " * 200_000) == "{ " * 200_000
    with pytest.raises(TemplateError):
        rendered("{{ a " * 20_000)
    with pytest.raises(TemplateError):
        rendered("{% raw %}" * 20_000)
    assert rendered("{# c #}" * 20_000) == ""
    assert time.perf_counter() - began < 10


def test_patterns_that_could_take_for_ever_are_refused() -> None:
    for pattern in ("(a+)+b", "(a|aa)*b", r"(\w+\s?)*$", "(?:a*)*", "x" * 1000, "(", r"(a)\1*"):
        with pytest.raises(TemplateError):
            filters.regex_search("a" * 50, pattern)
    with pytest.raises(TemplateError, match="characters"):
        filters.regex_search("a" * 30_000, "b")
    assert filters.regex_search("SCORE: 0.8", r"SCORE:\s*([0-9.]+)", 1) == "0.8"
    assert filters.regex_search("none", r"\d") is None
    assert filters.regex_replace("a1b2", "[0-9]", "#") == "a#b#"


@pytest.mark.parametrize("name", FILTER_NAMES)
def test_each_filter_exists(name: str) -> None:
    assert Templates().compile("{{ 'a' | " + name + " }}", "here")


@pytest.mark.parametrize("name", TESTS)
def test_each_test_exists(name: str) -> None:
    assert Templates().compile("{{ 'a' is " + name + " }}", "here")


def test_a_filter_that_does_not_exist_is_found_before_the_run() -> None:
    for text, fix in (("{{ 'a' | trunc }}", "truncate"), ("{{ 'a' is nosuch }}", "docs")):
        with pytest.raises(TemplateError, match="does not exist") as raised:
            Templates().compile(text, "here")
        assert fix in raised.value.fix


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ 'abc def ghi' | truncate(8) }}", "abc d..."),
        ("{{ 'abc def ghi' | truncate(length=8, suffix='..') }}", "abc de.."),
        ("{{ 'abc def ghi' | truncate(8, true, '') }}", "abc def "),
        ("{{ 'abc def ghi' | truncate(8, killwords=false, end='') }}", "abc def"),
        ("{{ 'abc' | truncate(8) }}", "abc"),
        ("{{ {'b': 1, 'a': 'é'} | tojson }}", '{"a": "é", "b": 1}'),
        ("{{ {'b': 1, 'a': 'é'} | to_json_string }}", '{"a": "é", "b": 1}'),
        ("{{ ('{\"a\": [1]}' | from_json).a[0] }}", "1"),
        ("{{ {'a': {'b': 2}} | safe_get('a.b') }} {{ {} | safe_get('x') }}", "2 unknown"),
        ("{{ [{'loop_number': 1, 'score': 0.5}] | format_loop_metadata }}", "Loop 1: score: 0.5"),
        ("{{ 'a b c' | wordcount }}{{ '%d!' | format(3) }}", "33!"),
        (
            "{{ [{'k': 2}, {'k': 1}] | sort(attribute='k') | map(attribute='k') | join(',') }}",
            "1,2",
        ),
        ("{{ true }} {{ 1 }} {{ 1.5 }} {{ none }} {{ [1, 'a'] }}", 'True 1 1.5 None [1, "a"]'),
    ],
)
def test_filters_and_printing(text: str, said: str) -> None:
    assert rendered(text) == said


def test_numbers_in_text_as_jinja_reads_them_in_old_files() -> None:
    assert (
        rendered("{{ 'x' | int }} {{ 'x' | float }} {{ '3.7' | int }}", dialect="0.9") == "0 0.0 3"
    )
    with pytest.raises(TemplateError):
        rendered("{{ 'x' | int }}")
