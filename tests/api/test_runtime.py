"""The public door: run, resume, fork, answer, many runs; scripted models and real stores."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import orka
from orka.errors import Diverged, InputError, RunFailed, RunNotFound
from orka.port.model import Usage
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Refusal, Reply, Script, ScriptedModel
from orka.value import Json

CHAIN = """
orchestrator: {id: chain, agents: [a, b, c]}
agents:
  - {id: a, type: llm, model: scripted, prompt: "A {{ input.x }}"}
  - {id: b, type: llm, model: scripted, prompt: "B {{ previous_outputs.a }} {{ input.y }}"}
  - {id: c, type: llm, model: scripted, prompt: "C {{ previous_outputs.b }}"}
"""


def runtime(model: ScriptedModel, store: object = ":memory:", **settings: object) -> orka.Runtime:
    return orka.Runtime(store=store, models={"scripted": model}, **settings)  # type: ignore[arg-type]


def scripted(**replies: list[object]) -> ScriptedModel:
    return ScriptedModel(Script(replies))


async def forked(
    model: ScriptedModel, given: Json, **change: object
) -> tuple[orka.Run, orka.Run, ScriptedModel]:
    async with runtime(model) as first:
        old = await first.run(CHAIN, given)
        new = await first.fork(old.id, **change)  # type: ignore[arg-type]
        first.replay(new.id)
        return old, new, model


def test_a_fork_without_a_change_asks_nothing() -> None:
    old, new, model = asyncio.run(forked(scripted(a=["1"], b=["2"], c=["3"]), {"x": 1, "y": 2}))
    assert new.output == old.output == "3"
    assert len(model.calls) == 3
    assert new.started.origin is not None and new.started.origin.run == old.id


def test_a_fork_at_a_node_asks_it_and_what_follows_from_its_answer() -> None:
    model = scripted(a=["1"], b=["2", "other"], c=["3", "4"])
    _, new, model = asyncio.run(forked(model, {"x": 1, "y": 2}, at="b"))
    assert new.output == "4"
    assert model.counts == {"a": 1, "b": 2, "c": 2}


def test_a_fork_at_a_node_that_answers_the_same_pays_for_that_node_alone() -> None:
    _, new, model = asyncio.run(
        forked(scripted(a=["1"], b=["2", "2"], c=["3"]), {"x": 1, "y": 2}, at="b")
    )
    assert new.output == "3"
    assert model.counts == {"a": 1, "b": 2, "c": 1}


def test_a_fork_with_another_input_asks_what_the_change_reaches() -> None:
    model = scripted(a=["1"], b=["2", "new"], c=["3", "4"])
    _, new, model = asyncio.run(forked(model, {"x": 1, "y": 2}, changes={"input.y": 9}))
    assert model.prompts("b") == ["B 1 2", "B 1 9"]
    assert model.counts["a"] == 1 and new.output == "4"


def test_a_fork_at_an_event_gives_no_answer_recorded_after_it() -> None:
    model = scripted(a=["1"], b=["2", "2"], c=["3", "3"])
    _, new, model = asyncio.run(forked(model, {"x": 1, "y": 2}, at=5))
    assert model.counts == {"a": 1, "b": 2, "c": 2}
    assert new.status == "completed"


def test_a_fork_with_a_renamed_node_keeps_its_answer() -> None:
    renamed = CHAIN.replace("id: a,", "id: first,").replace("[a,", "[first,")
    renamed = renamed.replace("previous_outputs.a", "previous_outputs.first")
    model = scripted(a=["1"], b=["2"], c=["3"])
    _, new, model = asyncio.run(forked(model, {"x": 1, "y": 2}, flow=renamed))
    assert new.outputs == {"first": "1", "b": "2", "c": "3"}
    assert len(model.calls) == 3


def test_a_fork_never_reuses_a_failure() -> None:
    async def go() -> orka.Run:
        model = scripted(a=["1"], b=[Reply(error=Refusal(status=500)), "2"], c=["3"])
        async with runtime(model) as first:
            failed = await first.run(CHAIN, {"x": 1, "y": 2})
            assert failed.status == "failed"
            return await first.fork(failed.id)

    assert asyncio.run(go()).output == "3"


def test_a_fork_to_an_unknown_node_or_path_is_an_input_error() -> None:
    for change in ({"at": "bb"}, {"changes": {"input.q.r": 1}}):
        with pytest.raises(InputError):
            asyncio.run(forked(scripted(a=["1"], b=["2"], c=["3"]), {"x": 1, "y": 2}, **change))


def test_a_fork_of_a_run_with_a_time_limit_has_its_time_again() -> None:
    limited = CHAIN.replace("id: chain,", "id: chain, timeout: 60,")

    async def go() -> orka.Run:
        model = scripted(a=["1"], b=["2"], c=[Reply(text="3", delay=30), Reply(text="4", delay=50)])
        async with runtime(model, clock=clock) as first:
            old = await first.run(limited, {"x": 1, "y": 2})
            await asyncio.sleep(3600)
            return await first.fork(old.id, at="c")

    assert run_virtual(go()).output == "4"


def test_a_failed_run_resumes_with_what_it_has() -> None:
    async def go() -> orka.Run:
        model = scripted(a=["1"], b=[Reply(error=Refusal(status=400)), "2"], c=["3"])
        async with runtime(model) as first:
            failed = await first.run(CHAIN, {"x": 1, "y": 2})
            assert failed.failure and "400" in failed.failure.message
            with pytest.raises(RunFailed, match="400"):
                failed.output_or_raise()
            done = await first.resume(failed.id)
            first.replay(done.id)
            assert model.counts == {"a": 1, "b": 2, "c": 1}
            return done

    assert asyncio.run(go()).output_or_raise() == "3"


def test_a_completed_run_is_left_alone() -> None:
    async def go() -> None:
        async with runtime(scripted(a=["1"], b=["2"], c=["3"])) as first:
            done = await first.run(CHAIN, {"x": 1, "y": 2})
            again = await first.resume(done.id)
            assert again.lines == done.lines

    asyncio.run(go())


def test_a_question_to_a_person_survives_a_new_process(tmp_path: Path) -> None:
    flow = """
