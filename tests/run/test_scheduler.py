"""How a run is decided, one rule at a time."""

from __future__ import annotations

import asyncio

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.engine.worker import Worker
from orka.errors import EffectFailed
from orka.event.event import (
    EffectAnswered,
    NodeFailed,
    NodeFinished,
    NodeReopened,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
)
from orka.testing.clock import START
from orka.testing.script import Refusal, Reply
from orka.value import Json
from run.room import RUN, Room, failure, flow, output

BUSY = Reply(error=Refusal(status=503))
REFUSED = Reply(error=Refusal(status=400))


class Inner(msgspec.Struct, frozen=True):
    body: dict[str, Json]


class Routes(msgspec.Struct, frozen=True):
    routes: dict[str, list[str]]


@agent("ask")
async def ask(ctx: Context) -> Json:
    return await ctx.tool("t", node=ctx.node)


@agent("three")
async def three(ctx: Context) -> Json:
    return [await ctx.tool("t", at=at) for at in range(3)]


@agent("const")
async def const(ctx: Context) -> Json:
    return {"v": ctx.node}


@agent("boom")
async def boom(ctx: Context) -> Json:
    raise ValueError("boom")


@agent("opens", config=Inner, shape=lambda config: Shape(inner={"body": "body"}))
async def opens(ctx: Context) -> Json:
    return await ctx.graph("body", {"from": ctx.node})


@agent("pick", config=Routes, shape=lambda config: Shape(routes=config.routes))
async def pick(ctx: Context) -> Json:
    return {"route": ctx.input}


AGENTS = (ask, three, const, boom, opens, pick)


# ---- retries


def test_a_retry_is_an_attempt_of_its_own_after_the_wait_the_node_names() -> None:
    node = {"id": "a", "type": "ask", "retries": 2, "backoff": {"initial": 1, "factor": 3}}
    room = Room(AGENTS, [node], {"a": [BUSY, BUSY, "ok"]})
    assert output(room.start()) == "ok"
    assert [(e.attempt, e.retried, e.wait) for e in room.requests("a#0")] == [
        (1, 0, 0.0),
        (2, 1, 1.0),
        (3, 2, 3.0),
    ]
    assert [e.at for e in room.answers("a#0")] == [START, START + 1, START + 4]


def test_a_refusal_is_not_retried() -> None:
    room = Room(AGENTS, [{"id": "a", "type": "ask", "retries": 5}], {"a": [REFUSED]})
    assert room.start().status == "failed"
    assert len(room.requests("a#0")) == 1


def test_the_last_failure_of_the_retries_is_the_runs_failure() -> None:
    room = Room(AGENTS, [{"id": "a", "type": "ask", "retries": 1}], {"a": [BUSY, BUSY]})
    state = room.start()
    assert (state.status, failure(state).effect) == ("failed", "a#0")


# ---- paths


def test_a_failed_node_leads_to_its_on_error_edge_and_the_run_goes_on() -> None:
    nodes = [
        {"id": "a", "type": "boom", "on_error": "rescue"},
        {"id": "b", "type": "const"},
        {"id": "rescue", "type": "const"},
    ]
    room = Room(AGENTS, nodes, agents=["a", "b"])
    state = room.start()
    assert (state.status, output(state)) == ("completed", {"v": "rescue"})
    assert room.told(NodeSkipped) == ["b"]


def test_a_join_never_waits_for_a_path_that_was_not_taken() -> None:
    nodes: list[dict[str, Json]] = [
        {"id": "r", "type": "pick", "routes": {"x": ["a", "b"], "y": ["c"]}},
        {"id": "a", "type": "const"},
        {"id": "b", "type": "const"},
        {"id": "c", "type": "const"},
        {"id": "end", "type": "const"},
    ]
    room = Room(AGENTS, nodes)
    assert output(room.start("y")) == {"v": "end"}
    assert room.told(NodeSkipped) == ["a", "b"]
    assert room.told(NodeFinished) == ["r", "c", "end"]


def test_a_condition_without_an_answer_fails_its_node_and_is_asked_again_on_resume() -> None:
    nodes = [{"id": "a", "type": "const"}, {"id": "b", "type": "const", "when": "input.no > 1"}]
    room = Room(AGENTS, nodes)
    assert room.start({}).status == "failed"
    state = room.resume()
    assert "input.no > 1" in failure(state).message
    assert room.told(NodeFailed) == ["b", "b"]
    assert room.told(NodeFinished) == ["a"]


# ---- cancellation, failure, resume


def test_a_cancelled_run_goes_on_where_it_was() -> None:
    nodes = [{"id": "a", "type": "three"}]
    room = Room(AGENTS, nodes, {"a": [1, Reply(value=2, delay=5), 2, 3]})

    def cue(worker: Worker) -> None:
        asyncio.get_running_loop().call_later(2, worker.cancel, "enough")

    assert room.start(cue=cue).status == "cancelled"
    assert room.told(NodeStopped) == ["a"]
    assert output(room.resume()) == [1, 2, 3]
    assert room.told(NodeReopened) == ["a"]
    assert [e.attempt for e in room.requests("a#0")] == [1]
    assert [e.attempt for e in room.requests("a#1")] == [1, 2]


def test_resuming_a_failed_run_asks_only_what_failed() -> None:
    nodes = [
        {"id": "a", "type": "ask"},
        {"id": "b", "type": "three"},
        {"id": "c", "type": "ask"},
    ]
    room = Room(AGENTS, nodes, {"a": ["A"], "b": [1, REFUSED, 2, 3], "c": ["C"]})
    assert room.start().status == "failed"
    assert room.resume().status == "completed"
    assert room.tools.counts == {"a": 1, "b": 4, "c": 1}
    assert room.told(NodeStarted) == ["a", "b", "c"]


