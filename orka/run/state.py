"""State is a fold over events: `apply` is the only thing that changes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orka.errors import Failure
from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    EffectAnswered,
    EffectRequested,
    Event,
    NodeFailed,
    NodeFinished,
    NodeReopened,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
    Noted,
    Repaired,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    Status,
    Violation,
)
from orka.graph.graph import Edge, Graph, Node
from orka.run.seen import Seen
from orka.value import Json

UNSETTLED, RUNNING, DONE, SKIPPED, FAILED, STOPPED = range(6)
# The failure code of a scope whose opener was stopped: no answer, so a resume goes on inside.
STOPPED_SCOPE = "scope.stopped"


class Asked:
    """One effect: the question, and what came back. `retried` counts retries in a row."""

    __slots__ = (
        "answered",
        "at",
        "attempt",
        "due",
        "error",
        "id",
        "index",
        "kind",
        "payload",
        "retried",
        "scope",
        "timeout",
        "value",
    )

    def __init__(self, event: EffectRequested, scope: Scope, index: int) -> None:
        self.id, self.kind, self.payload = event.id, event.kind, event.payload
        self.scope, self.index = scope, index
        self.attempt, self.retried = event.attempt, event.retried
        self.timeout = event.timeout
        self.due = self.at = 0.0
        self.answered = False
        self.value: Json = None
        self.error: Failure | None = None


class Scope:
    """One activation of a graph: counters per node, so that settling one touches only its edges."""

    __slots__ = (
        "asked",
        "began",
        "closed",
        "failed",
        "fired",
        "graph",
        "input",
        "left",
        "limit",
        "missed",
        "name",
        "places",
        "prefix",
        "running",
        "seen",
        "status",
        "stopped",
        "values",
        "waiting",
    )

    def __init__(self, name: str, graph: Graph, input: Json) -> None:
        size = len(graph.nodes)
        self.name, self.graph, self.input = name, graph, input
        self.prefix = f"{name}/" if name else ""
        self.status = bytearray(size)
        self.waiting = list(graph.needs)
        self.fired = bytearray(size)
        self.values: dict[str, Json] = {}
        self.places: dict[str, int] = {}
        self.seen: dict[int, int] = {}
        self.running: dict[int, None] = {}
        self.asked: dict[int, dict[str, None]] = {}
        self.began: dict[int, float] = {}
        self.failed: dict[int, str] = {}
        self.stopped: dict[int, None] = {}
        self.missed: list[int] = []
        self.left = size
        self.closed = False
        self.limit: float | None = None

    def keep(self, id: str, value: Json) -> None:
        """Remember a node's output and its place: those that start later see it."""
        self.places[id] = len(self.values)
        self.values[id] = value

    def view(self, index: int) -> Seen:
        """The outputs a node sees: those there when it started, or would start now."""
        return Seen(self.values, self.places, self.seen.get(index, len(self.values)))

    def settle(self, node: Node, status: int, taken: Callable[[Edge], bool] | None) -> None:
        """Decide all edges of a node. `taken` None: all of them lead on."""
        self.status[node.index] = status
        self.running.pop(node.index, None)
        self.left -= 1
        for edge in node.out:
            self.waiting[edge.target] -= 1
            if taken is None or taken(edge):
                self.fired[edge.target] = 1


def _never(edge: Edge) -> bool:
    return False


def _passes(edge: Edge) -> bool:
    """A node whose condition is false lets the path go on without it."""
    return edge.case is None and not edge.error


