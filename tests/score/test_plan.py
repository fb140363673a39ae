"""Where a proposed plan is found."""

from __future__ import annotations

import pytest

from orka.score.plan import proposed
from orka.value import Json

PLAN = {"decision": "commit_path", "target": ["a", "b"]}


@pytest.mark.parametrize(
    ("outputs", "found"),
    [
        ({"x": PLAN}, ("x", PLAN)),
        ({"x": {"response": PLAN, "confidence": 1}}, ("x", PLAN)),
        ({"x": '{"path": ["a"]}'}, ("x", {"path": ["a"]})),
        ({"x": PLAN, "y": {"target": "c"}}, ("y", {"target": "c"})),
        ({"graph_scout": "first a, then b", "y": PLAN}, ("graph_scout", "first a, then b")),
        ({"path_proposer": {"result": PLAN}}, ("path_proposer", PLAN)),
        ({"x": "prose", "y": 3, "z": None, "l": [PLAN]}, None),
        ({}, None),
    ],
)
def test_a_plan_is_found_by_the_usual_ids_then_by_its_form(outputs: Json, found: Json) -> None:
    assert proposed(outputs) == found


def test_the_agent_named_is_the_only_one_asked() -> None:
    outputs = {"graph_scout": PLAN, "x": "go left"}
    assert proposed(outputs, "x") == ("x", "go left")
    assert proposed(outputs, "y") is None
