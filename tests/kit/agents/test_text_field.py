"""`llm` with `text_field`: a text without JSON is the value of one field, and the trace says so."""

from __future__ import annotations

import pytest

import orka
from orka.errors import ConfigError
from orka.testing.scripted import Script, ScriptedModel

FLOW = """
orchestrator: {id: f}
agents:
  - id: a
    type: llm
    model: scripted
    prompt: p
    text_field: response
    output: {required: [response], optional: {confidence: number}}
"""


def run(answer: str) -> orka.Run:
    model = ScriptedModel(Script({"a": [answer]}))
    return orka.run_sync(FLOW, models={"scripted": model}, store=":memory:")


@pytest.mark.parametrize("text", ["A plain answer.", "true", "9", "See [1] and [2].", " yes \n"])
def test_a_text_without_json_is_the_value_of_the_field(text: str) -> None:
    ran = run(text)
    assert ran.output == {"response": text.strip()}
    (repaired,) = ran.nodes[0].remarks
    assert (repaired.rule, repaired.before) == ("text_as_field", text.strip())  # type: ignore[union-attr]


def test_reasoning_is_no_part_of_it() -> None:
    assert run("<think>hm</think>It is blue.").output == {"response": "It is blue."}


def test_an_object_is_read_as_one() -> None:
    ran = run('Sure: {"response": "x", "confidence": 0.5}')
    assert ran.output == {"response": "x", "confidence": 0.5}


@pytest.mark.parametrize("text", ["", '{"answer": "x"}', '{"response": ', "<think>no end"])
def test_what_is_no_text_stays_a_violation(text: str) -> None:
    ran = run(text)
    assert ran.status == "failed" and ran.failure and ran.failure.code == "sensor.violation"


def test_it_needs_an_output() -> None:
    with pytest.raises(ConfigError, match="text_field"):
        orka.check(FLOW[: FLOW.rindex("    output")])
