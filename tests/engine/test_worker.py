"""What a worker does when the world misbehaves: every failure is a fact, and nothing hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import pytest
from run.room import RUN, Room, failure, output

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.engine.outside import Audience
from orka.engine.worker import Worker, World
from orka.errors import HandlerError, RunBusy, RunNotFound, StoreError
from orka.event.event import CancelAsked, EffectAnswered, Event
from orka.kit.stores.memory import MemoryStore
from orka.port.handler import Answer
from orka.port.model import Call
from orka.testing.clock import START, clock, run_virtual
from orka.testing.replay import started
from orka.value import Json

Perform = Callable[[Json, Call], Awaitable[object]]


@agent("ask")
async def ask(ctx: Context) -> Json:
    return await ctx.tool("t", items=[1])


@agent("boom")
async def boom(ctx: Context) -> Json:
    await ctx.sleep(1)
    raise ValueError("boom")


def room(perform: Perform, **node: Json) -> Room:
    """A workflow of one question, performed by `perform`."""
    handlers: Mapping[str, object] = {"tool": perform}
    nodes = [{"id": "a", "type": "ask", **node}]
    return Room([ask], nodes, handlers=handlers)  # type: ignore[arg-type]  # some misbehave


# ---- handlers


async def circular(payload: Json, call: Call) -> Answer:
    value: list[Json] = []
    value.append(value)
    return Answer(value)


async def cancelled_inside(payload: Json, call: Call) -> Answer:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future
    return Answer(None)


async def no_answer(payload: Json, call: Call) -> Json:
    return {"text": "hello"}


async def deep(payload: Json, call: Call) -> Answer:
    value: Json = 1
    for _ in range(100_000):
        value = [value]
    return Answer(value)


@pytest.mark.parametrize("perform", [circular, cancelled_inside, no_answer, deep])
def test_a_handler_that_breaks_its_contract_fails_the_effect_and_nothing_hangs(
    perform: Perform,
) -> None:
    assert failure(room(perform).start()).effect == "a#0"


def test_a_handler_that_cancels_itself_under_a_timeout_fails_the_effect() -> None:
    assert failure(room(cancelled_inside, timeout=5).start()).effect == "a#0"


def test_an_effect_that_nobody_performs_fails_by_name() -> None:
    @agent("asks")
    async def asks(ctx: Context) -> Json:
        return await ctx.llm("?", model="m")

    lost = Room([asks], [{"id": "a", "type": "asks"}])
    del lost.handlers["llm"]
    assert "'llm'" in failure(lost.start()).message


def test_what_a_handler_does_to_its_arguments_is_not_seen_by_the_retry() -> None:
    seen: list[Json] = []

    async def spoils(payload: Json, call: Call) -> Answer:
        seen.append(list(payload["args"]["items"]))
        payload["args"]["items"].append("spoilt")
        if call.attempt == 1:
            raise HandlerError("again")
        return Answer("ok")

    spoilt = room(spoils, retries=1)
    assert output(spoilt.start()) == "ok"
    assert seen == [[1], [1]]


def test_a_value_that_is_no_json_becomes_json_and_says_so() -> None:
    async def odd(payload: Json, call: Call) -> Answer:
        return Answer({"pair": (1, 2), 5: float("nan")})

    oddly = room(odd)
    assert output(oddly.start()) == {"pair": [1, 2], "5": None}
    assert len(oddly.answers("a#0")[0].notes) == 2


# ---- time


def test_the_clock_of_the_trace_never_runs_backwards() -> None:
    times = iter([START, START + 10, START + 3, START + 2, START + 1])

    async def driven(store: MemoryStore) -> None:
        graph = room(answers).graph
        world = World(store, {"tool": answers}, lambda: next(times, START))
        await Worker(world, graph, RUN).start(started(graph, RUN, None))

    async def answers(payload: Json, call: Call) -> Answer:
        return Answer("ok")

    watched = room(answers)
    run_virtual(driven(watched.store))
    facts = [event.at for event in watched.events if hasattr(event, "at")]
    assert facts == sorted(facts)


# ---- stopping


def test_what_is_stopped_has_ended_before_the_run_is_over() -> None:
    ended: list[str] = []

    async def slow(payload: Json, call: Call) -> Answer:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(2)
            ended.append(call.effect)
        return Answer("late")

    nodes = [{"id": "a", "type": "ask"}, {"id": "b", "type": "boom"}]
    stopped = Room([ask, boom], nodes, handlers={"tool": slow}, strategy="graph")
    assert stopped.start().status == "failed"
    assert ended == ["a#0"]


def test_a_cancelled_driver_records_the_cancellation_and_is_resumed() -> None:
    async def slow(payload: Json, call: Call) -> Answer:
        await asyncio.sleep(60)
        return Answer("at last")

    broken = room(slow)

    async def driven() -> None:
        worker = Worker(World(broken.store, broken.handlers, clock), broken.graph, RUN)
        task = asyncio.ensure_future(worker.start(started(broken.graph, RUN, None)))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_virtual(driven())
    assert [type(event) for event in broken.events].count(CancelAsked) == 1
    assert output(broken.resume()) == "at last"


def test_a_late_or_foreign_answer_changes_nothing() -> None:
    async def slow(payload: Json, call: Call) -> Answer:
        await asyncio.sleep(5)
        return Answer("mine")

    def cue(worker: Worker) -> None:
        loop = asyncio.get_running_loop()
        for at, id, attempt in ((1, "nobody#0", 1), (2, "a#0", 2), (6, "a#0", 1)):
            fact = EffectAnswered(at=clock(), id=id, attempt=attempt, value="foreign")
            loop.call_later(at, worker.deliver, fact)

    patient = room(slow)
    assert output(patient.start(cue=cue)) == "mine"
    assert len(patient.answers("a#0")) == 1


# ---- the store


class Full(MemoryStore):
    """A store that cannot write any more after `room` events."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        if expected + len(lines) > self._room:
            raise StoreError("the disk is full")
        await super().append(run, expected, lines, blobs)


