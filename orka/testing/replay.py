"""Runs of random graphs: recorded with seeded handlers in virtual time, and replayed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from orka.engine.worker import Worker, World
from orka.errors import HandlerError, OrkaError
from orka.event.codec import verify
from orka.event.event import EffectAnswered, RunStarted
from orka.graph.graph import Graph
from orka.port.handler import Answer, Handler
from orka.port.model import Call
from orka.port.store import Store
from orka.run.replay import Blob, refold
from orka.run.scheduler import RULES
from orka.run.scope import Asked
from orka.run.state import State
from orka.testing.clock import clock
from orka.testing.graphs import random_graph, random_input
from orka.value import Json


@dataclass
class SeededHandler:
    """Answers and fails as its seed says for each effect and attempt, whoever asks when.

    `calls` are the (effect, attempt) pairs it performed to the end or began to.
    """

    seed: int
    calls: list[tuple[str, int]] = field(default_factory=list)

    async def __call__(self, payload: Json, call: Call) -> Answer:
        self.calls.append((call.effect, call.attempt))
        payload["spoilt"] = "by its handler"
        rng = random.Random(f"{self.seed}/{call.effect}/{call.attempt}")
        delay = rng.choice([0.0, 0.0, rng.uniform(0, 0.5), rng.uniform(0, 3), 1.0])
        if delay:
            await asyncio.sleep(delay)
        return Answer(_answer(rng))


def _answer(rng: random.Random) -> object:
    draw = rng.random()
    if draw < 0.08:
        raise HandlerError("busy", code="model.busy")
    if draw < 0.10:
        raise HandlerError("refused", code="model.refused", retryable=False)
    if draw < 0.11:
        raise TimeoutError("the handler's own")
    if draw < 0.12:
        raise RuntimeError("a stranger's")
    if draw < 0.22:
        return {"text": "x" * 9000, "more": ["y" * 3000] * 3}
    if draw < 0.27:
        return {"pair": (1, rng.random()), "nan": float("nan"), "$blob": "a user's own"}
    return {"text": f"answer {rng.randint(0, 10**9)}", "score": rng.random()}


@dataclass(frozen=True)
class Recorded:
    """One run of the graph of `seed`, as far as it came."""

    seed: int
    graph: Graph
    run: str
    state: State
    handler: SeededHandler


def started(graph: Graph, run: str, input: Json) -> RunStarted:
    """The fact that begins a run now, in virtual time."""
    return RunStarted(
        at=round(clock(), 6),
        run=run,
        workflow=graph.id,
        graph=graph.digest,
        input=input,
        rules=RULES,
        components=graph.components,
    )


async def record(seed: int, store: Store, graph: Graph | None = None) -> Recorded:
    """Run the graph of `seed` (or another one) in virtual time, with what may happen to a run: it
    is cancelled, it waits for a person, who may come too late, it fails and is resumed."""
    graph, run, handler = graph or random_graph(seed), f"seed-{seed}", SeededHandler(seed)
    world = World(store, _kinds(handler), clock)
    worker = Worker(world, graph, run)
    rng = random.Random(f"drive/{seed}")
    driving = asyncio.ensure_future(worker.start(started(graph, run, random_input(seed))))
    await _disturbed(rng, worker, driving)
    state = worker.state
    for again in range(3):
        if state.status != "waiting" and (not state.end or rng.random() < 0.5):
            break
        resumed = Worker(World(store, _kinds(SeededHandler(seed + again)), clock), graph, run)
        state = await resumed.resume(_people(state, rng))
    while state.status == "waiting":
        if random.Random(f"late/{seed}/{len(state.effects)}").random() < 0.2 and state.deadlines:
            await asyncio.sleep(25)
        state = await Worker(world, graph, run).resume(_people(state, rng))
    return Recorded(seed, graph, run, state, handler)


async def resume(
    graph: Graph, run: str, store: Store, handler: SeededHandler, seed: int = 0
) -> State:
    """Take a run up and drive it to its end, answering for people."""
    rng, world = random.Random(f"resume/{seed}"), World(store, _kinds(handler), clock)
    state = await Worker(world, graph, run).resume()
    while state.status == "waiting":
        state = await Worker(world, graph, run).resume(_people(state, rng))
    return state


async def _disturbed(rng: random.Random, worker: Worker, driving: Awaitable[State]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(driving)
    if rng.random() < 0.15:
        loop.call_later(rng.uniform(0, 8), worker.cancel, "somebody asked")
    if rng.random() < 0.05:
        loop.call_later(rng.uniform(0, 8), task.cancel)
    with suppress(asyncio.CancelledError):
        await task


def _kinds(handler: Handler) -> Mapping[str, Handler]:
    return {"llm": handler, "tool": handler, "memory": handler}


def _people(state: State, rng: random.Random) -> list[EffectAnswered]:
    """Answers to all questions that people have not answered yet."""
    return [
        EffectAnswered(
            at=round(clock(), 6), id=asked.id, attempt=asked.attempt, value=_said(asked, rng)
        )
        for asked in state.pending.values()
        if asked.kind == "ask"
    ]


def _said(asked: Asked, rng: random.Random) -> Json:
    payload = asked.payload
    if "seal" not in payload:
        return rng.choice(["yes", 7])
    by = payload.get("approvers", ["ada"])[0]
    return {"approved": rng.random() < 0.8, "by": by, "seal": payload["seal"]}


def check_replay(graph: Graph, lines: Sequence[bytes], blob: Blob, run: str = "") -> list[str]:
    """Complaints: what is wrong with the chain, or the first decision made differently."""
    try:
        verify(lines, run)
        folded = refold(graph, lines, blob)
        folded.scheduler.close()
    except OrkaError as error:
        return [str(error)]
    if folded.unwritten:
        return [f"{len(folded.unwritten)} decisions follow that were not recorded"]
    return []
