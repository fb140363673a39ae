"""What agents cannot do to a run, and how a replay finds an agent that changed."""

from __future__ import annotations

import asyncio

import pytest

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.errors import Diverged
from orka.event.event import NodeFailed, Violation
from orka.run.replay import refold
from orka.testing.script import Refusal, Reply
from orka.value import Json
from run.room import RUN, Room, failure

REFUSED = Reply(error=Refusal(status=400))


@agent("const")
async def const(ctx: Context) -> Json:
    return {"v": ctx.node}


def test_awaiting_something_foreign_is_refused_by_name() -> None:
    @agent("cheat")
    async def cheat(ctx: Context) -> Json:
        await asyncio.sleep(0)
        return 1

    state = Room([cheat], [{"id": "a", "type": "cheat"}]).start()
    assert failure(state).code == "agent.foreign_await"
    assert "'a'" in failure(state).message


def test_an_agent_that_writes_into_what_it_is_given_changes_nothing() -> None:
    @agent("writes")
    async def writes(ctx: Context) -> Json:
        ctx.input["n"] += 1
        reply = await ctx.tool("t", n=ctx.input["n"])
        reply["n"] += 1
        ctx.outputs["first"]["v"] = "spoilt"
        return await ctx.tool("t", n=reply["n"])

    nodes = [{"id": "first", "type": "const"}, {"id": "a", "type": "writes"}]
    nodes += [{"id": "last", "type": "const"}]
    room = Room([const, writes], nodes, {"a": [{"n": 10}, REFUSED, "ok"]})
    room.start({"n": 1})
    assert room.resume().status == "completed"
    assert [e.payload["args"]["n"] for id in ("a#0", "a#1") for e in room.requests(id)] == [
        2,
        11,
        11,
    ]
    assert room.answers("a#0")[0].value == {"n": 10}
    assert room.events[0].input == {"n": 1}  # type: ignore[union-attr]  # RunStarted


@pytest.mark.parametrize("odd", [{"seconds": "soon"}, {"seconds": None}, {"seconds": True}])
def test_sleeping_for_no_number_fails_the_node(odd: dict[str, Json]) -> None:
    @agent("sleepy")
    async def sleepy(ctx: Context) -> Json:
        return await ctx.sleep(odd["seconds"])

    assert Room([sleepy], [{"id": "a", "type": "sleepy"}]).start().status == "failed"


def test_a_value_that_contains_itself_fails_the_node() -> None:
    @agent("circle")
    async def circle(ctx: Context) -> Json:
        value: list[Json] = []
        value.append(value)
        return value

    state = Room([circle], [{"id": "a", "type": "circle"}]).start()
    assert failure(state).code == "agent.not_json"


def test_asking_for_an_inner_workflow_that_is_none_fails_the_node() -> None:
    @agent("lost")
    async def lost(ctx: Context) -> Json:
        return await ctx.graph(["no", "name"], None)  # type: ignore[arg-type]  # on purpose

    assert Room([lost], [{"id": "a", "type": "lost"}]).start().status == "failed"


def test_a_violation_names_the_effect_it_is_about() -> None:
    @agent("reads")
    async def reads(ctx: Context) -> Json:
        await ctx.violation(effect="", where="$", message="nothing yet", raw="", schema="")
        await ctx.tool("t")
        await ctx.all(ctx.tool("t"))
        await ctx.violation(effect="", where="$", message="bad", raw="x", schema="s")
        return 1

    room = Room([reads], [{"id": "a", "type": "reads"}], {"a": [1, 2]})
    room.start()
    assert [e.effect for e in room.events if isinstance(e, Violation)] == ["", "a#0"]


# ---- replay


def test_a_replay_that_asks_otherwise_names_the_nearest_recorded_question() -> None:
    state = {"word": "first"}

    @agent("fickle")
    async def fickle(ctx: Context) -> Json:
        return await ctx.tool("t", text=f"a long question about the {state['word']} thing")

    room = Room([fickle], [{"id": "a", "type": "fickle"}], {"a": [1]})
    room.start()
    state["word"] = "second"
    with pytest.raises(Diverged) as raised:
        refold(room.graph, room.store.read(RUN), room.store.blob)
    assert raised.value.seq == 2
    assert "nearest recorded question is a#0" in str(raised.value)
    assert "first thing" in str(raised.value)


def test_an_agent_that_asks_otherwise_when_it_is_reopened_fails() -> None:
    # recorded, replayed, folded for the resume, reopened; and both again for the last replay
    numbers = iter([1, 1, 1, 2, 1, 2])

    @agent("counts")
    async def counts(ctx: Context) -> Json:
        return await ctx.tool("t", n=next(numbers))

    room = Room([counts], [{"id": "a", "type": "counts"}], {"a": [REFUSED, 1]})
    room.start()
    assert failure(room.resume()).code == "agent.nondeterministic"


def test_a_failure_is_recorded_without_the_place_of_the_file_it_was_read_from() -> None:
    nodes = [{"id": "a", "type": "const"}, {"id": "b", "type": "const", "when": "input.no > 1"}]
    room = Room([const], nodes)
    room.start({})
    failed = [e for e in room.events if isinstance(e, NodeFailed)]
    assert [e.failure.where for e in failed] == ["agent 'b'"]
