"""LangGraph's StateGraph.

none     no checkpointer
sqlite   AsyncSqliteSaver, durability "sync": a step is on disk before the next one starts
"""

from __future__ import annotations

import asyncio
import operator
import os
import uuid
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypedDict

# These are installed in this peer's virtual environment only.
from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]
from workloads import NotSupported, Run, Visits, text

State = dict[str, Any]  # Any: what LangGraph hands to a node
Node = Callable[[State], Awaitable[State]]


class Number(TypedDict):
    x: int


class Items(TypedDict):
    items: Annotated[list[Any], operator.add]  # Any: numbers or texts


class Route(TypedDict):
    i: int
    kind: str
    out: str


class Peer:
    """Implements `workloads.Peer`."""

    def __init__(self, variant: str, folder: str, visits: Visits) -> None:
        self.variant, self.folder, self.visits = variant, folder, visits
        self.saver: Any = None  # Any: LangGraph is not typed here
        self._entered: Any = None  # Any: the same

    async def open(self) -> None:
        if self.variant == "sqlite":
            # Heavy, so it is imported where it is used.
            from langgraph.checkpoint.sqlite import (  # type: ignore[import-not-found]  # noqa: PLC0415
                aio,
            )

            path = os.path.join(self.folder, "langgraph.db")
            self._entered = aio.AsyncSqliteSaver.from_conn_string(path)
            self.saver = await self._entered.__aenter__()

    async def close(self) -> None:
        if self.saver:
            await self.saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            await self._entered.__aexit__(None, None, None)

    def _run(
        self,
        built: Any,  # Any: a StateGraph
        first: Callable[[int], State],
        steps: int,
        pick: Callable[[State], object],
    ) -> Run:
        graph = built.compile(checkpointer=self.saver)
        durable = {"durability": "sync"} if self.saver else {}

        async def run(i: int) -> object:
            config: State = {"recursion_limit": steps + 10}
            if self.saver:
                config["configurable"] = {"thread_id": uuid.uuid4().hex}
            return pick(await graph.ainvoke(first(i), config, **durable))

        return run

    def _line(self, schema: type, node: Node, n: int) -> Any:  # Any: a StateGraph
        graph = StateGraph(schema)
        names = [f"n{i}" for i in range(n)]
        for name in names:
            graph.add_node(name, node)
        for one, other in zip([START, *names], [*names, END], strict=True):
            graph.add_edge(one, other)
        return graph

    def chain(self, n: int, wait: float = 0.0) -> Run:
        async def add(state: State) -> State:
            self.visits.nodes += 1
            if wait:
                await asyncio.sleep(wait)
            return {"x": state["x"] + 1}

        return self._run(self._line(Number, add, n), lambda i: {"x": 0}, n, lambda s: s["x"])

    def _giving(self, wait: float, items: list[object]) -> Node:
        async def give(state: State) -> State:
            self.visits.nodes += 1
            if wait:
                await asyncio.sleep(wait)
            return {"items": items}

        return give

    def fanout(self, n: int, wait: float = 0.0) -> Run:
        graph = StateGraph(Items)
        graph.add_node("source", self._giving(0.0, []))
        graph.add_node("join", self._giving(0.0, []))
        names = [f"b{i}" for i in range(n)]
        for name in names:
            graph.add_node(name, self._giving(wait, [1]))
            graph.add_edge("source", name)
        graph.add_edge(names, "join")
        graph.add_edge(START, "source")
        graph.add_edge("join", END)
        return self._run(graph, lambda i: {"items": []}, 15, lambda s: sum(s["items"]))

    def loop(self, n: int) -> Run:
        async def add(state: State) -> State:
            self.visits.nodes += 1
            return {"x": state["x"] + 1}

        graph = StateGraph(Number)
        graph.add_node("body", add)
        graph.add_edge(START, "body")
        graph.add_conditional_edges(
            "body", lambda state: "body" if state["x"] < n else END, ["body", END]
        )
        return self._run(graph, lambda i: {"x": 0}, n, lambda s: s["x"])

    def router(self) -> Run:
        def giving(**values: object) -> Node:
            async def give(state: State) -> State:
                self.visits.nodes += 1
                return values

            return give

        async def classify(state: State) -> State:
            self.visits.nodes += 1
            return {"kind": "right" if state["i"] % 2 else "left"}

        graph = StateGraph(Route)
        graph.add_node("entry", giving(kind=""))
        graph.add_node("classify", classify)
        graph.add_node("left", giving(out="left"))
        graph.add_node("right", giving(out="right"))
        graph.add_node("finish", giving(kind="done"))
        graph.add_edge(START, "entry")
        graph.add_edge("entry", "classify")
        graph.add_conditional_edges("classify", lambda state: state["kind"], ["left", "right"])
        graph.add_edge("left", "finish")
        graph.add_edge("right", "finish")
        graph.add_edge("finish", END)
        return self._run(graph, lambda i: {"i": i}, 15, lambda s: s["out"])

    def lanes(self, lanes: list[list[float]]) -> Run:
        graph = StateGraph(Items)
        graph.add_node("join", self._giving(0.0, []))
        last = []
        for number, waits in enumerate(lanes):
            before = START
            for step, wait in enumerate(waits):
                name = f"lane{number}_{step}"
                graph.add_node(name, self._giving(wait, [1]))
                graph.add_edge(before, name)
                before = name
            last.append(before)
        graph.add_edge(last, "join")
        graph.add_edge("join", END)
        return self._run(graph, lambda i: {"items": []}, 15, lambda s: sum(s["items"]))

    def growth(self, n: int, size: int) -> Run:
        graph = self._line(Items, self._giving(0.0, [text(size)]), n)
        return self._run(graph, lambda i: {"items": []}, n, lambda s: sum(map(len, s["items"])))

    def steps(self, n: int) -> Run:
        return self.chain(n)

    def replay(self, n: int, *, steps: bool) -> Run:
        raise NotSupported
