"""`history` effects: what the recorded runs of a workflow say, on real stores."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

import orka
from orka.agent.agent import Shape
from orka.engine.history import HistoryHandler
from orka.engine.prices import Price, Prices
from orka.errors import EffectFailed, HandlerError, StoreCorrupt
from orka.event.codec import Chain
from orka.event.event import NodeSkipped, RunFinished
from orka.kit.stores.memory import MemoryStore
from orka.port.model import Call, Usage
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Refusal, Reply, Script, ScriptedModel
from orka.value import Json

T = TypeVar("T")
PRICES = Prices("EUR", {"scripted/*": Price(prompt=1000.0, completion=2000.0)})
Flow = Mapping[str, Json]


@orka.agent("looks")
async def looks(ctx: orka.Context) -> Json:
    """Asks the history for what the input names."""
    return await ctx.history(**ctx.input["history"])


@orka.agent("walks", shape=lambda options: Shape(pool=True))
async def walks(ctx: orka.Context) -> Json:
    """Runs the paths of its input until one succeeds, and notes each."""
    about = {name: ctx.input.get(name, "") for name in ("tenant", "domain")}
    for at, path in enumerate(ctx.input["paths"], 1):
        ok = True
        try:
            for id in path:
                await ctx.graph(id, ctx.input, once=at)
        except EffectFailed:
            ok = False
        await ctx.note("path_tried", "one more", {"path": path, "ok": ok, **about})
        if ok:
            break
    return None


@orka.agent("decides")
async def decides(ctx: orka.Context) -> Json:
    """Records that the path of its input is taken."""
    path = ctx.input["path"]
    candidates = [{"id": "best", "path": path, "factors": {}}]
    outcome = {"decision": "commit_path", "status": "decided", "chosen": "best"}
    context = {"tenant": ctx.input.get("tenant"), "question": "what?"}
    await ctx.decided({"outcome": outcome, "candidates": candidates, "context": context})
    return {"decision": "commit_path", "path": path}


@orka.agent("signs")
async def signs(ctx: orka.Context) -> Json:
    """Sleeps, asks a person, and sleeps."""
    await ctx.sleep(2)
    said = await ctx.ask("yes?")
    await ctx.sleep(3)
    return said


def flow(*order: str, model: str = "scripted/one", id: str = "flow", **more: Json) -> Flow:
    llm = {"type": "llm", "model": model, "prompt": "p"}
    return {
        "orchestrator": {"id": id, "agents": list(order)},
        "agents": [
            {"id": "a", **llm, **more},
            {"id": "b", **llm},
            {"id": "c", **llm},
            {"id": "look", "type": "looks"},
            {"id": "walk", "type": "walks"},
            {"id": "sign", "type": "signs"},
            {"id": "decide", "type": "decides"},
            {"id": "execute", "type": "path_executor", "path_source": "decide"},
        ],
    }


def reply(delay: float = 1.0, prompt: int = 10, completion: int = 5) -> Reply:
    usage = Usage(prompt_tokens=prompt, completion_tokens=completion)
    return Reply(text="x", delay=delay, usage=usage)


FAILURE = Reply(error=Refusal(status=400), delay=9)
Do = Callable[[orka.Runtime], Awaitable[T]]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return ":memory:" if request.param == "memory" else str(tmp_path / "store")


def within(do: Do[T], store: str | MemoryStore = ":memory:", **replies: list[Reply]) -> T:
    """Do it with a runtime whose models answer so."""

    async def go() -> T:
        async with orka.Runtime(
            store=store,
            models={"scripted": ScriptedModel(Script(replies))},
            prices=PRICES,
            use=[looks, walks, decides, signs],
            clock=clock,
        ) as runtime:
            return await do(runtime)

    return run_virtual(go())


async def asked(runtime: orka.Runtime, flow_id: str = "flow", **about: Json) -> Json:
    """The answer of the history, in a run that replays."""
    run = await runtime.run(flow("look", id=flow_id), {"history": {"agents": ["a"], **about}})
    assert run.status == "completed", run.failure
    assert runtime.replay(run.id)
    return run.output


def test_three_runs_give_quantiles_of_what_really_ran(store: str) -> None:
    async def do(runtime: orka.Runtime) -> Json:
        for _ in range(3):
            await runtime.run(flow("a"))
        await runtime.run(flow("a", id="another"))
        return await asked(runtime, agents=["a", "b"])

    replies = [reply(1, 10, 5), reply(4, 20, 5), reply(2, 30, 5), reply(100)]
    found = within(do, store, a=replies)
    assert found == {
        "runs": 3,
        "agents": {
            "a": {
                "model": "scripted/one",
                "samples": 3,
                "seconds": {"p50": 2.0, "p90": 4.0},
                "cost": {"p50": 0.03, "p90": 0.04, "known": 3},
                "tokens": {"p50": 25, "p90": 35, "known": 3},
            }
        },
        "paths": {},
        "currency": "EUR",
        "prices": {"scripted/*": {"prompt": 1000.0, "completion": 2000.0, "cached": None}},
        "unreadable": [],
    }


def test_only_the_last_runs_that_ended_are_looked_at(store: str) -> None:
    async def do(runtime: orka.Runtime) -> Json:
        for _ in range(3):
            await runtime.run(flow("a"))
        await runtime.run(flow("a", "sign"))
        return await asked(runtime, runs=2)

    found = within(do, store, a=[reply(9), reply(1), reply(2), reply(50)])
    assert found["runs"] == 2
    assert found["agents"]["a"]["seconds"] == {"p50": 1.0, "p90": 2.0}


def test_a_run_that_never_ended_and_an_agent_that_never_ran_have_no_entry(store: str) -> None:
    found = within(lambda runtime: asked(runtime, agents=["a", "nobody"]), store)
    assert (found["runs"], found["agents"]) == (0, {})


def test_runs_that_asked_another_model_than_the_newest_are_left_out() -> None:
    async def do(runtime: orka.Runtime) -> Json:
        await runtime.run(flow("a", model="scripted/old"))
        await runtime.run(flow("a", model="scripted/new"))
        await runtime.run(flow("a", model="scripted/new"))
        return await asked(runtime)

    found = within(do, a=[reply(50), reply(1), reply(2)])["agents"]["a"]
    assert (found["model"], found["samples"], found["seconds"]["p90"]) == ("scripted/new", 2, 2.0)


def test_a_new_model_that_only_failed_leaves_nothing_of_the_old_one() -> None:
    async def do(runtime: orka.Runtime) -> Json:
        await runtime.run(flow("a", model="scripted/old"))
        await runtime.run(flow("a", model="scripted/new"))
        return await asked(runtime)

    assert within(do, a=[reply(1), FAILURE])["agents"] == {}


def test_a_failed_node_does_not_count_and_a_retried_one_has_an_unknown_cost() -> None:
    async def do(runtime: orka.Runtime) -> Json:
        await runtime.run(flow("a"))
        await runtime.run(flow("a"))
        await runtime.run(flow("a", retries=1, backoff={"initial": 1}))
        return await asked(runtime)

    busy = Reply(error=Refusal(status=500), delay=9)
    found = within(do, a=[FAILURE, reply(1), busy, reply(1)])
    assert found["runs"] == 3
    assert found["agents"]["a"]["samples"] == 2
    assert found["agents"]["a"]["seconds"]["p50"] == 1.0
    assert found["agents"]["a"]["seconds"]["p90"] >= 11.0
    assert found["agents"]["a"]["cost"] == {"p50": 0.02, "p90": 0.02, "known": 1}


def test_answers_that_a_fork_took_over_count_for_nothing(store: str) -> None:
    async def do(runtime: orka.Runtime) -> Json:
        old = await runtime.run(flow("a", "b"))
        await runtime.fork(old.id, at="b")
        return await asked(runtime, agents=["a", "b"])

    found = within(do, store, a=[reply(1)], b=[reply(1), reply(3)])
    assert found["runs"] == 2
    assert {id: each["samples"] for id, each in found["agents"].items()} == {"a": 1, "b": 2}


def test_the_time_in_which_a_person_thinks_or_nobody_drives_the_run_does_not_count(
    store: str,
) -> None:
    async def do(runtime: orka.Runtime) -> Json:
        run = await runtime.run(flow("sign"))
        await asyncio.sleep(1_000)
        await runtime.answer(run.id, "sign", "yes")
        return await asked(runtime, agents=["sign"])

    found = within(do, store)["agents"]["sign"]
    assert found["seconds"] == {"p50": 5.0, "p90": 5.0}
    assert (found["model"], found["cost"]["p90"]) == ("", 0.0)


def test_a_node_that_went_on_after_a_failure_took_the_time_of_both(store: str) -> None:
    async def do(runtime: orka.Runtime) -> Json:
        run = await runtime.run(flow("a"))
        assert run.status == "failed"
        await asyncio.sleep(1_000)
        await runtime.resume(run.id)
        return await asked(runtime)

    found = within(do, store, a=[FAILURE, reply(1)])["agents"]["a"]
    assert found["seconds"] == {"p50": 10.0, "p90": 10.0}


def test_a_node_takes_what_its_inner_workflows_take() -> None:
    async def do(runtime: orka.Runtime) -> Json:
        await runtime.run(flow("walk"), {"paths": [["a", "b"]]})
        return await asked(runtime, agents=["walk", "a"])

    found = within(do, a=[reply(1)], b=[reply(3)])["agents"]
    assert found["walk"]["seconds"]["p50"] == 4.0
    assert found["walk"]["cost"] == {"p50": 0.04, "p90": 0.04, "known": 1}
    assert found["a"]["seconds"]["p50"] == 1.0


def test_paths_count_as_they_were_noted_for_a_tenant_and_a_domain(store: str) -> None:
    paths = [["a", "b"], ["a", "c"]]

    async def do(runtime: orka.Runtime) -> list[Json]:
        for tenant in ("acme", "acme", "other"):
            about = {"tenant": tenant, "domain": "finance"}
            await runtime.run(flow("walk"), {"paths": paths, **about})
        told = [{}, {"tenant": "acme"}, {"tenant": "other", "domain": "law"}, {"domain": "finance"}]
        given = [*paths, ["b"]]
        return [(await asked(runtime, paths=given, **one))["paths"] for one in told]

    good = [reply(1)] * 3
    found = within(do, store, a=good, b=[FAILURE, reply(1), FAILURE], c=good)
    everyone = {"a → b": {"runs": 3, "succeeded": 1}, "a → c": {"runs": 2, "succeeded": 2}}
    acme = {"a → b": {"runs": 2, "succeeded": 1}, "a → c": {"runs": 1, "succeeded": 1}}
    assert found == [everyone, acme, {}, everyone]


def test_a_path_that_a_fork_copied_was_not_run_again() -> None:
    async def do(runtime: orka.Runtime) -> Json:
        old = await runtime.run(flow("walk"), {"paths": [["a"]]})
        await runtime.fork(old.id)
        return (await asked(runtime, paths=[["a"]]))["paths"]

    assert within(do, a=[reply(1)]) == {"a": {"runs": 1, "succeeded": 1}}


def test_a_decision_that_was_followed_without_a_note_counts_by_its_agents() -> None:
    async def do(runtime: orka.Runtime) -> Json:
        given = {"path": ["a", "b"], "tenant": "acme"}
        await runtime.run(flow("decide", "execute"), given)
        await runtime.run(flow("decide", "execute"), given)
        await runtime.run(flow("decide"), given)
        paths = [["a", "b"], ["a"]]
        everyone = (await asked(runtime, paths=paths))["paths"]
        assert everyone == (await asked(runtime, paths=paths, tenant="acme"))["paths"]
        assert (await asked(runtime, paths=paths, tenant="other"))["paths"] == {}
        return everyone

    found = within(do, a=[reply(1), reply(1)], b=[reply(1), FAILURE])
    assert found == {"a → b": {"runs": 2, "succeeded": 1}}


def test_a_damaged_run_is_named_and_fails_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path / "store")

    async def runs(runtime: orka.Runtime) -> list[str]:
        return [(await runtime.run(flow("a"))).id for _ in range(3)]

    names = within(runs, folder, a=[reply(1)] * 3)
    with sqlite3.connect(tmp_path / "store" / "runs.db") as database:
        database.execute("pragma wal_checkpoint(truncate)")
    database.close()
    file = tmp_path / "store" / "runs.db"
    data = bytearray(file.read_bytes())
    at = data.index(b'"node":"a","type":"node_finished"', data.index(names[1].encode()))
    data[at + 8] ^= 1
    file.write_bytes(data)

    async def looked(runtime: orka.Runtime) -> tuple[Json, list[str]]:
        return await asked(runtime), [name for name in names if not intact(runtime, name)]

    found, damaged = within(looked, folder)
    assert found["unreadable"] == damaged and len(damaged) == 1
    assert (found["runs"], found["agents"]["a"]["samples"]) == (2, 2)


def intact(runtime: orka.Runtime, name: str) -> bool:
    try:
        return bool(runtime.open(name))
    except StoreCorrupt:
        return False


def test_strange_runs_are_named_and_fail_nothing() -> None:
    store = MemoryStore()

    async def do(runtime: orka.Runtime) -> Json:
        good = await runtime.run(flow("a"))
        first, *_, last = good.lines
        await store.append("cut", 0, [first, last], {})
        await store.append("nonsense", 0, [b"nonsense"], {})
        await store.append("strange", 0, [Chain().add(NodeSkipped("a"), {})], {})
        await store.append("torn", 0, [first, last[:9]], {})
        return await asked(runtime)

    found = within(do, store, a=[reply(1)])
    assert found["unreadable"] == ["torn", "strange", "nonsense", "cut"]
    assert (found["runs"], found["agents"]["a"]["samples"]) == (1, 1)


@pytest.mark.parametrize("about", [{"runs": 0}, {"runs": 5_000}, {"runs": "all"}])
def test_what_makes_no_sense_is_refused_at_once(about: dict[str, Json]) -> None:
    async def do(runtime: orka.Runtime) -> orka.Run:
        return await runtime.run(flow("look"), {"history": {"agents": ["a"], **about}})

    run = within(do)
    assert run.failure is not None
    assert run.failure.code == "history.arguments"


class Counting(MemoryStore):
    """A store that counts how often runs are read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []

    def read(self, run: str, start: int = 0) -> list[bytes]:
        self.reads.append(run)
        return super().read(run, start)


