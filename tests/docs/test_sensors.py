"""The examples about sensors do what their pages say, with a model that says this or that."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import orka
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")


def examples(heading: str) -> list[str]:
    level = heading.split()[0]
    section = PAGE.split(f"\n{heading}\n", 1)[1]
    section = re.split(rf"\n{level} ", section, maxsplit=1)[0]
    return re.findall(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


@orka.tool
def add(a: int, b: int = 1) -> int:
    """Adds two numbers."""
    return a + b


def played(flow: str, replies: dict[str, list[object]]) -> orka.Run:
    async def go() -> orka.Run:
        models = {"scripted": ScriptedModel(Script(replies))}
        async with orka.Runtime(store=":memory:", models=models, clock=clock, use=[add]) as runtime:
            return await runtime.run(flow, "given")

    return run_virtual(go())


CALL = '{"name": "add", "arguments": {"a": 1, "b": 2}}'
FRESH = '{"temperature": "21", "confidence": 0.9, "observed_at": "2023-11-14T22:00:00Z"}'


RISK = {"level": "low", "score": 0.1}


def label(name: str) -> Json:
    return {"response": name, "confidence": None, "probabilities": None}


@pytest.mark.parametrize(
    ("heading", "at", "replies", "output"),
    [
        ("### llm", 0, {"risk": ["low", json.dumps(RISK)]}, RISK),
        ("### llm", 1, {"reckon": [CALL, "3"]}, "3"),
        ("### classify", 0, {"topic": ["**Billing**"]}, label("billing")),
        ("### classify", 0, {"topic": ["dunno"]}, label("other")),
        ("### yes_no", 0, {"urgent": ["not so", "Yes."]}, {"response": True, "confidence": None}),
        ("### binary", 0, {"reply": ["That is correct."]}, True),
        ("## Sensors", 0, {"measure": [FRESH], "use": ["21 it is"]}, "21 it is"),
        ("## Sensors", 0, {"measure": ["warm"], "ask_again": ["sorry"]}, "sorry"),
    ],
)
def test_an_example_does_what_it_says(
    heading: str, at: int, replies: dict[str, list[object]], output: Json
) -> None:
    run = played(examples(heading)[at], replies)
    assert run.status == "completed", run.failure
    assert run.output == output
