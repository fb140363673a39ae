"""A workflow played with a scripted model under virtual time, and replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orka
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json


class Played:
    """A run, what its model was asked, and that it replays byte for byte."""

    def __init__(
        self, written: Json, replies: Mapping[str, Sequence[object]], given: Json = "in"
    ) -> None:
        self.model = ScriptedModel(Script({id: list(each) for id, each in replies.items()}))
        self.run = run_virtual(self._go(written, given))

    async def _go(self, written: Json, given: Json) -> orka.Run:
        models = {"scripted": self.model}
        async with orka.Runtime(store=":memory:", models=models, clock=clock) as runtime:
            found = await runtime.run(written, given)
            assert not runtime.replay(found.id).unwritten
            return found

    @property
    def output(self) -> Json:
        assert self.run.status == "completed", self.run.failure
        return self.run.output

    def told(self, kind: type) -> list[Json]:
        return [event for event in self.run.events if isinstance(event, kind)]


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