async def answer(handler: HistoryHandler[int], **more: Json) -> Json:
    call = Call(run="asking", effect="look#0", node="look")
    return (await handler({"agents": [], **more}, call)).value


def test_an_ended_run_is_read_once_and_again_after_it_was_taken_up() -> None:
    store = Counting()

    async def do(runtime: orka.Runtime) -> None:
        for name in ("one", "two"):
            await runtime.run(flow("a"), run_id=name)
        await store.append("asking", 0, store.read("two")[:1], {})
        handler: HistoryHandler[int] = HistoryHandler(
            store, lambda run, lines: len(lines), lambda said, about, unit: {"said": said}, PRICES
        )
        store.reads.clear()
        for _ in range(3):
            assert len((await answer(handler))["said"]) == 2
        assert store.reads == ["two", "one"]
        await runtime.resume("two")
        store.reads.clear()
        assert len((await answer(handler))["said"]) == 2
        assert store.reads == ["two"]

    within(do, store, a=[reply(1), FAILURE, reply(1)])


def test_a_reading_that_fails_names_the_run() -> None:
    store = MemoryStore()

    def read(run: str, lines: object) -> int:
        raise KeyError(run)

    async def do(runtime: orka.Runtime) -> Json:
        await runtime.run(flow("a"), run_id="one")
        await store.append("asking", 0, store.read("one")[:1], {})
        handler = HistoryHandler(store, read, lambda said, about, unit: {}, PRICES)
        with pytest.raises(HandlerError):
            await answer(handler, colour="red")
        return await answer(handler)

    assert within(do, store, a=[reply(1)])["unreadable"] == ["one"]


def test_runs_are_found_behind_many_of_other_workflows(store: str) -> None:
    async def do(runtime: orka.Runtime) -> Json:
        run = await runtime.run(flow("a"))
        head = msgspec.structs.replace(run.started, workflow="another")
        lines = Chain().extend([head, RunFinished("completed")], {})
        for number in range(250):
            await runtime.store.append(f"other-{number}", 0, lines, {})
        return await asked(runtime)

    found = within(do, store, a=[reply(1)])
    assert (found["runs"], found["unreadable"]) == (1, [])
