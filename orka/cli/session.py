"""One run driven from the command line: signals, the screen, and the clock of `--timeout`."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress

import click

from orka.api import Runtime
from orka.cli import exit
from orka.cli.options import Settings
from orka.cli.screen import Screen
from orka.event.event import Event
from orka.view.run import Run

REFRESH = 0.1
Begun = Callable[[str], None]


class Session:
    """`drive` runs one verb of the runtime. The first Ctrl-C cancels the run, the second leaves."""

    def __init__(self, settings: Settings, screen: Screen, timeout: float | None = None) -> None:
        self.screen, self._settings, self._timeout = screen, settings, timeout
        self._interrupts = 0
        self._runtime: Runtime | None = None
        self._seen = 0
        self.run_id = ""

    def drive(self, verb: Callable[[Runtime, Begun], Awaitable[Run]]) -> Run:
        """Do `verb` to its end. Raises what it raises."""
        return asyncio.run(self._drive(verb))

    async def _drive(self, verb: Callable[[Runtime, Begun], Awaitable[Run]]) -> Run:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # Windows has no handlers on the loop
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self._interrupted)
        if self._timeout is not None:
            loop.call_later(self._timeout, self._out_of_time)
        refreshing = loop.create_task(self._refresh())
        try:
            async with self._settings.open([self]) as self._runtime:
                run = await verb(self._runtime, self._begun)
                _ = run.events  # read while the store is open
                return run
        finally:
            refreshing.cancel()
            self.screen.close()

    def event(self, run: str, seq: int, event: Event) -> None:
        """Pass an event on to the screen, after those it has missed: what was recorded before, and
        decisions that a crash had cut off."""
        if seq > self._seen and self._runtime is not None:
            missed = self._runtime.open(run).events[self._seen : seq]
            for at, earlier in enumerate(missed, self._seen):
                self.screen.event(run, at, earlier)
        self._seen = seq + 1
        self.screen.event(run, seq, event)

    def text(self, run: str, effect: str, piece: str) -> None:
        self.screen.text(run, effect, piece)

    def _begun(self, run_id: str) -> None:
        self.run_id = run_id
        known = self._runtime is not None and self._runtime.store.salvage(run_id)
        recorded = self._runtime.open(run_id) if known and self._runtime else None
        self._seen = len(recorded.lines) if recorded else 0
        self.screen.begun(run_id, recorded)

    async def _refresh(self) -> None:
        while True:
            await asyncio.sleep(REFRESH)
            self.screen.refresh()

    def _interrupted(self) -> None:
        self._interrupts += 1
        if self._interrupts > 1 or not self.run_id:
            self.screen.close()
            if self.run_id:
                click.echo(f"left; `orka resume {self.run_id}` goes on", err=True)
            os._exit(exit.CANCELLED)  # at once: the trace is whole up to its last event
        self.screen.note("cancelling; once more to leave at once")
        self._cancel("interrupted (Ctrl-C)")

    def _out_of_time(self) -> None:
        self.screen.note(f"out of time after {self._timeout:g} s")
        self._cancel(f"no result within {self._timeout:g} s (--timeout)")

    def _cancel(self, reason: str) -> None:
        if self._runtime is not None:
            self._runtime.cancel(self.run_id, reason)
