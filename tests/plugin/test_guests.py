"""A stranger's code that blocks fails its own node, by name; other runs go on."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import orka
from orka.testing.clock import clock, run_virtual
from orka.value import Json

PATIENCE = 0.3
CODE = """
import asyncio, threading
import orka

GATE = threading.Event()
SEEN = []

@orka.tool
async def blocks() -> int:
    GATE.wait()
    return 1

@orka.tool
async def quick(value: int = 2) -> int:
    await asyncio.sleep(0)
    SEEN.append(threading.current_thread().name)
    return value

@orka.tool
async def cancels() -> int:
    raise asyncio.CancelledError

@orka.tool
async def waits() -> int:
    try:
        await asyncio.Event().wait()
    finally:
        SEEN.append("cancelled")
    return 3

@orka.tool
def hangs() -> int:
    GATE.wait()
    return 4
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "guest.py"
    path.write_text(CODE)
    yield path
    for name in [name for name in sys.modules if name.startswith("orka_plugin_guest")]:
        sys.modules.pop(name).GATE.set()


def module() -> ModuleType:
    return next(m for name, m in sys.modules.items() if name.startswith("orka_plugin_guest"))


def flow(*tools: str, **more: Json) -> dict[str, Json]:
    agents = [{"id": tool, "type": "tool", "tool": tool, **more} for tool in tools]
    return {"orchestrator": {"id": "w", "strategy": "graph"}, "agents": agents}


def test_a_tool_that_blocks_its_loop_fails_by_name_and_others_go_on(plugin: Path) -> None:
    async def go() -> None:
        use = {"store": ":memory:", "plugins": [plugin], "patience": PATIENCE}
        async with orka.Runtime(**use) as runtime:  # type: ignore[arg-type]  # as they are
            blocked = asyncio.create_task(runtime.run(flow("blocks")))
            other = await runtime.run(
                "orchestrator: {id: w}\nagents: [{id: a, type: wait, seconds: 0}]\n"
            )
            assert other.status == "completed" and not blocked.done()
            failure = (await blocked).failure
            assert failure and failure.code == "tool.blocked" and "'blocks'" in failure.message
            assert (await runtime.run(flow("quick"))).output == 2

    asyncio.run(go())


def test_what_waits_behind_it_says_for_whom(plugin: Path) -> None:
    run = orka.run_sync(
        flow("blocks", "quick"), plugins=[plugin], store=":memory:", patience=PATIENCE
    )
    told = {node.id: node.failure for node in run.nodes}
    assert run.status == "failed"
    behind = told["quick"]
    if behind is not None:
        assert behind.code == "tool.blocked"
        assert "'blocks'" in behind.message and "'quick' waits" in behind.message


def test_a_timeout_ends_the_wait_and_the_next_call_gets_a_new_loop(plugin: Path) -> None:
    async def go() -> None:
        async with orka.Runtime(store=":memory:", plugins=[plugin]) as runtime:
            first = await runtime.run(flow("blocks", timeout=0.2))
            assert first.failure and first.failure.code == "timeout"
            assert (await runtime.run(flow("quick"))).output == 2

    asyncio.run(go())


def test_a_plugin_has_one_loop_of_its_own(plugin: Path) -> None:
    async def go() -> None:
        async with orka.Runtime(store=":memory:", plugins=[plugin]) as runtime:
            for _ in range(3):
                await runtime.run(flow("quick"))

    asyncio.run(go())
    (name,) = {*module().SEEN}
    assert name.startswith("orka-guest") and name != threading.current_thread().name


def test_a_tool_on_its_own_loop_is_cancelled_and_may_cancel_itself(plugin: Path) -> None:
    async def go() -> None:
        async with orka.Runtime(store=":memory:", plugins=[plugin]) as runtime:
            timed = await runtime.run(flow("waits", timeout=0.1))
            assert timed.failure and timed.failure.code == "timeout"
            own = await runtime.run(flow("cancels"))
            assert own.failure and own.failure.code == "effect.raised"

    asyncio.run(go())
    assert "cancelled" in module().SEEN


def test_virtual_time_stands_still_while_a_guest_works(plugin: Path) -> None:
    async def go() -> orka.Run:
        return await orka.run(
            flow("quick", timeout=5), plugins=[plugin], store=":memory:", clock=clock
        )

    run = run_virtual(go())
    assert run.output == 2 and run.seconds == 0


def test_a_program_hands_its_own_tools_over_and_keeps_its_loop() -> None:
    seen: list[object] = []

    @orka.tool
    async def mine() -> None:
        seen.append(asyncio.get_running_loop())

    async def go() -> None:
        await orka.run(flow("mine"), use=[mine], store=":memory:")
        assert seen == [asyncio.get_running_loop()]

    asyncio.run(go())


# ---- agents


@pytest.mark.parametrize("way", ["plain", "swallows", "group"])
def test_an_agent_that_does_not_come_back_is_interrupted(way: str) -> None:
    @orka.agent("spins")
    async def spins(ctx: orka.Context) -> Json:
        if way == "group":
            return await ctx.all(spin(ctx), ctx.random())
        return await spin(ctx)

    async def spin(ctx: orka.Context) -> Json:
        await ctx.random()
        turns = 0
        while True:
            try:
                while True:
                    turns += 1
            except Exception:
                if way != "swallows":
                    raise

    agents = [
        {"id": "a", "type": "spins"},
        {"id": "b", "type": "wait", "seconds": 0, "depends_on": []},
    ]
    written = {"orchestrator": {"id": "w", "strategy": "graph"}, "agents": agents}
    run = orka.run_sync(written, use=[spins], store=":memory:", patience=PATIENCE)
    assert run.failure and run.failure.code == "agent.blocked"
    assert "'spins'" in run.failure.message and "0.3 s" in run.failure.message


def test_one_that_comes_back_late_has_failed_too() -> None:
    @orka.agent("late")
    async def late(ctx: orka.Context) -> Json:
        try:
            while True:
                pass
        except BaseException:
            return "all is well"

    written = {"orchestrator": {"id": "w"}, "agents": [{"id": "a", "type": "late"}]}
    run = orka.run_sync(written, use=[late], store=":memory:", patience=PATIENCE)
    assert run.failure and run.failure.code == "agent.blocked"


def test_a_run_goes_on_after_an_agent_was_interrupted() -> None:
    @orka.agent("spins")
    async def spins(ctx: orka.Context) -> Json:
        while True:
            pass

    @orka.agent("after")
    async def after(ctx: orka.Context) -> Json:
        return sum(range(1000))

    flow = """
orchestrator: {id: w, agents: [a, b]}
agents:
  - {id: a, type: spins, on_error: c}
  - {id: b, type: after}
  - {id: c, type: after}
"""

    async def go() -> orka.Run:
        use = {"use": [spins, after], "store": ":memory:", "patience": PATIENCE}
        async with orka.Runtime(**use) as runtime:  # type: ignore[arg-type]  # as they are
            run = await runtime.run(flow)
            again = await runtime.run(flow)
            assert again.status == run.status
            return run

    run = asyncio.run(go())
    assert run.outputs["c"] == 499500
