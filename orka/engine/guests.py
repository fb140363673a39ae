"""Async tools of strangers: each plugin's on an event loop of its own, in a thread of its own.

A tool that blocks its loop stops nobody else's run: what waits for it fails, and what is called
later gets a new loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeVar

from orka.errors import ToolError

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, object]]  # Any: as typing has it
# Seconds without a sign of life after which a loop is given up.
PATIENCE = 60.0
THREADS = 32


class Guests:
    """The loops, by plugin. What waits on one that stands still for `patience` seconds fails as
    `tool.blocked`."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._loops: dict[str, _Loop] = {}

    async def call(self, plugin: str, tool: str, work: Work) -> object:
        """What `work` gives, awaited on the plugin's loop. Raises what it raises, and `ToolError`
        (`tool.blocked`)."""
        guest = self._loops.get(plugin)
        if guest is None or guest.suspect:
            if guest is not None:
                guest.retire()
            guest = self._loops[plugin] = _Loop(plugin)
        call = _Call(guest, tool, self._patience)
        return await call.wait(work)

    def close(self) -> None:
        """End the loops; one that is blocked is left to itself."""
        for guest in self._loops.values():
            guest.stop()
        self._loops.clear()


class _Call:
    """One call, with a timer that looks now and then whether the loop still goes on."""

    def __init__(self, guest: _Loop, tool: str, patience: float) -> None:
        self._guest, self._tool, self._patience = guest, tool, patience
        self._blocked = False

    async def wait(self, work: Work) -> object:
        here = asyncio.get_running_loop()
        self._waiting = here.run_in_executor(self._guest, self._guest.named, self._tool, work)
        self._timer = here.call_later(self._patience, self._look, here)
        try:
            return await self._waiting
        except asyncio.CancelledError:
            self._guest.doubt()
            if self._blocked:
                raise self._error() from None
            raise
        finally:
            self._timer.cancel()

    def _look(self, here: asyncio.AbstractEventLoop) -> None:
        beat = self._guest.beat()
        self._timer = here.call_later(self._patience / 4, self._judge, here, beat)

    def _judge(self, here: asyncio.AbstractEventLoop, beat: threading.Event) -> None:
        if beat.is_set():
            self._timer = here.call_later(self._patience, self._look, here)
            return
        self._blocked = True
        self._waiting.cancel()

    def _error(self) -> ToolError:
        running = self._guest.running or self._tool
        also = "" if running == self._tool else f"; {self._tool!r} waits for it"
        return ToolError(
            f"tool {running!r} has not let its event loop go on for {self._patience:g} s{also}",
            fix="let it await instead of blocking, or be a plain function: that has its own thread",
            code="tool.blocked",
        )


class _Loop(Executor):
    """An event loop in a thread. It takes coroutine functions, and gives futures as any executor
    does. `suspect` is one that has not answered since something was given up on it."""

    def __init__(self, plugin: str) -> None:
        self.suspect = False
        self._names: dict[asyncio.Task[Any], str] = {}  # Any: tasks of strangers
        self._retired = False
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_Carrying(THREADS, thread_name_prefix="orka-tool-guest"))
        name = f"orka-guest {plugin}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        self._loop.call_soon_threadsafe(self._begin, fn, args, kwargs, future)
        return future

    @staticmethod
    def named(tool: str, work: Work) -> object:
        """What is to be submitted: a coroutine, made on the loop."""
        return tool, work()

    @property
    def running(self) -> str:
        """The tool whose code runs on the loop now, if it is known."""
        task = asyncio.current_task(self._loop)
        return self._names.get(task, "") if task is not None else ""

    def beat(self) -> threading.Event:
        """An event that is set once the loop comes round."""
        beat = threading.Event()
        self._tell(beat.set)
        return beat

    def doubt(self) -> None:
        """Take no further calls until the loop has come round."""
        self.suspect = True
        self._tell(setattr, self, "suspect", False)

    def retire(self) -> None:
        """End when nothing is left to do."""
        self._tell(self._leave)

    def stop(self) -> None:
        """End now, unless it is blocked."""
        self._tell(self._loop.stop)
        self._thread.join(0.5)

    def _tell(self, act: Callable[..., object], *arguments: object) -> None:
        """Do it on the loop, if that has not ended."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(act, *arguments)

    def _leave(self) -> None:
        self._retired = True
        if not self._names:
            self._loop.stop()

    def _begin(self, fn: Any, args: Any, kwargs: Any, future: Future[Any]) -> None:  # Any: see P, T
        if future.cancelled():
            return
        tool, work = fn(*args, **kwargs)
        task = self._loop.create_task(_contained(work))
        self._names[task] = tool
        task.add_done_callback(lambda done: self._end(done, future))
        future.add_done_callback(lambda done: self._given_up(done, task))

    def _end(self, task: asyncio.Task[Any], future: Future[Any]) -> None:  # Any: see P, T
        del self._names[task]
        if self._retired and not self._names:
            self._loop.stop()
        with suppress(InvalidStateError):
            if task.cancelled():
                future.set_exception(asyncio.CancelledError("the tool cancelled itself"))
            elif (error := task.exception()) is not None:
                future.set_exception(error)
            elif isinstance(result := task.result(), _Left):
                future.set_exception(result.error)
            else:
                future.set_result(result)

    def _given_up(self, future: Future[Any], task: asyncio.Task[Any]) -> None:  # Any: see P, T
        if future.cancelled():
            self._tell(task.cancel)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()


async def _contained(work: Coroutine[Any, Any, object]) -> object:  # Any: as typing has it
    """What a task lets out of its loop otherwise ends the loop: here it is the call's failure."""
    try:
        return await work
    except SystemExit as error:
        return _Left(error)


class _Left:
    """A tool that wanted to end the program."""

    def __init__(self, error: SystemExit) -> None:
        self.error = error


class _Carrying(ThreadPoolExecutor):
    """What is done in a thread is done in the context of whoever asked for it."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return super().submit(partial(copy_context().run, partial(fn, *args, **kwargs)))
