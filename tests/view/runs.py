"""Recorded runs of small workflows, made through the public door."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from orka.agent.agent import AgentType
from orka.agent.tool import FunctionTool, tool
from orka.api import Runtime
from orka.engine.prices import Price, Prices
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json
from orka.view.run import Run

PRICES = Prices("EUR", {"scripted/dear": Price(prompt=1e6, completion=2e6)})


@tool
def ship() -> str:
    return "shipped"


@tool
def refuse() -> str:
    raise ValueError("the warehouse is closed")


class Clock:
    """A clock that moves a second each time it is read."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def flow(*agents: Mapping[str, Json], id: str = "flow", **orchestrator: Json) -> Mapping[str, Json]:
    return {"orchestrator": {"id": id, **orchestrator}, "agents": list(agents)}


def llm(id: str, prompt: str = "{{ input }}", model: str = "scripted", **more: Json) -> Json:
    return {"id": id, "type": "llm", "model": model, "prompt": prompt, **more}


def ran(
    workflow: Mapping[str, Json],
    replies: Mapping[str, list[Json]] | None = None,
    input: Json = "in",
    *,
    use: tuple[AgentType | FunctionTool, ...] = (ship, refuse),
    clock: Callable[[], float] | None = None,
) -> Run:
    """Run it to its end."""

    async def run() -> Run:
        runtime = Runtime(
            store=":memory:",
            use=use,
            models={"scripted": lambda: ScriptedModel(Script(replies or {}))},
            prices=PRICES,
            clock=clock or Clock(),
        )
        async with runtime:
            run = await runtime.run(workflow, input, run_id="r")
            assert run.events
            return run

    return asyncio.run(run())
