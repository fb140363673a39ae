"""The JSON Schema agrees with the loader, and says more about the options of each type."""

from __future__ import annotations

import jsonschema_rs
import pytest

from orka.spec.load import AGENT_KEYS, ORCHESTRATOR_KEYS, TOP_KEYS, load
from orka.spec.schema import json_schema
from orka.spec.workflow import Backoff
from orka.value import Json

TYPES: dict[str, Json] = {
    "llm": {
        "type": "object",
        "properties": {"prompt": {"type": "string"}, "tools": {"$ref": "#/$defs/Tools"}},
        "required": ["prompt"],
        "$defs": {
            "Tools": {"type": "array", "items": {"$ref": "#/$defs/Tool"}},
            "Tool": {"type": "string"},
        },
    },
    "loop": {"type": "object", "properties": {"internal_workflow": {"$ref": "#"}}},
    "open": {"type": "object", "additionalProperties": True},
}
SCHEMA = json_schema(TYPES)
VALID = jsonschema_rs.Draft202012Validator(SCHEMA)


def flow(agent: Json, **orchestrator: Json) -> Json:
    return {"orchestrator": {"id": "w", **orchestrator}, "agents": [agent]}


LLM = {"id": "a", "type": "llm", "prompt": "x"}


def test_the_schema_is_one_of_its_dialect() -> None:
    jsonschema_rs.meta.validate(SCHEMA)


@pytest.mark.parametrize(
    "value",
    [
        flow(LLM),
        flow({**LLM, "tools": ["t"], "retries": 2, "backoff": {"initial": 1}, "next": "a"}),
        flow({"id": "l", "type": "loop", "internal_workflow": flow(LLM)}),
        flow({"id": "o", "type": "open", "whatever": 1}),
        flow(LLM, strategy="graph", agents=["a"], timeout=1, model="m", params={}),
        {**flow(LLM), "meta": 1, "version": 1, "name": "x", "description": "y"},
    ],
)
def test_what_the_loader_takes_the_schema_takes(value: Json) -> None:
    load(value)
    assert VALID.is_valid(value)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {**flow(LLM), "agent": 1},
        flow(LLM, stratgy="graph"),
        flow(LLM, strategy="parallel"),
        flow({**LLM, "id": "a b"}),
        flow({**LLM, "retries": True}),
        flow({**LLM, "retries": -1}),
        flow({**LLM, "timeout": 0}),
        flow({**LLM, "backoff": {"inital": 1}}),
        flow({**LLM, "next": ["a", "a"]}),
        flow({"id": "a"}),
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(value: Json) -> None:
    with pytest.raises(Exception, match="config"):
        load(value)
    assert not VALID.is_valid(value)


@pytest.mark.parametrize(
    "agent",
    [
        {"id": "a", "type": "clasifier"},
        {"id": "a", "type": "llm", "promt": "x"},
        {"id": "a", "type": "llm", "prompt": "x", "tools": [1]},
        {"id": "l", "type": "loop", "internal_workflow": flow({"id": "a", "type": "llm"})},
    ],
)
def test_the_options_of_each_type_are_checked(agent: Json) -> None:
    assert not VALID.is_valid(flow(agent))


def test_the_schema_has_every_key_of_the_loader_with_a_description() -> None:
    properties = SCHEMA["else"]["properties"]
    agent = SCHEMA["$defs"]["agent"]["allOf"][0]["then"]["properties"]
    assert set(properties) == set(TOP_KEYS)
    assert set(properties["orchestrator"]["properties"]) == set(ORCHESTRATOR_KEYS)
    assert set(AGENT_KEYS) <= set(agent)
    assert all("description" in agent[key] for key in AGENT_KEYS)


def test_the_defaults_in_the_schema_are_those_of_the_loader() -> None:
    agent = SCHEMA["$defs"]["agent"]["allOf"][0]["then"]["properties"]
    backoff = {key: item["default"] for key, item in agent["backoff"]["properties"].items()}
    assert Backoff(**backoff) == Backoff()
