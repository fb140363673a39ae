"""OrKa through its public door: `load` once, `Runtime.run` for each run, the full trace always on.

trace     the memory store
durable   the SQLite store as it is by default: what is recorded survives a crash of the process
power     the SQLite store, on disk before the run goes on: survives a power cut
sleep     as `trace`, but a node waits with `ctx.sleep` (a durable timer) instead of an async tool

A node that does nothing is an agent that decides. Its output follows from what is recorded, so a
chain of such nodes is one durable step. A node that waits calls an async tool that sleeps, because
a peer's node awaits its sleep itself: both are work done outside the graph, but here the question
and the answer are recorded too. Where a workload is about durable steps or growing state, each node
calls an async tool as well, so that its answer is recorded before the run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping

from workloads import Run, Visits

import orka
from orka.value import Json
from peers.orka_agents import things

Agent = dict[str, Json]


class Peer:
    """Implements `workloads.Peer`."""

    def __init__(self, variant: str, folder: str, visits: Visits) -> None:
        stored = variant in ("durable", "power")
        self.wait = "sleep" if variant == "sleep" else "pause"
        self.runtime = orka.Runtime(
            store=folder if stored else ":memory:",
            durability="power" if variant == "power" else "",
            use=things(visits),
        )

    async def open(self) -> None:
        """The store opens itself."""

    async def close(self) -> None:
        await self.runtime.close()

    def _run(self, workflow: Mapping[str, Json], *, numbered: bool = False) -> Run:
        loaded = orka.load(workflow)

        async def run(i: int) -> object:
            return (await self.runtime.run(loaded, i if numbered else 0)).output_or_raise()

        return run

    def chain(self, n: int, wait: float = 0.0) -> Run:
        kind = {"type": self.wait, "seconds": wait} if wait else {"type": "add"}
        return self._run(_sequence([{"id": f"n{i}", **kind} for i in range(n)]))

    def fanout(self, n: int, wait: float = 0.0) -> Run:
        names = [f"b{i}" for i in range(n)]
        kind = {"type": self.wait, "seconds": wait} if wait else {"type": "one"}
        agents: list[Agent] = [{"id": "source", "type": "zero"}]
        agents += [{"id": name, **kind, "depends_on": ["source"]} for name in names]
        agents += [{"id": "join", "type": "total", "depends_on": names}]
        return self._run(_graph(agents))

    def loop(self, n: int) -> Run:
        body = _sequence([{"id": "body", "type": "add"}])
        return self._run(_sequence([{"id": "again", "type": "repeat", "until": n, "body": body}]))

    def router(self) -> Run:
        return self._run(
            _graph(
                [
                    {"id": "entry", "type": "one"},
                    {"id": "classify", "type": "side", "depends_on": ["entry"]},
                    _side("left"),
                    _side("right"),
                    {"id": "finish", "type": "last", "depends_on": ["left", "right"]},
                ]
            ),
            numbered=True,
        )

    def lanes(self, lanes: list[list[float]]) -> Run:
        agents: list[Agent] = [{"id": "source", "type": "zero"}]
        last = []
        for number, waits in enumerate(lanes):
            before = "source"
            for step, seconds in enumerate(waits):
                name = f"lane{number}_{step}"
                agents.append(
                    {"id": name, "type": self.wait, "seconds": seconds, "depends_on": [before]}
                )
                before = name
            last.append(before)
        agents.append({"id": "join", "type": "total", "depends_on": last})
        return self._run(_graph(agents))

    def growth(self, n: int, size: int) -> Run:
        agents = [{"id": f"n{i}", "type": "turn", "size": size} for i in range(n)]
        loaded = orka.load(_sequence(agents))

        async def run(i: int) -> object:
            done = await self.runtime.run(loaded, i)
            return sum(map(len, done.outputs.values()))

        return run

    def steps(self, n: int) -> Run:
        return self._run(_sequence([{"id": f"n{i}", "type": "work"} for i in range(n)]))

    def replay(self, n: int, *, steps: bool) -> Run:
        kind = "work" if steps else "add"
        workflow = orka.load(_sequence([{"id": f"n{i}", "type": kind} for i in range(n)]))
        recorded: list[orka.Run] = []

        async def run(i: int) -> object:
            if not recorded:
                recorded.append(await self.runtime.run(workflow, 0))
            end = self.runtime.replay(recorded[0].id).scheduler.state.end
            return end.value if end else None

        return run


def _sequence(agents: list[Agent]) -> dict[str, Json]:
    names = [agent["id"] for agent in agents]
    return {"orchestrator": {"id": "bench", "agents": names}, "agents": agents}


def _graph(agents: list[Agent]) -> dict[str, Json]:
    written = _sequence(agents)
    return {**written, "orchestrator": {**written["orchestrator"], "strategy": "graph"}}


def _side(side: str) -> Agent:
    condition = f"previous_outputs.classify == '{side}'"
    return {"id": side, "type": "name", "depends_on": ["classify"], "when": condition}
