"""Apache Burr, which some targets name. An application is one run, so making it belongs to the run.

none     no persister
sqlite   SQLitePersister as it ships: one commit per step
"""

from __future__ import annotations

import asyncio
import itertools
import os
import uuid
from collections.abc import Callable, Sequence
from typing import Any

# These are installed in this peer's virtual environment only.
from burr.core import (  # type: ignore[import-not-found]
    ApplicationBuilder,
    action,
    default,
    expr,
    when,
)
from burr.core.graph import GraphBuilder  # type: ignore[import-not-found]
from workloads import NotSupported, Run, Visits

Anything = Any  # Any: Burr is not typed here


class Peer:
    """Implements `workloads.Peer`."""

    def __init__(self, variant: str, folder: str, visits: Visits) -> None:
        self.variant, self.folder, self.visits = variant, folder, visits
        self.saver: Anything = None

    async def open(self) -> None:
        if self.variant == "sqlite":
            # Heavy, so it is imported where it is used.
            from burr.core import persistence  # noqa: PLC0415

            path = os.path.join(self.folder, "burr.db")
            self.saver = persistence.SQLitePersister.from_values(db_path=path)
            self.saver.initialize()

    async def close(self) -> None:
        if self.saver:
            self.saver.connection.close()

    def _run(
        self,
        graph: Anything,
        ends: tuple[str, str],
        first: Callable[[int], dict[str, object]],
        pick: str,
    ) -> Run:
        async def run(i: int) -> object:
            builder = ApplicationBuilder().with_graph(graph).with_entrypoint(ends[0])
            builder = builder.with_state(**first(i)).with_identifiers(app_id=uuid.uuid4().hex)
            if self.saver:
                builder = builder.with_state_persister(self.saver)
            _, _, state = await builder.build().arun(halt_after=[ends[1]])
            found: object = state[pick]
            return found

        return run

    def _adding(self, wait: float) -> Anything:
        @action(reads=["x"], writes=["x"])  # type: ignore[untyped-decorator]  # Burr is not typed here
        async def add(state: Anything) -> Anything:
            self.visits.nodes += 1
            if wait:
                await asyncio.sleep(wait)
            return state.update(x=state["x"] + 1)

        return add

    def _giving(self, writes: Sequence[str], **values: object) -> Anything:
        @action(reads=[], writes=list(writes))  # type: ignore[untyped-decorator]  # Burr is not typed here
        async def give(state: Anything) -> Anything:
            self.visits.nodes += 1
            return state.update(**values)

        return give

    def chain(self, n: int, wait: float = 0.0) -> Run:
        names = [f"n{i}" for i in range(n)]
        builder = GraphBuilder().with_actions(**dict.fromkeys(names, self._adding(wait)))
        graph = builder.with_transitions(*itertools.pairwise(names)).build()
        return self._run(graph, (names[0], names[-1]), lambda i: {"x": 0}, "x")

    def fanout(self, n: int, wait: float = 0.0) -> Run:
        raise NotSupported

    def loop(self, n: int) -> Run:
        @action(reads=["x"], writes=[])  # type: ignore[untyped-decorator]  # Burr is not typed here
        async def done(state: Anything) -> Anything:
            return state

        builder = GraphBuilder().with_actions(body=self._adding(0.0), done=done)
        again, out = ("body", "body", expr(f"x < {n}")), ("body", "done", default)
        graph = builder.with_transitions(again, out).build()
        return self._run(graph, ("body", "done"), lambda i: {"x": 0}, "x")

    def router(self) -> Run:
        @action(reads=["i"], writes=["kind"])  # type: ignore[untyped-decorator]  # Burr is not typed here
        async def classify(state: Anything) -> Anything:
            self.visits.nodes += 1
            return state.update(kind="right" if state["i"] % 2 else "left")

        builder = GraphBuilder().with_actions(
            entry=self._giving(["e"], e=1),
            classify=classify,
            left=self._giving(["out"], out="left"),
            right=self._giving(["out"], out="right"),
            finish=self._giving(["f"], f=1),
        )
        graph = builder.with_transitions(
            ("entry", "classify"),
            ("classify", "left", when(kind="left")),
            ("classify", "right", default),
            (["left", "right"], "finish"),
        ).build()
        return self._run(graph, ("entry", "finish"), lambda i: {"i": i}, "out")

    def lanes(self, lanes: list[list[float]]) -> Run:
        raise NotSupported

    def growth(self, n: int, size: int) -> Run:
        raise NotSupported

    def steps(self, n: int) -> Run:
        return self.chain(n)

    def replay(self, n: int, *, steps: bool) -> Run:
        raise NotSupported
