"""What is proven about routes before a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import orka
from orka.agent.agent import Decision, Shape
from orka.agent.guard import Guard
from orka.errors import GuardError
from orka.graph.routes import check_routes
from orka.spec.load import load
from orka.value import Json

FLOW = load(
    {
        "orchestrator": {"id": "r"},
        "agents": [{"id": "a", "type": "x"}, {"id": "r", "type": "router"}],
    }
)


def found(schema: Json, **decision: object) -> list[str]:
    shapes = {
        "a": Shape(output=schema),
        "r": Shape(decision=Decision(source="a", **decision)),  # type: ignore[arg-type]
    }
    return [finding.what for finding in check_routes(FLOW, shapes)]


INTEGER = {"type": "integer"}


def test_routes_that_cover_everything_are_fine() -> None:
    assert found(INTEGER, conditions=("value < 18", "value >= 18")) == []
    assert found(None, conditions=("value < 10", "value < 30", "value < 70", "true")) == []
    assert found({"type": "boolean"}, cases=("true", "false")) == []
    assert found({"enum": ["a", "b"]}, cases=("A", "b")) == []


@pytest.mark.parametrize(
    ("schema", "conditions", "told"),
    [
        (INTEGER, ("value < 10", "value > 20"), "no route holds for the value"),
        ({"type": "number"}, ("value < 10", "value > 10"), "no route holds for the value 10"),
        ({"type": "string"}, ("value == 'a'",), "no route holds for the value 'something else'"),
        (INTEGER, ("value < 30", "value < 10", "true"), "'value < 10' is dead: a route before"),
        (
            {"type": "number", "minimum": 0, "maximum": 1},
            ("value > 2", "true"),
            "'value > 2' is dead: it never holds",
        ),
        (INTEGER, ("value < 20", "value > 10"), "both hold for"),
        (None, ("value.x > 1", "len(value) > 2"), "nothing proves"),
    ],
)
def test_gaps_dead_routes_and_overlaps(
    schema: Json, conditions: tuple[str, ...], told: str
) -> None:
    assert told in found(schema, conditions=conditions)[0]


def test_values_are_compared_as_a_router_compares_them() -> None:
    assert found({"type": "boolean"}, conditions=("value == 'true'", "value == 'false'")) == []
    assert found({"enum": ["1", "2"]}, conditions=("value < 2", "value >= 2")) == []
    assert found({"enum": [1, 2]}, cases=("1.0", "2")) == []


def test_cases_against_what_can_be_given() -> None:
    told = found({"enum": ["a", "b"]}, cases=("a", "c"))
    assert told == [
        "router 'r': 'a' can give 'b', which has no route",
        "router 'r': route 'c' is dead: 'a' never gives it",
    ]
    assert "fails the run" in found(None, cases=("a",))[0]
    assert found(None, cases=("a",), fallback=True) == []
    nested = {"properties": {"x": {"properties": {"y": {"type": "boolean"}}}}}
    assert "can give 'false'" in found(nested, path="x.y", cases=("true",))[0]


comparisons = st.builds(
    lambda op, number: f"value {op} {number}",
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    st.integers(-4, 4),
)
conditions = st.lists(
    st.one_of(
        comparisons,
        st.builds(lambda a, b, op: f"{a} {op} {b}", comparisons, comparisons,
                  st.sampled_from(["and", "or"])),
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip


@given(conditions)
def test_a_gap_is_found_exactly_if_there_is_one(texts: list[str]) -> None:
    told = found({"type": "number"}, conditions=tuple(texts))
    gap = not all(any(holds(text, at / 4) for text in texts) for at in range(-24, 25))
    assert any("no route holds" in what for what in told) is gap


def holds(text: str, value: float) -> bool:
    try:
        return Guard(text)({"value": value})
    except GuardError:
        return False


def test_check_tells_them(tmp_path) -> None:  # type: ignore[no-untyped-def]
    flow = """
orchestrator: {id: age, agents: [n, r]}
agents:
  - {id: n, type: llm, model: scripted, prompt: x, output: {type: integer}}
  - {id: r, type: router, decision_key: n, routes: [{condition: "value < 18", next: young}]}
  - {id: young, type: wait, seconds: 0}
"""
    graph = orka.Runtime(store=":memory:").check(flow)
    assert [finding.what for finding in graph.findings] == [
        "router 'r': no route holds for the value 18"
    ]