orchestrator: {id: ask, agents: [ok, last]}
agents:
  - {id: ok, type: approval, prompt: "Ship {{ input }}?"}
  - {id: last, type: llm, model: scripted, prompt: "by {{ previous_outputs.ok.by }}"}
"""
    model = scripted(last=["done"])

    async def ask() -> str:
        async with runtime(model, tmp_path) as first:
            run = await first.run(flow, "o-1")
            assert run.status == "waiting"
            assert [q.payload["prompt"] for q in run.questions] == ["Ship o-1?"]
            return run.id

    async def answer(id: str) -> orka.Run:
        async with runtime(model, tmp_path) as second:
            with pytest.raises(InputError):
                await second.answer(id, "nobody", True)
            return await second.answer(id, "ok", {"approved": True, "by": "pia"})

    done = asyncio.run(answer(asyncio.run(ask())))
    assert done.output == "done" and model.prompts("last") == ["by pia"]


def test_eight_answers_at_once_are_one_answer() -> None:
    flow = "orchestrator: {id: q, agents: [ok]}\nagents: [{id: ok, type: approval, prompt: p}]\n"

    async def go() -> list[object]:
        async with runtime(scripted()) as first:
            run = await first.run(flow)
            tries = [first.answer(run.id, "ok", {"approved": True}) for _ in range(8)]
            return await asyncio.gather(*tries, return_exceptions=True)

    results = asyncio.run(go())
    assert sum(isinstance(result, orka.Run) for result in results) == 1
    assert sum(isinstance(result, orka.OrkaError) for result in results) == 7


def test_many_runs_keep_to_their_limit_and_take_inputs_as_there_is_room() -> None:
    taken: list[int] = []
    most = 0
    live = 0

    @orka.tool
    async def work(n: int) -> int:
        nonlocal live, most
        live += 1
        most = max(most, live)
        await asyncio.sleep(0.001)
        live -= 1
        return n

    def inputs() -> object:
        for number in range(50):
            taken.append(number)
            assert len(taken) - len(done) <= 7
            yield number

    flow = {
        "orchestrator": {"id": "m", "agents": ["a"]},
        "agents": [{"id": "a", "type": "tool", "tool": "work", "args": {"n": "{{ input }}"}}],
    }
    done: list[int] = []

    async def go() -> None:
        async with orka.Runtime(store=":memory:", use=[work]) as first:
            async for run in first.map(flow, inputs(), limit=7):  # type: ignore[arg-type]
                done.append(run.output)

    asyncio.run(go())
    assert sorted(done) == list(range(50))
    assert most <= 7


def test_cancelling_leaves_a_run_that_can_be_resumed() -> None:
    async def go() -> orka.Run:
        model = scripted(a=["1"], b=[Reply(text="2", delay=5), "2"], c=["3"])
        async with runtime(model, clock=clock) as first:
            ids: list[str] = []
            task = asyncio.create_task(first.run(CHAIN, {"x": 1, "y": 2}, begun=ids.append))
            await asyncio.sleep(1)
            first.cancel(ids[0], "enough")
            stopped = await task
            assert stopped.status == "cancelled"
            assert stopped.failure and stopped.failure.message == "enough"
            return await first.resume(ids[0])

    assert run_virtual(go()).output == "3"


def test_a_replay_with_changed_code_stops_at_the_difference(tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    source = """
import orka

