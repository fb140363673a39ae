"""Virtual time: nobody waits, and what happens when stays as it is."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from orka.errors import OrkaError
from orka.testing import clock as clocks
from orka.testing.clock import START, NothingToWaitFor, clock, run_virtual

YEAR = 365 * 86400.0


def test_a_year_passes_at_once_and_to_the_microsecond() -> None:
    async def sleeps() -> float:
        await asyncio.sleep(YEAR + 0.25)
        return clock()

    before = time.monotonic()
    assert run_virtual(sleeps()) == pytest.approx(START + YEAR + 0.25, abs=1e-6)
    assert time.monotonic() - before < 5


def test_timers_fire_in_their_order_each_at_its_time() -> None:
    seen: list[tuple[str, float]] = []

    async def after(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        seen.append((name, clock()))

    async def all_of_them() -> None:
        await asyncio.gather(after("c", 3), after("a", 1), after("b", 2), after("a too", 1))

    run_virtual(all_of_them(), start=100.0)
    assert seen == [("a", 101.0), ("a too", 101.0), ("b", 102.0), ("c", 103.0)]


def test_time_stands_still_while_anything_is_ready() -> None:
    async def busy() -> float:
        for _ in range(1000):
            await asyncio.sleep(0)
        return clock()

    assert run_virtual(busy()) == START


def test_a_job_in_a_thread_is_really_waited_for_and_takes_no_virtual_time() -> None:
    gate = threading.Event()

    async def works() -> tuple[bool, float]:
        asyncio.get_running_loop().call_later(50, lambda: None)
        threading.Timer(0.05, gate.set).start()
        done = await asyncio.to_thread(gate.wait, 20)
        return done, clock()

    assert run_virtual(works()) == (True, START)


def test_a_timeout_ends_what_never_ends() -> None:
    async def waits() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(7):
                await asyncio.Event().wait()
        return clock()

    assert run_virtual(waits()) == START + 7


def test_waiting_for_nothing_is_an_error_and_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "PATIENCE", 0.05)

    async def hangs() -> None:
        await asyncio.Event().wait()

    with pytest.raises(NothingToWaitFor):
        run_virtual(hangs())


def test_the_virtual_clock_is_refused_in_real_time() -> None:
    async def reads() -> float:
        return clock()

    with pytest.raises(OrkaError, match="outside virtual time"):
        asyncio.run(reads())