def test_nothing_is_done_that_could_not_be_recorded_first() -> None:
    asked: list[str] = []

    async def counts(payload: Json, call: Call) -> Answer:
        asked.append(call.effect)
        return Answer("ok")

    full = room(counts)
    full.store = Full(2)
    with pytest.raises(StoreError, match="full"):
        full.start()
    assert not asked


def test_a_run_is_driven_by_one_worker_at_a_time() -> None:
    async def slow(payload: Json, call: Call) -> Answer:
        await asyncio.sleep(5)
        return Answer("ok")

    busy = room(slow)

    async def driven() -> None:
        world = World(busy.store, busy.handlers, clock)
        first = asyncio.ensure_future(
            Worker(world, busy.graph, RUN).start(started(busy.graph, RUN, None))
        )
        await asyncio.sleep(1)
        with pytest.raises(RunBusy):
            await Worker(world, busy.graph, RUN).resume()
        await first

    run_virtual(driven())


def test_a_run_that_is_not_there_cannot_be_resumed() -> None:
    async def nothing(payload: Json, call: Call) -> Answer:
        return Answer(None)

    with pytest.raises(RunNotFound):
        room(nothing).resume()


class Notes:
    """A watcher that writes down what it saw."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, Event]] = []

    def event(self, run: str, seq: int, event: Event) -> None:
        self.seen.append((seq, event))

    def text(self, run: str, effect: str, piece: str) -> None:
        raise AssertionError("nothing streams here")


def test_a_watcher_sees_each_event_once_in_order_after_it_was_stored() -> None:
    async def answers(payload: Json, call: Call) -> Answer:
        return Answer("ok")

    watched, notes = room(answers), Notes()

    async def driven() -> None:
        world = World(watched.store, watched.handlers, clock, audience=Audience([notes]))
        await Worker(world, watched.graph, RUN).start(started(watched.graph, RUN, None))

    run_virtual(driven())
    assert [seq for seq, _ in notes.seen] == list(range(len(watched.events)))
    assert [event for _, event in notes.seen] == watched.events