@orka.agent("mine")
async def mine(ctx):
    return await ctx.random() * 0 + {number}
"""
    plugin.write_text(source.format(number=1))
    flow = "orchestrator: {id: p, agents: [m]}\nagents: [{id: m, type: mine}]\n"
    run = orka.run_sync(flow, store=tmp_path, plugins=[plugin])
    assert orka.replay(run.id, store=tmp_path).output == 1
    plugin.write_text(source.format(number=2))
    with pytest.raises(Diverged, match="NodeFinished"):
        orka.replay(run.id, store=tmp_path)


def test_maps_print_the_same_in_a_run_and_in_its_replay() -> None:
    @orka.tool
    def give() -> dict[str, object]:
        return {"b": 1, "a": {"z": 1, "c": 2}}

    flow = """
orchestrator: {id: t, agents: [g, m]}
agents:
  - {id: g, type: tool, tool: give}
  - {id: m, type: llm, model: scripted, prompt: "{{ previous_outputs.g }} {{ input }}"}
"""

    async def go() -> orka.Run:
        async with runtime(scripted(m=[Reply(echo_prompt=True)]), use=[give]) as first:
            run = await first.run(flow, {"q": 1, "b": 2})
            first.replay(run.id)
            return run

    assert asyncio.run(go()).output == '{"a": {"c": 2, "z": 1}, "b": 1} {"b": 2, "q": 1}'


def test_inputs_are_json_or_an_error() -> None:
    with pytest.raises(InputError, match="object, which is no data"):
        orka.run_sync("orchestrator: {id: p}\nagents: [{id: m, type: wait, seconds: 0}]\n",
                      {"a": object()}, store=":memory:")  # fmt: skip


def test_secrets_of_the_environment_never_reach_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "verysecretvalue")
    model = scripted(a=["it is verysecretvalue"], b=["2"], c=["3"])

    async def go() -> orka.Run:
        async with runtime(model) as first:
            return await first.run(CHAIN, {"x": "verysecretvalue", "y": 2})

    run = asyncio.run(go())
    assert b"verysecretvalue" not in b"".join(run.lines)
    assert run.outputs["a"] == "it is [REDACTED]"


def test_an_unknown_run_is_named() -> None:
    with pytest.raises(RunNotFound, match="nope"):
        orka.open_run("nope", store=":memory:")


def test_costs_are_known_unknown_or_overridden(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(
        '[models."scripted/*"]\nprompt = 1000000.0\ncompletion = 2000000.0\n'
    )
    usage = Usage(prompt_tokens=3, completion_tokens=2)
    from_model = [Reply(text="1", usage=usage), Reply(text="2", usage=usage), "3"]

    async def go(store: object) -> orka.Run:
        model = scripted(a=[from_model[0]], b=[from_model[1]], c=[from_model[2]])
        async with runtime(model, store) as first:
            return await first.run(CHAIN, {"x": 1, "y": 2})

    unknown = asyncio.run(go(":memory:"))
    assert unknown.totals.cost is None and unknown.totals.unknown_cost == 3
    priced = asyncio.run(go(tmp_path))
    assert priced.totals.cost == 14.0 and priced.totals.unknown_cost == 1
    assert json.loads(priced.lines[0])["event"]["type"] == "run_started"


def test_a_question_inside_a_loop_is_answered_by_its_agents_name(tmp_path: Path) -> None:
    flow = """
orchestrator: {id: nested}
agents:
  - id: twice
    type: loop
    max_loops: 1
    internal_workflow:
      orchestrator: {id: body}
      agents: [{id: ok, type: approval, prompt: "Go on?"}]
"""

    async def answered() -> str:
        async with orka.Runtime(store=tmp_path) as runtime:
            run = await runtime.run(flow)
            assert run.status == "waiting"
            return (await runtime.answer(run.id, "ok", {"approved": True})).status

    assert asyncio.run(answered()) == "completed"
