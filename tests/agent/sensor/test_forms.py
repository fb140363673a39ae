"""The forms that answers come in: reasoning of many models, calls of tools, values near a type."""

from __future__ import annotations

from typing import Any

import pytest

from orka.agent.sensor import Contract, ModelOptions, model_problem, read
from orka.agent.sensor.keywords import misspelt
from orka.errors import ConfigError
from orka.value import Json, identical

CALL = [("search", {"q": "x"})]


@pytest.mark.parametrize(
    "text",
    [
        '<seed:think>{"a": 0}</seed:think>{"a": 1}',
        '<reflection>{"a": 0}</reflection>{"a": 1}',
        '<scratchpad>{"a": 0}</scratchpad>{"a": 1}',
        '<|START_THINKING|>{"a": 0}<|END_THINKING|>{"a": 1}',
        '<|begin_of_thought|>{"a": 0}<|end_of_thought|>{"a": 1}',
        '<|channel|>analysis<|message|>{"a": 0}<|end|><|channel|>final<|message|>{"a": 1}',
    ],
)
def test_drafts_in_the_reasoning_of_any_model_are_no_answer(text: str) -> None:
    reading = read(text)
    assert reading.value == {"a": 1} and not reading.extra
    unclosed = read(text[: text.index("0}") + 2])
    assert unclosed.kind == "unterminated_reasoning"


@pytest.mark.parametrize(
    "text",
    [
        '<function=search>{"q": "x"}</function>',
        '[TOOL_CALLS]search[ARGS]{"q": "x"}',
        'function<｜tool▁sep｜>search\n```json\n{"q": "x"}\n```<｜tool▁call▁end｜>',
        'Thought: look it up\nAction: search\nAction Input: {"q": "x"}',
        '{"thought": "look", "action": "search", "action_input": {"q": "x"}}',
        [
            {"type": "text", "text": "Now."},
            {"type": "tool_use", "name": "search", "input": {"q": "x"}},
        ],
        [{"functionCall": {"name": "search", "args": {"q": "x"}}}],
    ],
)
def test_a_call_is_known_in_the_form_of_any_model(text: Json) -> None:
    reading = read(text, tools=("search",))
    assert [(call.name, call.arguments) for call in reading.tool_calls] == CALL


def test_a_call_that_names_its_tool_before_the_arguments_has_to_be_offered() -> None:
    reading = read('<function=delete>{"path": "/"}</function>', tools=("search",))
    assert not reading.ok and "delete" in reading.message and not reading.tool_calls


@pytest.mark.parametrize("key", ["input", "arguments"])
def test_an_answer_with_a_name_is_no_call(key: str) -> None:
    value = {"name": "Ann", key: "hello"}
    contract = Contract.of({"type": "object", "required": ["name"]})
    for held in (None, contract):
        assert read(f'{{"name": "Ann", "{key}": "hello"}}', held, tools=("search",)).value == value


@pytest.mark.parametrize(
    ("text", "partial"), [("[1, 2", [1]), ("[1, 2, ", [1, 2]), ("See [1]: [3, [4", [3, []])]
)
def test_a_list_that_is_cut_is_truncated(text: str, partial: Json) -> None:
    reading = read(text, finish_reason="length")
    assert reading.kind == "truncated" and reading.partial == partial
    if text[0] == "[":
        assert read(text).kind == "truncated" and read(text).partial == partial


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "incomplete", "model_context_window_exceeded"])
def test_each_word_for_the_token_limit_is_known(reason: str) -> None:
    assert read('{"a": 1', finish_reason=reason).kind == "truncated"


OPTIONAL = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
FORMS = {
    "oneOf": [
        {
            "type": "object",
            "required": ["k", "n"],
            "properties": {"k": {"const": "a"}, "n": {"type": "integer"}},
        },
        {"type": "object", "required": ["k"], "properties": {"k": {"const": "b"}}},
    ]
}


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        ({"type": "integer"}, " 12\n", 12),
        ({"type": "integer"}, "3.0", 3),
        ({"type": "integer"}, 3.0, 3),
        ({"type": "boolean"}, " False", False),
        ({"enum": ["low", "high"]}, "High ", "high"),
        ({"enum": [1, 2]}, "2", 2),
        (OPTIONAL, "5", 5),
        ({"oneOf": [{"type": "boolean"}, {"type": "integer"}]}, "true", True),
        ({"type": "array"}, '["x", 1]', ["x", 1]),
        ({"type": "object"}, '{"b": 1}', {"b": 1}),
    ],
)
def test_what_can_mean_one_thing_only_is_coerced_and_told(
    schema: Json, given: Json, wanted: Json
) -> None:
    contract = Contract.of({"type": "object", "properties": {"f": schema}}, coerce=True)
    verdict = contract.judge({"f": given})
    assert not verdict.problems and identical(verdict.value, {"f": wanted})
    assert [repair.where for repair in verdict.repairs] == ["f"]


def test_the_form_that_a_value_was_meant_to_have_is_mended() -> None:
    verdict = Contract.of(FORMS, coerce=True).judge({"k": "a", "n": "3"})
    assert verdict.value == {"k": "a", "n": 3} and not verdict.problems


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"enum": ["low", "high"]}, "l\u043ew"),
        ({"enum": ["a", "A"]}, "a "),
        ({"enum": [1, True]}, "yes"),
        ({"type": "array"}, "x, y"),
        ({"type": "array"}, '["x",]'),
        ({"type": "object"}, "[1]"),
        ({"type": "integer"}, "1e400"),
        ({"type": "integer"}, "3.5"),
        (OPTIONAL, "null"),
    ],
)
def test_what_can_mean_two_things_is_left_alone(schema: Json, given: Json) -> None:
    contract = Contract.of({"type": "object", "properties": {"f": schema}}, coerce=True)
    verdict = contract.judge({"f": given})
    assert verdict.problems and verdict.value == {"f": given} and not verdict.repairs


def test_several_forms_are_told_by_their_types_or_by_the_nearest() -> None:
    optional = Contract.of({"type": "object", "properties": {"f": OPTIONAL}})
    assert "should be an integer or null" in optional.judge({"f": "x"}).message
    assert "n should be an integer" in Contract.of(FORMS).judge({"k": "a", "n": "x"}).message


def test_nullable_allows_null() -> None:
    schema = {
        "type": "object",
        "properties": {"f": {"type": "string", "enum": ["a"], "nullable": True}},
    }
    assert not Contract.of(schema).judge({"f": None}).problems
    assert Contract.of(schema).judge({"f": "b"}).problems


@pytest.mark.parametrize(
    ("schema", "meant"),
    [
        ({"type": "object", "requird": ["a"]}, "required"),
        ({"properties": {"a": {"tpye": "string"}}}, "type"),
        ({"anyOf": [{"items": {"max_length": 3}}]}, "maxLength"),
    ],
)
def test_a_keyword_written_wrongly_is_refused_with_the_one_meant(schema: Json, meant: str) -> None:
    with pytest.raises(ConfigError, match=meant):
        Contract.of(schema)


def test_names_of_fields_and_words_of_the_author_are_no_keywords() -> None:
    own = {"label": "x", "prefix": "y", "x-requird": 1, "properties": {"requird": {}, "typ": {}}}
    assert misspelt(own) is None


@pytest.mark.parametrize(
    "wrong", [{"max_tokens": -5}, {"max_tokens": 0}, {"temperature": -1}, {"top_p": 1.5}]
)
def test_what_no_provider_takes_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    assert name in model_problem(ModelOptions(model="m", **wrong))
    assert not model_problem(ModelOptions(model="m", temperature=0, max_tokens=1, top_p=1))
