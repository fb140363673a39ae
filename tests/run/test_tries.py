"""What succeeded in one try of a node is not asked again in a later one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec
import pytest

import orka
from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.cli.node import node_text
from orka.cli.show import run_text
from orka.engine.worker import Worker, World
from orka.errors import EffectFailed
from orka.event.event import EffectAnswered, EffectRequested
from orka.port.model import Usage
from orka.run.fork import Recording
from orka.testing.clock import START, clock, run_virtual
from orka.testing.replay import check_replay, started
from orka.testing.script import Refusal, Reply
from orka.testing.script import Script as script_of
from orka.testing.scripted import ScriptedModel
from orka.testing.soundness import complaints
from orka.testing.trace import blobs_of
from orka.value import Json
from run.room import RUN, Room, failure, flow, output

REFUSED = Reply(error=Refusal(status=400))
Script = Mapping[str, list[Reply | Json]]


class Paths(msgspec.Struct, frozen=True):
    """Each of `paths` is a try; its agents are those of `body`, by name of the workflow."""

    paths: list[list[str]]
    one: dict[str, Json]
    two: dict[str, Json] | None = None
    same: bool = False
    together: bool = False


def _shape(config: Paths) -> Shape:
    return Shape(inner={"one": "one"} | ({"two": "two"} if config.two else {}))


@agent("tries", config=Paths, shape=_shape)
async def tries(ctx: Context) -> Json:
    """Open the workflows of one path after another until all of one do well. The input may name
    other paths."""
    paths = ctx.input if isinstance(ctx.input, list) else ctx.config.paths
    for at, path in enumerate(paths, 1):
        number = 1 if ctx.config.same else at
        try:
            if ctx.config.together:
                return await ctx.all(*[ctx.graph(name, "x", once=number) for name in path])
            return [await ctx.graph(name, "x", once=number) for name in path]
        except EffectFailed:
            if at == len(paths):
                raise
    return None


@agent("buy")
async def buy(ctx: Context) -> Json:
    """The same question twice."""
    return [await ctx.tool("pay", for_="shoes"), await ctx.tool("pay", for_="shoes")]


@agent("once")
async def once(ctx: Context) -> Json:
    return await ctx.tool("pay", for_="a hat")


@agent("person")
async def person(ctx: Context) -> Json:
    return await ctx.ask("May I?")


@agent("dice")
async def dice(ctx: Context) -> Json:
    return await ctx.random()


@agent("sure")
async def sure(ctx: Context) -> Json:
    return await ctx.tool("check", node=ctx.node)


AGENTS = (tries, buy, once, person, dice, sure)


def body(*kinds: str) -> dict[str, Json]:
    return flow([{"id": f"{kind}_{at}", "type": kind} for at, kind in enumerate(kinds)])


def room(
    paths: list[list[str]], one: Json, two: Json = None, script: Script | None = None, **more: Json
) -> Room:
    node = {"id": "a", "type": "tries", "paths": paths, "one": one, **more}
    return Room(AGENTS, [node | ({"two": two} if two else {})], script)


def performed(run: Room) -> dict[str, int]:
    return run.tools.counts


def borrowed(run: Room) -> dict[str, str]:
    """Effects that an earlier try answered: by whom."""
    asked = [e for e in run.events if isinstance(e, EffectRequested)]
    return {e.id: e.answer for e in asked if e.answer}


def test_a_try_is_given_what_succeeded_before_and_asks_the_rest() -> None:
    script: Script = {"once_0": ["paid"], "sure_1": [REFUSED, "fine"]}
    run = room([["one"], ["one"]], body("once", "sure"), script=script)
    assert output(run.start()) == ["fine"]
    assert performed(run) == {"once_0": 1, "sure_1": 2}
    assert borrowed(run) == {"a#1/once_0#0": "a#0/once_0#0"}


def test_a_question_asked_twice_in_one_try_is_performed_twice_and_given_twice() -> None:
    script: Script = {"buy_0": [1, 2], "sure_1": [REFUSED, "fine"]}
    run = room([["one"], ["one"]], body("buy", "sure"), script=script)
    assert output(run.start()) == ["fine"]
    assert performed(run) == {"buy_0": 2, "sure_1": 2}
    assert borrowed(run) == {"a#1/buy_0#0": "a#0/buy_0#0", "a#1/buy_0#1": "a#0/buy_0#1"}


def test_what_is_asked_more_often_than_before_is_asked_for_the_rest() -> None:
    script: Script = {"buy_0": [1, REFUSED, 3]}
    run = room([["one"], ["one"]], body("buy"), script=script)
    assert output(run.start()) == [[1, 3]]
    assert borrowed(run) == {"a#1/buy_0#0": "a#0/buy_0#0"}


def test_an_answer_is_given_once_in_each_try_and_to_whatever_agent_asks() -> None:
    script: Script = {"once_0": ["paid"], "sure_1": [REFUSED, REFUSED], "buy_0": [1, 2]}
    one, two = body("once", "sure"), body("once")
    run = room([["one"], ["one"], ["two"]], one, two, script)
    assert output(run.start()) == ["paid"]
    assert borrowed(run) == {
        "a#1/once_0#0": "a#0/once_0#0",
        "a#2/once_0#0": "a#0/once_0#0",
    }


def test_within_one_try_nothing_is_shared() -> None:
    run = room([["one", "two"]], body("once"), body("once"), {"once_0": [1, 2]})
    assert output(run.start()) == [1, 2]
    run = room([["one"], ["one"]], body("once", "sure"), same=True,
               script={"once_0": [1, 2], "sure_1": [REFUSED, "fine"]})  # fmt: skip
    assert output(run.start()) == ["fine"]
    assert performed(run) == {"once_0": 2, "sure_1": 2}


def test_members_of_a_group_share_in_the_order_they_ask() -> None:
    slow = Reply(value="slow", delay=2)
    script: Script = {"once_0": [slow, "quick"], "sure_1": [REFUSED, REFUSED, "x", "y"]}
    one = body("once", "sure")
    run = room([["one", "two"], ["one", "two"]], one, one, script, together=True)
    assert output(run.start()) == ["x", "y"]
    # The quick answer came first, so whoever asks first gets it.
    assert borrowed(run) == {
        "a#1.0.0/once_0#0": "a#0.1.0/once_0#0",
        "a#1.1.0/once_0#0": "a#0.0.0/once_0#0",
    }


def test_a_persons_answer_is_kept_and_a_random_number_is_not() -> None:
    run = room([["one"], ["one"]], body("person", "dice", "sure"),
               script={"sure_2": [REFUSED, "fine"]})  # fmt: skip
    assert run.start().status == "waiting"
    answer = EffectAnswered(at=START + 1, id="a#0/person_0#0", value="yes")
    assert output(run.resume(answer)) == ["fine"]
    assert borrowed(run) == {"a#1/person_0#0": "a#0/person_0#0"}


def test_tries_within_a_try_are_given_what_the_outer_tries_know() -> None:
    inner = {"id": "b", "type": "tries", "paths": [["one"], ["one"]], "one": body("once", "sure")}
    script: Script = {"once_0": ["paid"], "sure_1": [REFUSED, REFUSED, REFUSED, "fine"]}
    run = room([["one"], ["one"]], flow([inner]), script=script)
    assert output(run.start()) == [["fine"]]
    assert performed(run) == {"once_0": 1, "sure_1": 4}
    first = "a#0/b#0/once_0#0"
    assert borrowed(run) == {
        "a#0/b#1/once_0#0": first,
        "a#1/b#0/once_0#0": first,
        "a#1/b#1/once_0#0": first,
    }


def test_without_once_the_same_question_is_asked_again() -> None:
    @agent("twice", config=Paths, shape=_shape)
    async def twice(ctx: Context) -> Json:
        return [await ctx.graph("one", "x"), await ctx.graph("one", "x", once=1)]

    nodes = [{"id": "a", "type": "twice", "paths": [], "one": body("once")}]
    run = Room([*AGENTS, twice], nodes, {"once_0": [1, 2]})
    assert output(run.start()) == [1, 2]
    assert not borrowed(run)


@pytest.mark.parametrize("number", [-1, True, 1.0, "1"])
def test_a_try_has_a_number_from_1(number: int) -> None:
    @agent("odd", config=Paths, shape=_shape)
    async def odd(ctx: Context) -> Json:
        return await ctx.graph("one", "x", once=number)

    nodes = [{"id": "a", "type": "odd", "paths": [], "one": body("once")}]
    state = Room([*AGENTS, odd], nodes).start()
    assert failure(state).code == "agent.contract"
    assert "once=" in failure(state).message


# ---- crash, resume, fork


def test_a_failed_run_that_is_resumed_keeps_what_every_try_has() -> None:
    script: Script = {"once_0": ["paid"], "sure_1": [REFUSED, REFUSED, "fine"]}
    run = room([["one"], ["one"]], body("once", "sure"), script=script)
    state = run.start()
    assert state.status == "failed"
    assert output(run.resume()) == ["fine"]
    assert performed(run) == {"once_0": 1, "sure_1": 3}


def test_a_cancelled_try_goes_on_with_the_answers_it_was_given() -> None:
    slow = Reply(value="late", delay=9)
    script: Script = {"buy_0": [1, 2], "sure_1": [REFUSED, slow, "fine"]}
    run = room([["one"], ["one"]], body("buy", "sure"), script=script)

    def cue(worker: Worker) -> None:
        asyncio.get_running_loop().call_later(2, worker.cancel, "enough")

    assert run.start(cue=cue).status == "cancelled"
    assert output(run.resume()) == ["fine"]
    assert performed(run) == {"buy_0": 2, "sure_1": 3}


def test_a_run_cut_at_any_event_is_given_the_same_answers() -> None:
    script: Script = {"buy_0": [1, 2], "sure_1": [REFUSED, "fine"]}
    whole = room([["one"], ["one"]], body("buy", "sure"), script=script)
    whole.start()
    lines = whole.store.read(RUN)
    for cut in range(1, len(lines)):
        cold = room([["one"], ["one"]], body("buy", "sure"), script={
            "buy_0": [1, 2], "sure_1": [REFUSED, "fine"],
        })  # fmt: skip
        answered = sum(b'"effect_answered"' in line for line in lines[:cut])
        for name in ["buy_0", "buy_0", "sure_1", "sure_1"][:answered]:
            cold.tools.script.take(name)
        kept = blobs_of(lines[:cut], whole.store.blob)
        run_virtual(cold.store.append(RUN, 0, lines[:cut], kept))
        assert output(cold.resume()) == ["fine"]
        assert sum(performed(cold).values()) == 4 - answered
        assert list(borrowed(cold)) == list(borrowed(whole))


def forked(run: Room, script: Script, paths: Json = None, before: int | None = None) -> Room:
    """The run again, with the answers of the old one."""
    new = Room(AGENTS, [{"id": "a", "type": "dice"}], script)
    new.graph = run.graph
    recording = Recording(RUN, run.events, nodes=run.graph.index, before=before)

    async def driven() -> None:
        world = World(new.store, new.handlers, clock)
        await Worker(world, new.graph, RUN, recording).start(started(new.graph, RUN, paths))

    run_virtual(driven())
    lines = new.store.read(RUN)
    assert not complaints(new.graph, lines, new.store.blob)
    assert not check_replay(new.graph, lines, new.store.blob)
    return new


def test_a_fork_is_given_the_answers_and_shares_them_itself() -> None:
    script: Script = {"once_0": ["paid"], "sure_1": [REFUSED, "fine"]}
    run = room([["one"], ["one"]], body("once", "sure"), script=script)
    run.start()
    new = forked(run, {"sure_1": [REFUSED]})  # a failure is never given again
    assert borrowed(new) == borrowed(run)
    assert performed(new) == {"sure_1": 1}


def test_a_fork_whose_first_try_asks_something_else_is_given_what_the_old_one_knew() -> None:
    script: Script = {"once_0": ["paid"], "sure_1": [REFUSED, "fine"]}
    run = room([["one"], ["one"]], body("once", "sure"), body("sure"), script)
    run.start()
    other = [["two"], ["one"]]
    new = forked(run, {"sure_0": [REFUSED]}, other)
    assert not borrowed(new)
    assert performed(new) == {"sure_0": 1}
    asked = next(at for at, e in enumerate(run.events) if isinstance(e, EffectRequested))
    new = forked(run, {"sure_0": [REFUSED], "once_0": ["again"], "sure_1": ["x"]}, other, asked)
    assert performed(new) == {"sure_0": 1, "once_0": 1, "sure_1": 1}


# ---- how it is shown


def test_what_is_given_again_costs_nothing_and_is_shown_as_reused() -> None:
    @agent("says")
    async def says(ctx: Context) -> Json:
        reply = await ctx.llm("Well?", model="scripted/m", params={"for": ctx.node})
        return {"text": reply["text"], "took": ctx.spent()["tokens"]}

    one = body("says", "says")
    node = {"id": "a", "type": "tries", "paths": [["one"], ["one"]], "one": one}
    usage = Usage(prompt_tokens=5, completion_tokens=2)
    hello, yes = Reply(text="hello", usage=usage), Reply(text="yes", usage=usage)
    told: Script = {"says_0": [hello], "says_1": [REFUSED, yes]}
    models = {"scripted": ScriptedModel(script_of(told))}
    run = orka.run_sync(flow([node]), use=[tries, says], models=models, store=":memory:")
    assert run.output == [{"text": "yes", "took": 7}]
    again = next(node for node in run.nodes if node.path == "a#1/says_0")
    (attempt,) = again.attempts
    assert attempt.reused and attempt.value["text"] == "hello" and not attempt.spent
    assert attempt.answered_at == attempt.asked_at
    assert again.value == {"text": "hello", "took": 0}
    assert (run.totals.calls, run.totals.prompt_tokens) == (3, 10)
    assert "1 reused" in run_text(run, run.status)
    assert "reused" in node_text(run, "a#1/says_0")
