"""Runs of one agent in virtual time, with answers from nowhere."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from orka.agent.agent import AgentType
from orka.api.guests import permitted
from orka.api.wiring import graph_of
from orka.engine.worker import Worker, World
from orka.errors import ConfigError, HandlerError
from orka.event.event import EffectAnswered
from orka.graph.graph import Graph
from orka.port.handler import Answer, Handler
from orka.port.model import Call
from orka.run.state import State
from orka.spec.load import load
from orka.testing.clock import clock, run_virtual
from orka.testing.plugin_suite.check import Skipped
from orka.testing.plugin_suite.example import example
from orka.testing.plugin_suite.subject import Subject, Thing
from orka.testing.replay import started
from orka.value import Json, canonical
from orka.view.run import Run

NODE, RUN = "it", "check"
# Seconds an agent may think between two questions before it is blocked.
PATIENCE = 5.0
_QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers as `seed` says when: late ones let others come first. With `fails` all fail."""

    kind: str
    subject: Subject
    seed: int
    fails: bool

    async def __call__(self, payload: Json, call: Call) -> Answer:
        delay = random.Random(f"{self.seed}/{call.effect}").choice([0.0, 0.5, 1.0, 2.0])
        await asyncio.sleep(delay if self.seed else 0.0)
        if self.fails:
            raise HandlerError("the check lets it fail", code="effect.failed", retryable=False)
        return Answer(self._value(payload))

    def _value(self, payload: Json) -> Json:
        match self.kind:
            case "llm":
                return {"text": self._text(payload), "finish_reason": "stop"}
            case "tool":
                return self._tool(payload)
            case "memory":
                return _MEMORY.get(payload.get("op"), {"at": 0.0})
        return {"agents": {}, "paths": []}

    def _text(self, payload: Json) -> str:
        if choices := payload.get("choices"):
            return str(choices[0])
        if (schema := payload.get("schema")) is not None:
            return canonical(example(schema)).decode()
        return self.subject.samples.replies[0]

    def _tool(self, payload: Json) -> Json:
        tool = self.subject.registry.tools.get(payload.get("name", ""))
        gives = getattr(tool, "gives", None)
        return example(gives) if isinstance(gives, Mapping) else "something"


_MEMORY: Mapping[str, Json] = {
    "write": {"status": "stored", "id": "1", "key": "", "version": 1, "at": 0.0},
    "search": {"method": "keyword", "found": [], "backend": "none", "at": 0.0},
    "get": {"entry": None, "at": 0.0},
    "delete": {"deleted": True, "at": 0.0},
}


def options_of(found: Subject, agent: Thing) -> dict[str, Json]:
    """The sample of an agent's options, or the least that its type says."""
    if agent.name in found.samples.agents:
        return dict(found.samples.agents[agent.name])
    schema, parts = msgspec.json.schema_components([agent.value.config])
    least = example(schema[0], {"$defs": parts})
    return {**least, "model": "scripted"} if _asks(agent.value) else dict(least)


def graph(found: Subject, agent: Thing) -> Graph:
    """A workflow of this one agent. Raises `Skipped` if it needs options that are not known."""
    node = {"id": NODE, "type": agent.name, **options_of(found, agent)}
    try:
        written = load({"orchestrator": {"id": "check"}, "agents": [node]})
        return graph_of(written, found.registry, PATIENCE)
    except ConfigError as error:
        told = f"it needs options ({error.what}): give them as a sample"
        raise Skipped(told) from None


def played(
    found: Subject,
    agent: Thing,
    *,
    seed: int = 0,
    fails: bool = False,
    compiled: Graph | None = None,
) -> Run:
    """A run of it to its end. Raises `Skipped`, `OrkaError`."""
    compiled = compiled or graph(found, agent)
    store = found.registry.stores["memory"]()
    kinds = ("llm", "tool", "memory", "history")
    handlers: dict[str, Handler] = {each: Answers(each, found, seed, fails) for each in kinds}
    world = World(store, permitted(handlers, found.registry), clock)

    async def go(compiled: Graph) -> None:
        fact = started(compiled, RUN, found.samples.input)
        state = await Worker(world, compiled, RUN).start(fact)
        for _ in range(_QUESTIONS):
            if state.status != "waiting":
                return
            state = await Worker(world, compiled, RUN).resume(_people(state))

    run_virtual(go(compiled))
    return Run(RUN, store.read(RUN), store.blob)


def failure_code(run: Run) -> str:
    """The code that the agent's node failed with; "" if it did not."""
    failed = next((node.failure for node in run.nodes if node.failure), None)
    return failed.code if failed else ""


def told(run: Run) -> str:
    failed = next((node.failure for node in run.nodes if node.failure), None)
    return f"[{failed.code}] {failed.message}" if failed else run.status


def asks_the_clock(kind: AgentType) -> bool:
    """Whether its code reads the clock or draws lots: its value may differ then."""
    names = kind.function.__code__.co_names if hasattr(kind.function, "__code__") else ()
    return bool({"now", "random", "spent"} & set(names))


def _people(state: State) -> list[EffectAnswered]:
    return [
        EffectAnswered(
            at=round(clock(), 6), id=asked.id, attempt=asked.attempt, value={"approved": True}
        )
        for asked in state.pending.values()
        if asked.kind == "ask"
    ]


def _asks(kind: AgentType) -> bool:
    return "model" in kind.config.__struct_fields__