def test_a_failed_scope_goes_on_inside_when_the_run_is_resumed() -> None:
    body = flow([{"id": "x", "type": "ask"}, {"id": "y", "type": "ask"}])
    room = Room(AGENTS, [{"id": "a", "type": "opens", "body": body}], {"x": [1], "y": [REFUSED, 2]})
    assert room.start().status == "failed"
    assert output(room.resume()) == 2
    assert room.tools.counts == {"x": 1, "y": 2}


def test_a_run_without_an_end_is_resumed_and_an_ended_one_is_left_alone() -> None:
    room = Room(AGENTS, [{"id": "a", "type": "const"}])
    room.start()
    lines = room.store.read(RUN)
    assert room.resume().status == "completed"
    assert room.store.read(RUN) == lines


def test_what_finished_after_a_node_started_is_not_seen_by_it_even_when_it_is_reopened() -> None:
    @agent("looks")
    async def looks(ctx: Context) -> Json:
        await ctx.tool("t", seen=list(ctx.outputs))
        return [list(ctx.outputs), await ctx.tool("t", seen=list(ctx.outputs))]

    nodes = [{"id": "a", "type": "looks"}, {"id": "b", "type": "const"}, {"id": "c", "type": "ask"}]
    script: dict[str, list[Reply | Json]] = {"a": [Reply(value=1, delay=1), REFUSED, 2], "c": [0]}
    room = Room([*AGENTS, looks], nodes, script, strategy="graph")
    assert room.start().status == "failed"
    assert output(room.resume())["a"] == [[], 2]


# ---- time


def test_an_effect_that_takes_too_long_fails_and_is_retried() -> None:
    node = {"id": "a", "type": "ask", "timeout": 2, "retries": 1, "backoff": {"initial": 0}}
    room = Room(AGENTS, [node], {"a": [Reply(delay=100), "ok"]})
    assert output(room.start()) == "ok"
    assert [e.error.code if e.error else "" for e in room.answers("a#0")] == ["timeout", ""]


def test_a_run_that_takes_too_long_fails_and_what_ran_is_stopped() -> None:
    room = Room(AGENTS, [{"id": "a", "type": "ask"}], {"a": [Reply(delay=100)]}, timeout=3)
    state = room.start()
    assert (state.status, failure(state).code) == ("failed", "timeout")
    assert room.told(NodeStopped) == ["a"]


def test_a_scope_that_takes_too_long_fails_its_opener_only() -> None:
    @agent("tries", config=Inner, shape=lambda config: Shape(inner={"body": "body"}))
    async def tries(ctx: Context) -> Json:
        try:
            return await ctx.graph("body", None)
        except EffectFailed as failed:
            return failed.code

    body = flow([{"id": "x", "type": "ask"}], timeout=1)
    room = Room(
        [*AGENTS, tries], [{"id": "a", "type": "tries", "body": body}], {"x": [Reply(delay=9)]}
    )
    assert output(room.start()) == "timeout"


def test_the_clock_an_agent_sees_is_the_clock_of_the_fact_that_woke_it() -> None:
    @agent("clock")
    async def tells(ctx: Context) -> Json:
        times = [ctx.now()]
        await ctx.sleep(2.5)
        times.append(ctx.now())
        await ctx.all(ctx.sleep(3), ctx.sleep(1))
        return [*times, ctx.now()]

    room = Room([tells], [{"id": "a", "type": "clock"}])
    assert output(room.start()) == [START, START + 2.5, START + 5.5]


def test_facts_never_run_backwards() -> None:
    room = Room(AGENTS, [{"id": "a", "type": "three"}], {"a": [1, Reply(value=2, delay=4), 3]})

    def cue(worker: Worker) -> None:
        asked = EffectAnswered(at=START - 100, id="a#1", attempt=1, value="early")
        asyncio.get_running_loop().call_later(2, worker.deliver, asked)

    room.start(cue=cue)
    assert [e.at for e in room.answers("a#1")] == [START]


# ---- several strands


def test_members_of_a_group_give_their_values_in_written_order() -> None:
    @agent("group")
    async def group(ctx: Context) -> Json:
        async def two(name: str) -> Json:
            return [await ctx.tool("t", n=name), await ctx.tool("t", n=name)]

        return await ctx.all(two("x"), ctx.sleep(1), two("y"))

    slow, quick = Reply(value="x1", delay=3), Reply(value="y1", delay=1)
    room = Room([group], [{"id": "a", "type": "group"}], {"a": [slow, quick, "y2", "x2"]})
    assert output(room.start()) == [["x1", "x2"], None, ["y1", "y2"]]
    assert len(room.requests("a#0.0.1")) == len(room.requests("a#0.2.1")) == 1


def test_the_first_failure_in_written_order_is_raised_when_all_members_have_ended() -> None:
    @agent("group")
    async def group(ctx: Context) -> Json:
        try:
            await ctx.all(ctx.tool("t"), ctx.tool("t"), ctx.sleep(9))
        except EffectFailed as failed:
            return [failed.what, ctx.now()]
        return None

    def late(text: str, delay: float) -> Reply:
        return Reply(error=Refusal(status=400, message=text), delay=delay)

    room = Room([group], [{"id": "a", "type": "group"}], {"a": [late("one", 2), late("two", 1)]})
    assert output(room.start()) == ["status 400: one", START + 9]


def test_a_settled_group_puts_failures_in_their_places() -> None:
    @agent("group")
    async def group(ctx: Context) -> Json:
        return await ctx.all(ctx.tool("t"), ctx.tool("t"), settle=True)

    room = Room([group], [{"id": "a", "type": "group"}], {"a": [REFUSED, "fine"]})
    failed, fine = output(room.start())
    assert (failed["error"]["code"], fine) == ("tool.failed", "fine")
