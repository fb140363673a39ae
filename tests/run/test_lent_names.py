"""Names and outputs that an agent lends the workflows it opens."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

import orka
from orka.agent.agent import Shape
from orka.errors import OrkaError
from orka.value import Json


class Options(msgspec.Struct, frozen=True):
    workflow: Mapping[str, Json]


@orka.agent(
    "styled",
    config=Options,
    shape=lambda o: Shape(inner={"body": "workflow"}, names=["style"], gives=["draft"]),
)
async def styled(ctx: orka.Context) -> Json:
    """Run the body in a style."""
    return await ctx.graph("body", ctx.input, names={"style": "dry"}, outputs={"draft": "wet"})


@orka.tool
def say(text: str) -> str:
    """The text."""
    return text


def flow(text: str, when: str = "true") -> Json:
    said = {"id": "a", "type": "tool", "tool": "say", "args": {"text": text}, "when": when}
    body = {"orchestrator": {"id": "b"}, "agents": [said]}
    return {
        "orchestrator": {"id": "x"},
        "agents": [{"id": "s", "type": "styled", "workflow": body}],
    }


def test_templates_and_conditions_know_what_is_lent() -> None:
    written = flow("{{ style }} {{ previous_outputs.draft }}", "style == 'dry'")
    run = orka.run_sync(written, use=[styled, say], store=":memory:")
    assert run.output == "dry wet", run.failure


@pytest.mark.parametrize(
    ("text", "told"), [("{{ stile }}", "'stile'"), ("{{ previous_outputs.draught }}", "'draught'")]
)
def test_what_is_not_lent_does_not_exist(text: str, told: str) -> None:
    with pytest.raises(OrkaError, match=told):
        orka.Runtime(store=":memory:", use=[styled, say]).check(flow(text))