class State:
    """All that is known about a run. `pending` is what the world still owes an answer to."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.run = ""
        self.now = 0.0
        self.scopes: dict[str, Scope] = {}
        self.effects: dict[str, Asked] = {}
        self.pending: dict[str, Asked] = {}
        self.deadlines: dict[str, float] = {}
        self.asking = 0
        self.end: RunFinished | None = None

    @property
    def status(self) -> Status:
        if self.end:
            return self.end.status
        return "waiting" if self.asking and self.asking == len(self.pending) else "running"

    def apply(self, event: Event) -> None:
        _APPLY[type(event)](self, event)

    def owner(self, effect: str) -> tuple[Scope, int]:
        """The node that asked for an effect: ids are `scope/node#ordinal`."""
        scope, _, rest = effect.rpartition("/")
        found = self.scopes[scope]
        return found, found.graph.index[rest.partition("#")[0]]

    def drop(self, scope: Scope, index: int) -> None:
        """Forget what a node still waits for."""
        for id in scope.asked.pop(index, ()):
            if asked := self.pending.pop(id, None):
                self.asking -= asked.kind == "ask"

    def open(self, name: str, graph: Graph, input: Json) -> Scope:
        scope = self.scopes[name] = Scope(name, graph, input)
        scope.limit = graph.timeout
        return scope

    def arm(self, scope: Scope) -> None:
        if scope.limit is not None:
            self.deadlines[scope.name] = round(self.now + scope.limit, 6)

    def _run_started(self, event: RunStarted) -> None:
        self.run, self.now = event.run, event.at
        self.arm(self.open("", self.graph, event.input))

    def _run_resumed(self, event: RunResumed) -> None:
        self.now, self.end = event.at, None
        self.scopes[""].closed = False
        for name in ("", *self.deadlines):
            self.arm(self.scopes[name])

    def _clock(self, event: DeadlinePassed | CancelAsked) -> None:
        self.now = event.at

    def _answered(self, event: EffectAnswered) -> None:
        self.now = event.at
        asked = self.pending.pop(event.id)
        self.asking -= asked.kind == "ask"
        asked.answered, asked.value, asked.error, asked.at = (
            True,
            event.value,
            event.error,
            event.at,
        )
        asked.scope.asked[asked.index].pop(event.id, None)

    def _requested(self, event: EffectRequested) -> None:
        asked = self.effects.get(event.id)
        if asked is None:
            scope, index = self.owner(event.id)
            asked = self.effects[event.id] = Asked(event, scope, index)
        asked.attempt, asked.retried, asked.answered = event.attempt, event.retried, False
        wait = event.payload["seconds"] if event.kind == "sleep" else event.wait
        asked.due = self.now + wait if wait else 0.0
        asked.scope.asked.setdefault(asked.index, {})[event.id] = None
        if event.kind != "graph":
            self.pending[event.id] = asked
            self.asking += event.kind == "ask"

    def _scope_opened(self, event: ScopeOpened) -> None:
        scope = self.scopes.get(event.scope)
        asked = self.effects[event.scope]
        asked.answered = False
        if scope is None:
            node = asked.scope.graph.nodes[asked.index]
            scope = self.open(event.scope, node.inner[event.graph], asked.payload["input"])
            scope.limit = scope.limit if scope.limit is not None else asked.timeout
        asked.scope.asked.setdefault(asked.index, {})[event.scope] = None
        scope.closed = False
        self.arm(scope)

    def _node_started(self, event: NodeStarted) -> None:
        scope = self.scopes[event.scope]
        index = scope.graph.index[event.node]
        scope.status[index] = RUNNING
        scope.running[index] = None
        scope.began[index] = self.now
        scope.seen[index] = len(scope.values)

    def _node_skipped(self, event: NodeSkipped) -> None:
        scope = self.scopes[event.scope]
        node = scope.graph.nodes[scope.graph.index[event.node]]
        scope.settle(node, SKIPPED, _passes if event.reason == "when" else _never)

    def _node_finished(self, event: NodeFinished) -> None:
        scope = self.scopes[event.scope]
        node = scope.graph.nodes[scope.graph.index[event.node]]
        value = self.effects[event.answer].value if event.answer else event.value
        scope.keep(event.node, value)
        taken = event.taken
        if taken is None:
            scope.settle(node, DONE, None)
        else:
            names = scope.graph.nodes
            scope.settle(node, DONE, lambda edge: names[edge.target].id in taken)
        scope.asked.pop(node.index, None)

    def _node_failed(self, event: NodeFailed) -> None:
        scope = self.scopes[event.scope]
        node = scope.graph.nodes[scope.graph.index[event.node]]
        self.drop(scope, node.index)
        if event.taken:
            failure = event.failure
            error = {"code": failure.code, "message": failure.message}
            scope.keep(event.node, {"error": error})
            scope.settle(node, FAILED, lambda edge: edge.error)
        else:
            scope.status[node.index] = FAILED
            scope.running.pop(node.index, None)
            scope.failed[node.index] = event.failure.effect

    def _node_stopped(self, event: NodeStopped) -> None:
        scope = self.scopes[event.scope]
        index = scope.graph.index[event.node]
        self.drop(scope, index)
        scope.status[index] = STOPPED
        scope.running.pop(index, None)
        scope.stopped[index] = None

    def _node_reopened(self, event: NodeReopened) -> None:
        scope = self.scopes[event.scope]
        index = scope.graph.index[event.node]
        scope.status[index] = RUNNING
        scope.running[index] = None
        scope.stopped.pop(index, None)
        if cause := self.effects.get(scope.failed.pop(index, "")):
            cause.answered = False

    def _scope_closed(self, event: ScopeClosed) -> None:
        scope = self.scopes[event.scope]
        scope.closed = True
        self.deadlines.pop(event.scope, None)
        asked = self.effects[event.scope]
        asked.answered = event.failure is None or event.failure.code != STOPPED_SCOPE
        asked.value, asked.error, asked.at = event.value, event.failure, self.now
        asked.scope.asked.get(asked.index, {}).pop(event.scope, None)
        if event.failure is None:  # only a scope that failed or was stopped is ever opened again
            del self.scopes[event.scope]

    def _run_finished(self, event: RunFinished) -> None:
        self.scopes[""].closed = True
        self.deadlines.clear()
        self.end = event

    def _remembered(self, event: Violation | Repaired | Noted) -> None:
        """A remark changes nothing: it is there to be read."""


_APPLY: dict[type[Event], Callable[[State, Any], None]] = {  # Any: each takes its own event
    RunStarted: State._run_started,
    RunResumed: State._run_resumed,
    DeadlinePassed: State._clock,
    CancelAsked: State._clock,
    EffectAnswered: State._answered,
    EffectRequested: State._requested,
    ScopeOpened: State._scope_opened,
    NodeStarted: State._node_started,
    NodeSkipped: State._node_skipped,
    NodeFinished: State._node_finished,
    NodeFailed: State._node_failed,
    NodeStopped: State._node_stopped,
    NodeReopened: State._node_reopened,
    ScopeClosed: State._scope_closed,
    RunFinished: State._run_finished,
    Violation: State._remembered,
    Repaired: State._remembered,
    Noted: State._remembered,
}
