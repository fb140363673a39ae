"""`capabilities` and `description`: words about an agent, which change nothing in a run."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

import orka
from orka.agent.agent import Shape
from orka.agent.context import Context
from orka.errors import ConfigError, ConfigErrors
from orka.spec.load import load
from orka.value import Json

FLOW = """
orchestrator: {id: w, agents: [a]}
agents:
  - {id: a, type: %s%s}
  - {id: b, type: looked, capabilities: [retrieval, web_search], description: Looks up.}
"""


class Worded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a type that reads the words itself."""

    capabilities: list[str] = []


@orka.agent("asked", shape=lambda _: Shape(pool=True))
async def asked(ctx: Context) -> Json:
    """Gives what it is told of the agents that nothing else leads to."""
    return ctx.pool


@orka.agent("looked", config=Worded)
async def looked(ctx: Context) -> Json:
    """Gives what it can do."""
    return list(ctx.config.capabilities)


def runtime() -> orka.Runtime:
    return orka.Runtime(store=":memory:", use=[asked, looked])


def test_who_chooses_is_told_the_words() -> None:
    run = asyncio.run(runtime().run(FLOW % ("asked", "")))
    assert run.output == {
        "b": {
            "type": "looked",
            "options": {},
            "capabilities": ["retrieval", "web_search"],
            "description": "Looks up.",
        }
    }


def test_a_type_with_an_option_of_that_name_has_it() -> None:
    flow = FLOW.replace("agents: [a]", "agents: [a, b]")
    assert asyncio.run(runtime().run(flow % ("looked", ""))).output == ["retrieval", "web_search"]


def test_words_that_are_not_there_leave_the_digest_as_it_is() -> None:
    plain = FLOW.replace("agents: [a]", "agents: [a, b]").partition(", capabilities")[0] + "}\n"
    bare = runtime().check(plain % ("looked", "")).digest
    assert runtime().check(plain % ("looked", ", capabilities: []")).digest == bare
    assert runtime().check(plain % ("looked", ", capabilities: [x]")).digest != bare
    assert runtime().check(plain % ("looked", ", description: x")).digest != bare


def test_a_misspelt_word_is_suggested() -> None:
    with pytest.raises(ConfigError, match="capabilites") as raised:
        runtime().check(FLOW % ("looked", ", capabilites: [x]"))
    assert "'capabilities'" in str(raised.value)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("capabilities: retrieval", "a list of text"),
        ("capabilities: [1]", "text: a word"),
        ("capabilities: ['']", "text: a word"),
        ("capabilities: [x, y, x]", "lists 'x' twice"),
        ("capabilities:", "must be a list of text"),
        ("description: 1", "text: what it is for"),
        ("description: ''", "text: what it is for"),
    ],
)
def test_words_that_cannot_be_read_are_told_with_their_line(written: str, told: str) -> None:
    text = "orchestrator: {id: w}\nagents:\n  - id: a\n    type: wait\n    seconds: 0\n    "
    with pytest.raises(ConfigError) as raised:
        load(text + written, "f.yml")
    assert not isinstance(raised.value, ConfigErrors)
    assert told in raised.value.what and "f.yml, line 6" in raised.value.where
