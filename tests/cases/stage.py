"""Where a case is played: a runtime with doubles, and what a run on it came to."""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import yaml

from cases.doubles import Doubles, tools_of
from cases.log import Log
from cases.model import CaseModel
from cases.observed import Observed
from cases.script import Script
from cases.words import in_our_words
from orka.api import Runtime
from orka.engine.outside import Watcher
from orka.errors import OrkaError
from orka.source import Flow
from orka.testing.clock import clock, run_virtual
from orka.value import Json
from orka.view.run import Run

T = TypeVar("T")


class Stage:
    """A runtime on which the models and tools are doubles. Use it in `async with`: what it leaves
    behind must replay byte for byte, and no agent may have called beyond its script."""

    def __init__(
        self,
        folder: Path,
        script: Script,
        flows: Sequence[Json],
        *,
        store: str = ":memory:",
        virtual: bool = False,
        live: bool = True,
        shared: bool = False,
        tools: Mapping[str, list[str]] | None = None,
        watchers: tuple[Watcher, ...] = (),
    ) -> None:
        self.log = Log(folder / "calls.jsonl")
        self.doubles = Doubles(script, self.log, live=live, shared=shared)
        named = tools if tools is not None else _merged([tools_of(parsed(flow)) for flow in flows])
        self.runtime = Runtime(
            store=store,
            use=[self.doubles.tool(name, arguments) for name, arguments in named.items()],
            models={"scripted": CaseModel(self.doubles)},
            watchers=watchers,
            clock=clock if virtual else time.time,
        )

    async def __aenter__(self) -> Stage:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.prove()
        finally:
            await self.runtime.close()

    def prove(self) -> None:
        """Every run of the store comes out of its facts byte for byte."""
        for id, _, _ in self.runtime.store.runs(10_000):
            self.prove_run(id)

    def prove_run(self, id: str) -> None:
        replayed = self.runtime.replay(id)
        assert not replayed.unwritten, f"run {id!r} has decisions that were not recorded"

    async def play(self, flow: Flow, input: Json, run_id: str) -> Observed:
        """Run a workflow; a refusal is an observation like any other."""
        flow = in_our_words(flow)
        flow = f"{flow}\n" if isinstance(flow, str) else flow  # text, never the name of a file
        return await self.observe(self.runtime.run(flow, input, run_id=run_id), run_id)

    async def observe(self, doing: Coroutine[object, object, Run], run_id: str) -> Observed:
        """What came of `doing`, what the doubles of this run were asked, and how long it took."""
        run, error, started = None, None, time.perf_counter()
        with listening() as heard:
            try:
                run = await doing
            except OrkaError as refused:
                error = refused
        seconds = time.perf_counter() - started
        return self.observed(run_id, run, error, seconds=seconds, heard=heard)

    def observed(
        self,
        run_id: str,
        run: Run | None,
        error: OrkaError | None = None,
        *,
        seconds: float = 0.0,
        heard: list[str] | None = None,
    ) -> Observed:
        shared = self.doubles.shared
        asked = [each for each in self.log.read() if shared or each.run == run_id]
        beyond = [each.agent for each in asked if each.beyond]
        assert not beyond, f"called beyond the script: {', '.join(beyond)}"
        return Observed(run=run, error=error, asked=asked, seconds=seconds, heard=heard or [])


def parsed(flow: Json) -> Json:
    """A workflow as plain data, only to see which tools it names; None if it cannot be read."""
    if not isinstance(flow, (str, bytes)):
        return flow
    try:
        return yaml.load(flow, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, TypeError):
        return None


def played(coroutine: Coroutine[object, object, T], *, virtual: bool) -> T:
    """Run it, in virtual time if wanted."""
    return run_virtual(coroutine) if virtual else asyncio.run(coroutine)


class _Listener(logging.Handler):
    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.append(self.format(record))


@contextmanager
def listening() -> Iterator[list[str]]:
    """Everything that is logged or warned about meanwhile."""
    heard: list[str] = []
    handler, root = _Listener(heard), logging.getLogger()
    root.addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield heard
    finally:
        root.removeHandler(handler)
        heard += [str(each.message) for each in caught]


def _merged(named: list[dict[str, list[str]]]) -> dict[str, list[str]]:
    tools: dict[str, list[str]] = {}
    for each in named:
        for name, arguments in each.items():
            known = tools.setdefault(name, [])
            known += [argument for argument in arguments if argument not in known]
    return tools
