"""Looks after code that must come back soon: agents between two questions.

An agent runs on the event loop that drives all runs. One that does not come back would stop them
all, so a thread raises `AgentBlocked` in it. Python does that between two instructions: a call into
C (`time.sleep`, a large regular expression) is ended only once it returns.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
# Seconds an agent may think between two questions.
PATIENCE = 60.0
_TICK = 1.0


class AgentBlocked(BaseException):
    """Raised inside code that did not come back; no `except Exception` of its own stops it."""


class _Watch:
    """One stretch of such code: until when, in which thread, and whether it was interrupted."""

    __slots__ = ("due", "fired", "thread")

    def __init__(self, due: float, thread: int) -> None:
        self.due, self.thread, self.fired = due, thread, False


class Watchdog:
    """`patience` is in seconds. One thread looks after everything, and only once there is a first
    thing to look after."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience

    def run(self, act: Callable[..., T], *arguments: object) -> T:
        """What `act` gives. Raises `AgentBlocked` if it took too long, whatever it made of that."""
        watch = _Watch(time.monotonic() + self.patience, threading.get_ident())
        _thread.begin(watch, self.patience)
        try:
            return act(*arguments)
        finally:
            _thread.end(watch)
            if watch.fired:
                raise AgentBlocked


class _Looking:
    """The thread, and what it looks after. It is a daemon: it keeps no process alive."""

    def __init__(self) -> None:
        self._watches: dict[int, _Watch] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._tick = _TICK
        self._woken = threading.Event()

    def begin(self, watch: _Watch, patience: float) -> None:
        if self._thread is None:
            self._start()
        if patience / 4 < self._tick:
            self._tick = patience / 4
            self._woken.set()
        self._watches[watch.thread] = watch

    def end(self, watch: _Watch) -> None:
        try:
            self._forget(watch)
        except AgentBlocked:
            self._forget(watch)  # once: the next one would come after a tick
        if watch.fired:
            _let_it_arrive()

    def _forget(self, watch: _Watch) -> None:
        with self._lock:
            self._watches.pop(watch.thread, None)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._look, name="orka-watchdog", daemon=True
                )
                self._thread.start()

    def forget_thread(self) -> None:
        """In a process that was forked off, where the thread is not there."""
        self._lock, self._thread = threading.Lock(), None

    def _look(self) -> None:
        while True:
            self._woken.wait(self._tick)
            self._woken.clear()
            now = time.monotonic()
            for watch in list(self._watches.values()):
                if watch.due <= now:
                    self._interrupt(watch, now)

    def _interrupt(self, watch: _Watch, now: float) -> None:
        """Under the lock: once `end` has begun, nothing is raised any more."""
        with self._lock:
            if self._watches.get(watch.thread) is not watch:
                return
            watch.fired, watch.due = True, now + _TICK
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(watch.thread), ctypes.py_object(AgentBlocked)
            )


def _let_it_arrive() -> None:
    """An exception from another thread that is still on its way arrives here, not later."""
    try:
        for _ in range(1000):
            pass
    except AgentBlocked:
        return


_thread = _Looking()
if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
    os.register_at_fork(after_in_child=_thread.forget_thread)
