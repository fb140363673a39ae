"""What tests of the scheduler share: a workflow of agents written in the test, run in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping

from orka.agent.agent import AgentType
from orka.engine.worker import Worker, World
from orka.errors import Failure
from orka.event.codec import decode
from orka.event.event import EffectAnswered, EffectRequested, Event, Fact
from orka.graph.compile import compile
from orka.graph.graph import Graph
from orka.kit.stores.memory import MemoryStore
from orka.port.handler import Handler
from orka.run.state import State
from orka.spec.load import load
from orka.testing.clock import START, clock, run_virtual
from orka.testing.replay import check_replay, started
from orka.testing.script import Reply, Script
from orka.testing.scripted import ScriptedTools
from orka.testing.soundness import complaints
from orka.value import Json

Node = Mapping[str, Json]
Cue = Callable[[Worker], None]
RUN = "r"


class Room:
    """One run of one workflow. Every drive is judged and replayed."""

    def __init__(
        self,
        kinds: Iterable[AgentType],
        nodes: Iterable[Node],
        script: Mapping[str, list[Reply | Json]] | None = None,
        *,
        handlers: Mapping[str, Handler] | None = None,
        **head: Json,
    ) -> None:
        self.store = MemoryStore()
        self.tools = ScriptedTools(Script(script or {}))
        self.handlers = {"tool": self.tools, "llm": self.tools, **(handlers or {})}
        self.catalog = {kind.name: kind for kind in kinds}
        self.graph = self.compiled(nodes, **head)

    def compiled(self, nodes: Iterable[Node], **head: Json) -> Graph:
        return compile(load(flow(nodes, **head)), self.catalog)

    def start(self, input: Json = None, cue: Cue | None = None) -> State:
        return self.drive(lambda worker: worker.start(started(self.graph, RUN, input)), cue)

    def resume(self, *facts: Fact, cue: Cue | None = None, start: float = START) -> State:
        return self.drive(lambda worker: worker.resume(facts), cue, start)

    def drive(
        self,
        drive: Callable[[Worker], Awaitable[State]],
        cue: Cue | None = None,
        start: float = START,
    ) -> State:
        async def driven() -> State:
            worker = Worker(World(self.store, self.handlers, clock), self.graph, RUN)
            if cue is not None:
                cue(worker)
            return await drive(worker)

        state = run_virtual(driven(), start=start)
        lines = self.store.read(RUN)
        assert not complaints(self.graph, lines, self.store.blob)
        assert not check_replay(self.graph, lines, self.store.blob)
        return state

    @property
    def events(self) -> list[Event]:
        return [decode(line, self.store.blob) for line in self.store.read(RUN)]

    def requests(self, id: str) -> list[EffectRequested]:
        return [e for e in self.events if isinstance(e, EffectRequested) and e.id == id]

    def answers(self, id: str) -> list[EffectAnswered]:
        return [e for e in self.events if isinstance(e, EffectAnswered) and e.id == id]

    def told(self, kind: type[Event]) -> list[str]:
        """The nodes that events of a kind are about, in order."""
        return [e.node for e in self.events if type(e) is kind]  # type: ignore[union-attr]  # node events


def output(state: State) -> Json:
    """What a run that ended gave."""
    assert state.end is not None
    return state.end.value


def failure(state: State) -> Failure:
    """Why a run that ended has no output."""
    assert state.end is not None
    assert state.end.failure is not None
    return state.end.failure


def flow(nodes: Iterable[Node], **head: Json) -> dict[str, Json]:
    """A workflow: `head` goes to the orchestrator."""
    return {"orchestrator": {"id": "w", **head}, "agents": [dict(node) for node in nodes]}
