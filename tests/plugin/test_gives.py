"""Who gives what he did not declare fails, and the place is named."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TypedDict

import msgspec
import pytest

import orka
from orka.errors import PluginError
from orka.plugin.registry import Registry
from orka.value import Json


class Risk(msgspec.Struct):
    level: str
    score: float = 0.0


@dataclasses.dataclass
class Point:
    x: int


class Named(TypedDict):
    name: str


SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}


def called(tool: object, name: str) -> orka.Run:
    flow = f"orchestrator: {{id: w}}\nagents: [{{id: n, type: tool, tool: {name}}}]\n"
    return orka.run_sync(flow, use=[tool], store=":memory:")


@pytest.mark.parametrize(
    ("gives", "good", "bad", "place"),
    [
        (SCHEMA, {"a": 1}, {"a": "x"}, "a should be an integer"),
        (SCHEMA, {"a": 1, "more": 2}, {}, "a is required"),
        (Risk, Risk("high"), {"level": 5}, "level"),
        (Point, Point(1), {"x": "1"}, "x should be"),
        ({"type": "string"}, "text", 5, "$"),
    ],
)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_tool_gives_what_it_declares(
    gives: object, good: object, bad: object, place: str, way: str
) -> None:
    def giving(value: object) -> orka.Run:
        def plainly() -> object:
            return value

        async def later() -> object:
            return value

        tool = orka.tool(name="t", gives=gives)(later if way == "async" else plainly)
        return called(tool, "t")

    assert giving(good).status == "completed"
    failure = giving(bad).failure
    assert failure and failure.code == "tool.undeclared_output"
    assert "'t'" in failure.message and place in failure.message


def test_a_return_annotation_declares_too() -> None:
    @orka.tool
    def risk() -> Risk:
        return {"level": None}  # type: ignore[return-value]  # that is the point

    @orka.tool
    def named() -> Named:
        return {}  # type: ignore[typeddict-item]  # that is the point

    @orka.tool
    def point() -> Point:
        return Point(1)

    @orka.tool
    def free() -> dict[str, str]:
        return {"a": 1}  # type: ignore[dict-item]  # that is the point

    for tool in (risk, named):
        failure = called(tool, tool.name).failure
        assert failure and failure.code == "tool.undeclared_output"
    for tool in (point, free):
        assert called(tool, tool.name).status == "completed"


@pytest.mark.parametrize(
    ("value", "right"), [({"a": 1}, True), ({"a": None}, False), (None, False)]
)
def test_an_agent_gives_what_it_declares(value: Json, right: bool) -> None:
    @orka.agent("mine", gives=SCHEMA)
    async def mine(ctx: orka.Context) -> Json:
        await ctx.random()
        return value

    flow = "orchestrator: {id: w}\nagents: [{id: a, type: mine}]\n"
    run = orka.run_sync(flow, use=[mine], store=":memory:")
    if right:
        assert run.output == value
    else:
        assert run.failure and run.failure.code == "agent.undeclared_output"
        assert "'mine'" in run.failure.message


@pytest.mark.parametrize("gives", [5, {"type": "strnig"}, int, {"requierd": ["a"]}])
def test_what_is_no_contract_is_refused(gives: object) -> None:
    @orka.agent("mine", gives=gives)
    async def mine(ctx: orka.Context) -> None: ...

    with pytest.raises(PluginError) as raised:
        Registry().add(mine)
    assert raised.value.code == "plugin.signature" and "'mine'" in str(raised.value)


def test_a_plugin_file_is_held_to_it_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import orka\n@orka.tool(gives={'type': 'string'})\ndef t(): return 5\n")
    flow = "orchestrator: {id: w}\nagents: [{id: n, type: tool, tool: t}]\n"
    run = orka.run_sync(flow, plugins=[path], store=":memory:")
    assert run.failure and run.failure.code == "tool.undeclared_output"
