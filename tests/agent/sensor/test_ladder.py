"""The ladder from text to value: what it takes, what it mends and says, what it refuses."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orka.agent.sensor import Contract, Reading, read
from orka.agent.sensor.ladder import LARGEST, read_object
from orka.value import Json, identical

CATEGORY = Contract.of(
    {
        "type": "object",
        "required": ["category"],
        "properties": {"category": {"enum": ["billing", "sales"]}},
    }
)


def rules(reading: Reading) -> list[str]:
    return [repair.rule for repair in reading.repairs]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("42", 42),
        ("null", None),
        ('[{"a": 1}]', [{"a": 1}]),
        ('Sure:\n```JSON\n{"a": "```x```"}\n```\nDone.', {"a": "```x```"}),
        ('~~~json\n{"a": 1}\n~~~', {"a": 1}),
        ('````\n{"a": "```"}\n````', {"a": "```"}),
        ("```\n42\n```", 42),
        ('<Thinking type="deep">{"a": 0}</Thinking>{"a": 1}', {"a": 1}),
        ('<thoughts>x</thoughts>\n<reasoning>{"a": 0}</reasoning>\n{"a": 1}', {"a": 1}),
        ('I had {"a": 0}\n</think>\n{"a": 1}', {"a": 1}),
        ('[THINK]{"a": 0}[/THINK]{"a": 1}', {"a": 1}),
        (
            '<|channel|>analysis<|message|>{"a": 0}<|end|><|start|>assistant'
            '<|channel|>final<|message|>{"a": 1}',
            {"a": 1},
        ),
        ('```json\n{"a": 1}', {"a": 1}),
        ('{"a": "<think>kept</think>"}', {"a": "<think>kept</think>"}),
        ('{"a": 1} and {"a": 1} again', {"a": 1}),
        ('As [1] and [2] say: {"a": 1}', {"a": 1}),
        ('{"a": 1}\n</output> Let me know if {more} or {"this"} is needed.', {"a": 1}),
        ('It was {"a": 0}; now:\n```json\n{"a": 1}\n```', {"a": 1}),
        ('{"a": 1, "a": 1}', {"a": 1}),
        (r'{"a": "\ud83d\ude00"}', {"a": "\U0001f600"}),
        ('{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        ('<tool_response>{"a": 1}</tool_response>', {"a": 1}),
    ],
)
def test_a_value_is_found_as_it_stands(text: str, value: Json) -> None:
    reading = read(text)
    assert reading.ok, reading.message
    assert identical(reading.value, value)
    assert not reading.repairs


@pytest.mark.parametrize(
    ("text", "value", "rule", "before", "after"),
    [
        ('{"a": [1,],}', {"a": [1]}, "trailing_comma", ",]", "]"),
        ('{"a": True}', {"a": True}, "python_literals", "True", "true"),
        ("{'a': 1}", {"a": 1}, "single_quotes", "'a'", '"a"'),
        ('{"a": 1 // one\n}', {"a": 1}, "comment", "// one", ""),
        ('{"a": "x\ny"}', {"a": "x\ny"}, "control_char", '"x\ny"', '"x\\ny"'),
        (r'{"a": "\d"}', {"a": "\\d"}, "invalid_escape", r'"\d"', r'"\\d"'),
        ("{a: 1}", {"a": 1}, "unquoted_key", "a", '"a"'),
        ('\ufeff{"a": 1}', {"a": 1}, "byte_order_mark", "\ufeff", " "),
        ('{\u00a0"a": 1}', {"a": 1}, "odd_whitespace", "\u00a0", " "),
        ('{“a": 1}', {"a": 1}, "curly_quotes", '“a"', '"a"'),
        (r'"{\"a\": 1}"', {"a": 1}, "double_encoded", '{"a": 1}', {"a": 1}),
        (r'{\n  \"a\": \"x\"\n}', {"a": "x"}, "escaped_text", None, None),
        (r'{"a": "\frac{\Delta}"}', {"a": r"\frac{\Delta}"}, "invalid_escape", None, None),
        (r'{"a": "it\'s"}', {"a": "it's"}, "invalid_escape", r'''"it\'s"''', '"it\'s"'),
    ],
)  # fmt: skip
def test_a_slip_with_one_meaning_is_mended_and_told(
    text: str, value: Json, rule: str, before: Json, after: Json
) -> None:
    reading = read(text)
    assert reading.ok, reading.message
    assert identical(reading.value, value)
    found = next(repair for repair in reading.repairs if repair.rule == rule)
    if before is not None:
        told = found.before if rule != "double_encoded" else json.loads(found.before)
        assert (told, found.after) == (before, after)


def test_words_and_marks_inside_strings_are_left_alone() -> None:
    text = '{"a": "True, None // no # comment ,} ,] \'x\' “y”", "b": True}'
    reading = read(text)
    assert reading.value == {"a": "True, None // no # comment ,} ,] 'x' “y”", "b": True}
    assert rules(reading) == ["python_literals"]


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("", "empty", "empty"),
        (" \n", "empty", "empty"),
        ("no idea", "syntax", "JSON"),
        ('"a": 1, "b": 2', "syntax", "JSON"),
        ('<|channel|>analysis<|message|>{"a": 1}', "unterminated_reasoning", "analysis"),
        ("<THINK>hm", "unterminated_reasoning", "THINK"),
        ('{"a": 1}\n{"a": 2}', "ambiguous", "2 different values"),
        ('```json\n{"a": 1}\n```\nor {"a": 2}', "ambiguous", '{"a":2}'),
        ('{"a": {"b": NaN}}', "non_finite_number", "a.b"),
        ('{"a": [1, -Infinity]}', "non_finite_number", "a[1]"),
        ('{"a": 1e999}', "non_finite_number", "a"),
        ('{"a": {"b": 1, "b": 2}}', "duplicate_key", "a.b"),
        ('{"a": "x "y" z"}', "syntax", "offset 10"),
        ("{'a': 'it's'}", "syntax", "offset 10"),
        ('{"a": 1 "b": 2}', "syntax", "offset 8"),
        ('{"a": １２}', "syntax", "１２"),
        ('{"a": "x", ...}', "syntax", "offset 11"),
        ('{"a": oops {"b": 1}}', "syntax", "oops"),
        ('{"a": "b "c {"d": 1}"}', "syntax", "offset"),
        ('{"a": undefined}', "syntax", "undefined"),
        ('{"a": 0x1F}', "syntax", "0x1F"),
        ('{"a": .5}', "syntax", ".5"),
        ('{"a": 1_000}', "syntax", "1_000"),
        (r'{"a": "\ud83d"}', "syntax", "surrogate"),
        (r'{"a": "C:\Users\new"}', "syntax", "may be an escape or a word"),
        ('{"a": [1, 2}', "syntax", "]"),
        ('{"a": [1, 2', "truncated", "ends"),
        ('{"a": "' + "9" * 3, "truncated", "ends"),
        ('{"a": ' + "9" * 5000 + "}", "too_large", "5000"),
        ('{"a": "' + "x" * LARGEST + '"}', "too_large", str(LARGEST)),
        ('{"a":' * 200, "too_deep", "128"),
        ("[" * 200_000, "too_deep", "128"),
        ('{"a":1} ' * 1000, "too_large", "values"),
    ],
)
def test_what_cannot_be_read_is_a_violation_that_names_it(text: str, kind: str, names: str) -> None:
    reading = read(text)
    assert (reading.ok, reading.kind) == (False, kind)
    assert names in f"{reading.message} {reading.where}"
    assert reading.value is None


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ('{"a": 1, "b": ["x", "y"', {"a": 1, "b": ["x", "y"]}),
        ('{"a": 12', {}),
        ('{"a": "hal', {}),
        ('{"a": {"b": tru', {"a": {}}),
        ('Here: {"a": [{"b": 1}, {"c"', {"a": [{"b": 1}, {}]}),
        ("nothing", None),
        ('{"a": 1}', {"a": 1}),
    ],
)
def test_what_was_cut_is_never_a_value(text: str, partial: Json) -> None:
    reading = read(text, finish_reason="length")
    assert (reading.ok, reading.kind) == (False, "truncated")
    assert "length" in reading.message
    assert identical(reading.partial, partial)


def test_an_answer_that_the_provider_refused_is_no_answer() -> None:
    reading = read('{"a": 1}', finish_reason="content_filter")
    assert (reading.ok, reading.kind) == (False, "refused")


def test_parts_of_a_text_are_joined_without_those_that_hold_reasoning() -> None:
    parts: Json = [
        {"type": "thinking", "text": '{"a": 0}'},
        {"type": "text", "text": '{"a":'},
        " 1}",
    ]
    assert read(parts).value == {"a": 1}
    assert read([{"type": "image", "url": "x"}]).kind == "empty"
    assert read([3]).kind == "syntax"


def test_with_a_contract_the_one_value_that_keeps_it_is_taken_and_others_are_told() -> None:
    reading = read('{"x": 1} {"category": "billing"} {"category": 3}', CATEGORY)
    assert reading.value == {"category": "billing"}
    assert reading.extra == ({"x": 1}, {"category": 3})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"category": "billing"} {"category": "sales"}', "ambiguous"),
        ('{"x": 1} {"y": 2}', "schema"),
        ('{"category": "Billing"}', "schema"),
        ('{"category": "bіlling"}', "schema"),  # the first i is Cyrillic
        ('[{"category": "billing"}]', "schema"),
        ("billing", "syntax"),
    ],
)
def test_with_a_contract_nothing_else_will_do(text: str, kind: str) -> None:
    assert read(text, CATEGORY).kind == kind


def test_a_contract_for_a_text_takes_a_bare_word_and_tells() -> None:
    reading = read("<think>hm</think> billing\n", Contract.of({"enum": ["billing"]}))
    assert reading.value == "billing" and rules(reading) == ["bare_text"]


@pytest.mark.parametrize(
    "text",
    [
        'Saving.\n```json\n{"name": "save", "arguments": {"n": 1}}\n```',
        '<tool_call>{"name": "save", "arguments": {"n": 1}}</tool_call>',
        '{"function": {"name": "save", "arguments": "{\\"n\\": 1}"}}',
        '{"tool_calls": [{"function": {"name": "save", "arguments": {"n": 1}}}]}',
        '{"tool": "save", "parameters": {"n": 1}}',
    ],
)
def test_a_call_of_a_tool_written_in_the_text_is_a_call(text: str) -> None:
    (call,) = read(text, tools=["save"]).tool_calls
    assert (call.name, call.arguments) == ("save", {"n": 1})


def test_a_tool_that_is_not_offered_is_named_with_those_that_are() -> None:
    reading = read('{"name": "fly", "arguments": {}}', tools=["save", "load"])
    assert reading.kind == "tool"
    assert all(name in reading.message for name in ("fly", "save", "load"))


def test_arguments_that_are_no_map_are_a_violation() -> None:
    for arguments in ('"{1"', "[1]", "3"):
        text = '{"name": "save", "arguments": ' + arguments + "}"
        assert read(text, tools=["save"]).kind == "tool"


def test_an_object_that_keeps_the_contract_is_an_answer_and_no_call() -> None:
    person = Contract.of({"required": ["name", "arguments"], "types": {"arguments": "object"}})
    reading = read('{"name": "Bo", "arguments": {}}', person, tools=["save"])
    assert reading.ok and not reading.tool_calls


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here:\n```json\n{"a": 1}\n```', {"a": 1}),
        ('<think>x</think>{"a": 1}', {"a": 1}),
        ("[1]", "[1]"),
        ("hello", "hello"),
        ('I mean {"a": 1}.', 'I mean {"a": 1}.'),
        ('{"a": NaN}', '{"a": NaN}'),
    ],
)
def test_an_answer_is_an_object_or_stays_the_text_it_is(text: str, value: Json) -> None:
    assert identical(read_object(text).value, value)


@pytest.mark.parametrize(
    "piece", ["{", "[", '{"a"}', "```a", "[1] ", "{/*}", '{"a" ', "'", "<think>"]
)
def test_a_hostile_text_is_refused_in_time(piece: str) -> None:
    began = time.perf_counter()
    assert not read((piece * LARGEST)[: LARGEST - 1]).ok
    assert time.perf_counter() - began < 20


_TEXT = st.text(st.characters(codec="utf-8"))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(_JSON, st.booleans(), st.sampled_from([None, 2]))
def test_strict_json_is_read_as_it_is(value: Json, escaped: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    reading = read(text)
    if isinstance(value, str) and "double_encoded" in rules(reading):
        return
    assert identical(reading.value, value)
    assert not reading.repairs


@settings(max_examples=300, deadline=None)
@given(_JSON.filter(lambda value: isinstance(value, dict)), st.data())
def test_a_text_that_was_cut_anywhere_is_never_a_value_of_its_own(
    value: Json, data: st.DataObject
) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert not read(cut).ok


@settings(max_examples=500, deadline=None)
@given(st.text(st.sampled_from(list("{}[]\"':,\\ntrue1.e-/*#`~<>\n “”\u200b")), max_size=60))
def test_no_text_raises(text: str) -> None:
    for contract in (None, CATEGORY):
        for tools in ((), ("save",)):
            reading = read(text, contract, tools=tools)
            assert reading.ok or (reading.kind and reading.message)
            json.dumps(reading.value, allow_nan=False)
