"""Whatever users' code does, a run ends with a named failure: it never hangs and loses nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

import orka
from orka.errors import ConfigError, InputError, PluginError, RunBusy
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Reply, Script, ScriptedModel
from orka.value import Json


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def stops() -> object:
    raise StopIteration("x")


def mute() -> object:
    raise Mute


def leaves() -> object:
    raise SystemExit(3)


def odd() -> object:
    return Odd()


def deep() -> object:
    value: list[object] = []
    for _ in range(400):
        value = [value]
    return value


def circle() -> object:
    value: list[object] = []
    value.append(value)
    return value


def cancelled() -> object:
    raise asyncio.CancelledError


STRANGE = [stops, mute, leaves, odd, deep, circle, cancelled]


def ended(run: orka.Run) -> None:
    assert run.status == "failed", run
    assert run.failure is not None and run.failure.message
    assert run.nodes[0].state == "failed"


@pytest.mark.parametrize("act", STRANGE)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_tool_that_does_it_fails_its_node(act: Callable[[], object], way: str) -> None:
    def plainly() -> dict[str, str]:
        return act()  # type: ignore[return-value]  # that is the point

    async def waiting() -> dict[str, str]:
        return act()  # type: ignore[return-value]  # that is the point

    tool = orka.tool(name="t")(plainly if way == "sync" else waiting)
    flow = "orchestrator: {id: w}\nagents: [{id: a, type: tool, tool: t}]\n"
    run = orka.run_sync(flow, use=[tool], store=":memory:")
    ended(run)


@pytest.mark.parametrize("act", STRANGE)
@pytest.mark.parametrize("way", ["return", "ask", "all"])
def test_an_agent_that_does_it_fails_its_node(act: Callable[[], object], way: str) -> None:
    @orka.agent("strange")
    async def strange(ctx: orka.Context) -> Json:
        if way == "ask":
            return await ctx.tool("t", value=act())
        if way == "all":
            return await ctx.all(ctx.random(), inside(ctx))
        return act()

    async def inside(ctx: orka.Context) -> Json:
        await ctx.random()
        return act()

    @orka.tool
    def t(value: dict[str, str]) -> None: ...

    flow = "orchestrator: {id: w}\nagents: [{id: a, type: strange}]\n"

    async def go() -> orka.Run:
        async with orka.Runtime(use=[strange, t], store=":memory:") as runtime:
            run = await runtime.run(flow)
            runtime.replay(run.id)
            return run

    ended(asyncio.run(go()))


def test_very_many_retries_stay_within_the_longest_wait() -> None:
    @orka.tool
    def fails() -> None:
        raise ValueError("no")

    flow = """
orchestrator: {id: w}
agents: [{id: a, type: tool, tool: fails, retries: 1100, backoff: {initial: 0.001, limit: 0.001}}]
"""

    async def go() -> orka.Run:
        return await orka.run(flow, use=[fails], store=":memory:", clock=clock)

    run = run_virtual(go())
    ended(run)
    assert len(run.nodes[0].attempts) == 1101


def test_an_input_that_is_too_deep_is_refused_before_the_run() -> None:
    with pytest.raises(InputError, match="128 levels"):
        orka.run_sync("orchestrator: {id: w}\nagents: [{id: a, type: wait, seconds: 0}]\n",
                      deep(), store=":memory:")  # fmt: skip


def scripted(flow: str, replies: dict[str, list[object]]) -> orka.Run:
    async def go() -> orka.Run:
        model = ScriptedModel(Script(replies))
        async with orka.Runtime(
            store=":memory:", models={"scripted": model}, clock=clock
        ) as runtime:
            run = await runtime.run(flow, "in")
            runtime.replay(run.id)
            return run

    return run_virtual(go())


def test_a_condition_that_is_false_lets_the_path_go_on() -> None:
    run = scripted(
        """
orchestrator: {id: w, model: scripted, agents: [a, b, c]}
agents:
  - {id: a, type: llm, prompt: p}
  - {id: b, type: llm, prompt: p, when: "previous_outputs.a == 'yes'"}
  - {id: c, type: llm, prompt: p}
""",
        {"a": ["no"], "c": ["C"]},
    )
    assert run.output == "C"
    assert [node.state for node in run.nodes] == ["done", "skipped (when)", "done"]


def test_a_join_takes_what_took_over_not_what_failed_or_only_chose() -> None:
    run = scripted(
        """
orchestrator: {id: w, model: scripted, agents: [f, j]}
agents:
  - {id: f, type: fork, targets: [[a], [b, r]]}
  - {id: a, type: llm, prompt: p, on_error: h}
  - {id: h, type: llm, prompt: p}
  - {id: b, type: llm, prompt: p}
  - {id: r, type: router, decision_key: b, routing_map: {x: [], y: [c]}}
  - {id: c, type: llm, prompt: p}
  - {id: j, type: join, group: f}
""",
        {"h": ["handled"], "b": ["y"], "c": ["C"]},
    )
    assert run.outputs["j"] == {"c": "C", "h": "handled"}


def test_a_wait_keeps_to_its_timeout_and_an_approval_has_none() -> None:
    run = scripted(
        "orchestrator: {id: w}\nagents: [{id: a, type: wait, seconds: 30, timeout: 2}]\n", {}
    )
    assert run.failure and run.failure.code == "timeout" and run.seconds < 3
    with pytest.raises(ConfigError, match="timeout"):
        orka.check(
            "orchestrator: {id: w}\nagents: [{id: a, type: approval, prompt: p, timeout: 2}]\n",
            store=":memory:",
        )


NESTED = """
orchestrator: {id: w}
agents:
  - id: w
    type: workflow
    workflow: {orchestrator: {id: in}, agents: [{id: ok, type: approval, prompt: p}]}
"""


def test_a_nested_question_is_answered_by_its_path_and_asked_again_in_a_fork() -> None:
    async def go() -> None:
        async with orka.Runtime(store=":memory:") as runtime:
            run = await runtime.run(NESTED)
            done = await runtime.answer(run.id, "w#0/ok", {"approved": True})
            assert done.status == "completed"
            assert (await runtime.fork(run.id)).status == "waiting"

    asyncio.run(go())


def test_a_second_driver_of_a_run_does_not_disturb_the_first() -> None:
    flow = "orchestrator: {id: w}\nagents: [{id: a, type: llm, model: scripted, prompt: p}]\n"

    async def go() -> None:
        model = ScriptedModel(Script({"a": [Reply(text="x", delay=5)]}))
        async with orka.Runtime(
            store=":memory:", models={"scripted": model}, clock=clock
        ) as runtime:
            first = asyncio.create_task(runtime.run(flow, run_id="r"))
            await asyncio.sleep(1)
            with pytest.raises(RunBusy):
                await runtime.run(flow, run_id="r")
            runtime.cancel("r")
            assert (await first).status == "cancelled"

    run_virtual(go())


def test_a_plugin_that_was_moved_may_be_given_again(tmp_path: Path) -> None:
    here, there = tmp_path / "one.py", tmp_path / "two.py"
    here.write_text("import orka\n@orka.tool\ndef t() -> int:\n    return 1\n")
    flow = "orchestrator: {id: w}\nagents: [{id: a, type: tool, tool: t}]\n"
    run = orka.run_sync(flow, plugins=[here], store=tmp_path / "s")
    here.rename(there)
    with pytest.raises(PluginError, match="--plugin"):
        orka.replay(run.id, store=tmp_path / "s")
    assert orka.replay(run.id, plugins=[there], store=tmp_path / "s").output == 1


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="scripted"):
        orka.Runtime(store=":memory:", limits={"scripted": 0})
