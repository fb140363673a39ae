"""Virtual time: an event loop that jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import TypeVar, TypeVarTuple, Unpack

from orka.errors import OrkaError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

START = 1_700_000_000.0
# Real seconds a loop with nothing to do waits for a thread it does not know of.
PATIENCE = 10.0

_Events = list[tuple[selectors.SelectorKey, int]]


class NothingToWaitFor(OrkaError):
    """The loop has no timer, no job and nothing ready: in real time it would hang for ever."""

    code = "testing.deadlock"


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` stands still while anything is ready and jumps to the next timer when nothing is.

    While a job runs in an executor it really waits, and the job takes no virtual time.
    """

    def __init__(self, start: float = START) -> None:
        self._passed, self._start, self._jobs = 0.0, start, 0
        super().__init__(_Selector(self))
        # A timer is due within this. The default, a nanosecond, is lost in floats after some weeks.
        self._clock_resolution = 1e-6

    def time(self) -> float:
        return self._passed

    def clock(self) -> float:
        """Seconds since the epoch."""
        return self._start + self._passed

    def pass_time(self, seconds: float) -> None:
        self._passed += seconds

    @property
    def working(self) -> bool:
        """True while a job runs in an executor."""
        return self._jobs > 0

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[Unpack[Ts]], T],
        *args: *Ts,
    ) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._jobs += 1
        future.add_done_callback(self._job_done)
        return future

    def _job_done(self, future: asyncio.Future[T]) -> None:
        self._jobs -= 1


class _Selector(selectors.DefaultSelector):
    """Looks at what is ready; waits only if nothing but a thread could ever make it so."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> _Events:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if self._loop.working:
            ready = super().select(timeout)
        elif timeout is None:
            ready = super().select(PATIENCE)
            if not ready:
                raise NothingToWaitFor(
                    "every task waits, and nothing is left that could wake one",
                    fix="look for an event that is never set or an answer that is never given",
                )
        if not ready and timeout is not None:
            self._loop.pass_time(timeout)
        return ready


def run_virtual(coroutine: Coroutine[object, object, T], *, start: float = START) -> T:
    """Like `asyncio.run`, in virtual time that begins at `start` (seconds since the epoch)."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        return runner.run(coroutine)


def clock() -> float:
    """Seconds since the epoch in virtual time: for `World.clock`, under `run_virtual` only."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualLoop):
        raise OrkaError("the virtual clock was read outside virtual time", fix="use `run_virtual`")
    return loop.clock()
