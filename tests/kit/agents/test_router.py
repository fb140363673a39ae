"""`router`: which label or condition a value takes, and which it never takes by accident."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import play, replied

from orka.agent.compared import as_compared
from orka.agent.guard import Guard
from orka.event.event import Noted
from orka.value import Json

MAPPED = """
  - {id: a, type: tool, tool: say}
  - {id: r, type: router, decision_key: a, routing_map: {%s: [b], %s: [c]}}
  - {id: b, type: wait, seconds: 0}
  - {id: c, type: wait, seconds: 0}
"""
CONDITIONS = """
  - {id: a, type: tool, tool: say}
  - id: r
    type: router
    decision_key: a
    routes: [{condition: "%s", next: b}, {condition: "true", next: c}]
  - {id: b, type: wait, seconds: 0}
  - {id: c, type: wait, seconds: 0}
"""


@pytest.mark.parametrize(
    ("value", "first", "second"),
    [
        (1.0, "1", "2"),
        ("1.0", "1", "2"),
        (1, '"1.0"', "2"),
        ("-0.0", '"-0"', "2"),
        ("bug", '"bug "', "2"),
        ("BUG", "BUG", "bug"),
        (True, "true", "false"),
        (" TRUE\n", "true", "false"),
    ],
)
def test_a_label_is_a_label_however_it_is_written(value: Json, first: str, second: str) -> None:
    done = replied(value, MAPPED % (first, second), "a, r")
    assert done.status == "completed" and "b" in done.outputs and "c" not in done.outputs


@pytest.mark.parametrize(
    ("value", "first", "second"),
    [
        ("bug", "Bug", "BUG"),  # two that fit, and neither is meant more than the other
        ("1.10", '"1.1"', '"1"'),
        ("1.5", "1", "2"),
        ("b\u0443g", "bug", "x"),
        (["bug"], "bug", "x"),
        ({"bug": 1}, "bug", "x"),
        ("not a bug", "bug", "x"),
    ],
)
def test_what_only_looks_like_a_label_is_none(value: Json, first: str, second: str) -> None:
    done = replied(value, MAPPED % (first, second), "a, r")
    assert done.failure and done.failure.code == "router.no_route"


@pytest.mark.parametrize(
    ("value", "condition", "holds"),
    [
        (" 100 ", "value >= 18", True),
        ("5", "value == '5'", True),
        ("5", "value != '5'", False),
        ("2", "value in ['1', '2']", True),
        (5, "value == '5'", True),
        ("5", "value == 5.0", True),
        ("true", "value == true", True),
        ("TRUE ", "not (value == True)", False),
        (True, "value == 'True'", True),
        (False, "value == 'true'", False),
        ("Yes\n", "value == 'Yes'", True),
        ("unknown", "value == 'unknown' or value > 5", True),
        ("12345", "len(value) > 3", True),
        ("5", "value == '5' or value == 6", True),
        ("7", "value > 5 and input['5'] == 1", True),
    ],
)
def test_a_condition_compares_like_with_like(value: Json, condition: str, holds: bool) -> None:
    names = {"value": as_compared(value, condition), "input": {"5": 1}}
    assert Guard(condition)(names) is holds


@given(st.one_of(st.integers(-999, 999), st.floats(-9, 9), st.booleans()), st.booleans())
@settings(max_examples=60)
def test_a_value_and_its_text_take_the_same_side(value: int | float, spaced: bool) -> None:
    literal = str(value).lower() if isinstance(value, bool) else repr(value)
    text = f" {literal}\n" if spaced else literal
    for condition, wanted in ((f"value == {literal}", True), (f"value != {literal}", False)):
        assert Guard(condition)({"value": as_compared(text, condition)}) is wanted
    for condition in (f"value == '{literal}'", f"value in ['x', '{literal}']"):
        assert Guard(condition)({"value": as_compared(value, condition)})


def test_a_text_is_not_on_the_other_side_of_a_condition() -> None:
    done = replied("true", CONDITIONS % "value == true", "a, r")
    assert "b" in done.outputs and "c" not in done.outputs


def test_what_no_condition_can_compare_fails_and_takes_no_route() -> None:
    done = play(
        CONDITIONS.replace("tool, tool: say", "llm, prompt: p") % "value < 18", "a, r", {"a": ["m"]}
    )
    assert done.status == "failed" and "b" not in done.outputs and "c" not in done.outputs


DEFAULTED = """
  - {id: s, type: tool, tool: say}
  - {id: a, type: llm, prompt: p, when: previous_outputs.s == 'go'}
  - {id: r, type: router, decision_key: %s}
  - {id: b, type: wait, seconds: 0}
  - {id: c, type: wait, seconds: 0}
"""


@pytest.mark.parametrize(
    ("how", "route"),
    [
        ("s, routing_map: {x: [b]}, default: c", "c"),
        ("s, routing_map: {x: [b]}, default: [c]", "default"),
        ("s, routing_map: {x: [b], default: [c]}", "default"),
        ("s, routing_map: {x: [b], default: [b]}, default: [c]", "(default)"),
        ("s, routing_map: {x: [b]}, routing_key: gone, default: c", "c"),
        ('a, routes: [{condition: "value < 5", next: b}], default: c', "c"),
    ],
)
def test_a_default_is_taken_and_noted_when_none_fits_or_nothing_is_there(
    how: str, route: str
) -> None:
    done = replied("zzz", DEFAULTED % how, "s, a, r")
    assert done.status == "completed", done.failure
    assert done.output is None or "b" not in done.outputs
    assert "c" in done.outputs and done.outputs["r"]["route"] == route
    (note,) = [event for event in done.events if isinstance(event, Noted)]
    assert note.kind == "default" and note.node == "r"


def test_an_empty_default_lets_the_path_go_on() -> None:
    done = replied("z", DEFAULTED % "s, routing_map: {x: [b], y: [c]}, default: []", "s, a, r")
    assert done.status == "completed" and not {"b", "c"} & set(done.outputs)
