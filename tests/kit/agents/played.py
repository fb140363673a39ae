"""A workflow played with a scripted model under virtual time, and replayed."""

from __future__ import annotations

from collections.abc import Mapping

import orka
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json


def play(
    agents: str,
    order: str,
    replies: Mapping[str, list[object]],
    given: Json = "in",
    *,
    timeout: float | None = None,
    use: tuple[object, ...] = (),
) -> orka.Run:
    """The run of these agents. It has been replayed to the same bytes."""
    limit = "" if timeout is None else f", timeout: {timeout}"
    head = f"orchestrator: {{id: t, model: scripted, agents: [{order}]{limit}}}"
    flow = f"version: 1\n{head}\nagents:\n{agents}"
    model = ScriptedModel(Script(dict(replies)))

    async def go() -> orka.Run:
        async with orka.Runtime(
            store=":memory:", models={"scripted": model}, clock=clock, use=use
        ) as runtime:
            found = await runtime.run(flow, given)
            runtime.replay(found.id)
            return found

    return run_virtual(go())


def replied(value: Json, agents: str, order: str = "ans") -> orka.Run:
    """The run of agents that call the tool `say`, which gives `value` first, then "second"."""
    values = iter([value, "second"])

    @orka.tool
    async def say() -> object:
        """The next value."""
        return next(values)

    return play(agents, order, {}, use=(say,))
