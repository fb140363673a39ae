"""State is a fold over events: `apply` is the only thing that changes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orka.errors import Failure
from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    Decided,
    EffectAnswered,
    EffectRequested,
    Event,
    Gated,
    NodeFailed,
    NodeFinished,
    NodeReopened,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
    Noted,
    Quarantined,
    Repaired,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    Status,
    Violation,
)
from orka.graph.graph import BYPASS, Edge, Graph, Node
from orka.run.quarantine import Quarantine, screened_texts
from orka.run.scope import (
    DONE,
    FAILED,
    RUNNING,
    SKIPPED,
    STOPPED,
    STOPPED_SCOPE,
    UNSETTLED,
    Asked,
    Scope,
)
from orka.run.seal import timed_out
from orka.run.seen import Beyond
from orka.run.tally import Tally
from orka.run.tries import Once, Tries, key_of
from orka.value import Json


def _never(edge: Edge) -> bool:
    return False


def passes(node: Node) -> Callable[[Edge], bool]:
    """A node whose condition is false lets the path go on without it, and without its routes and
    branches."""
    case = BYPASS if any(edge.case == BYPASS for edge in node.out) else None
    return lambda edge: edge.case == case and not edge.error


class State:
    """All that is known about a run. `pending` is what the world still owes an answer to;
    `deadlines` are of scopes, joins and questions to people, `armed` those of the latter two that
    nobody watches yet."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.run = ""
        self.now = 0.0
        self.scopes: dict[str, Scope] = {}
        self.effects: dict[str, Asked] = {}
        self.pending: dict[str, Asked] = {}
        self.deadlines: dict[str, float] = {}
        self.armed: list[str] = []
        self.asking = 0
        self.quarantine = Quarantine()
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
                self._asks_no_more(asked)

    def _asks_no_more(self, asked: Asked) -> None:
        if asked.kind == "ask":
            self.asking -= 1
            self.deadlines.pop(asked.id, None)

    def open(self, name: str, graph: Graph, input: Json) -> Scope:
        scope = self.scopes[name] = Scope(name, graph, input)
        scope.limit = graph.timeout
        return scope

    def arm(self, scope: Scope) -> None:
        if scope.limit is not None:
            self.deadlines[scope.name] = round(self.now + scope.limit, 6)

    def timed(self, key: str) -> tuple[Scope, int]:
        """The join whose deadline has this key: its scope and id, as a path."""
        return self.owner(f"{key}#")

    def _forget_joins(self, scope: Scope) -> None:
        for index in scope.graph.timed:
            self.deadlines.pop(f"{scope.prefix}{scope.graph.nodes[index].id}", None)

    def _run_started(self, event: RunStarted) -> None:
        self.run, self.now = event.run, event.at
        self.arm(self.open("", self.graph, event.input))
        self._screened(event.screened)

    def _run_resumed(self, event: RunResumed) -> None:
        waited = self.status == "waiting"
        self.now, self.end = event.at, None
        self.scopes[""].closed = False
        for name in ("", *self.deadlines):
            if name in self.scopes:
                self.arm(self.scopes[name])
            elif name in self.pending:
                continue  # a person's time goes on while nobody drives the run
            elif not waited:  # a join waits no longer because a person takes longer
                scope, index = self.timed(name)
                self._arm_join(scope, index)

    def _arm_join(self, scope: Scope, index: int) -> None:
        node = scope.graph.nodes[index]
        if node.rule and node.rule.deadline is not None and scope.status[index] == UNSETTLED:
            key = f"{scope.prefix}{node.id}"
            self.deadlines[key] = round(self.now + node.rule.deadline, 6)
            self.armed.append(key)

    def _clock(self, event: CancelAsked) -> None:
        self.now = event.at

    def _deadline_passed(self, event: DeadlinePassed) -> None:
        self.now = event.at
        asked = self.pending.pop(event.scope, None)
        if asked is not None:
            self._asks_no_more(asked)
            self._settle(asked, None, timed_out(asked.payload))

    def _settle(self, asked: Asked, value: Json, error: Failure | None) -> None:
        asked.answered, asked.value, asked.error, asked.at = True, value, error, self.now
        asked.scope.asked[asked.index].pop(asked.id, None)

    def _answered(self, event: EffectAnswered) -> None:
        self.now = event.at
        asked = self.pending.pop(event.id)
        self._asks_no_more(asked)
        self._settle(asked, event.value, event.error)
        if asked.key is not None and event.error is None and asked.scope.once is not None:
            asked.scope.once.keep(asked.key, asked.id)
        self._count(asked, event.spent)
        self._screened(event.screened)

    def _screened(self, screened: Mapping[str, Json] | None) -> None:
        if (texts := screened_texts(screened)) is not None:
            self.quarantine.add(texts)

    def _count(self, asked: Asked, spent: Mapping[str, Json] | None) -> None:
        """What an attempt took counts for its effect, and for every scope it was asked in."""
        if spent is None and asked.kind != "llm":
            return
        at: Asked | None = asked
        while at is not None:
            at.took = at.took or Tally()
            at.took.answered(asked.kind, spent)
            at = self.effects.get(at.scope.name)

    def _requested(self, event: EffectRequested) -> None:
        asked = self.effects.get(event.id)
        if asked is None:
            scope, index = self.owner(event.id)
            asked = self.effects[event.id] = Asked(event, scope, index)
            if scope.once is not None and (key := key_of(event.kind, event.payload)):
                asked.key = key
                scope.once.take(key)
        if event.answer:
            asked.answered, asked.value, asked.at = True, self.effects[event.answer].value, self.now
            return
        asked.attempt, asked.retried, asked.answered = event.attempt, event.retried, False
        wait = event.payload["seconds"] if event.kind == "sleep" else event.wait
        asked.due = self.now + wait if wait else 0.0
        asked.scope.asked.setdefault(asked.index, {})[event.id] = None
        if event.kind != "graph":
            self.pending[event.id] = asked
            if event.kind == "ask":
                self._asks_person(asked, event.payload)

    def _asks_person(self, asked: Asked, payload: Json) -> None:
        """Asked again, it has another seal and more time."""
        self.asking += 1
        asked.payload = payload
        if (until := payload.get("expires")) is not None:
            self.deadlines[asked.id] = until
            self.armed.append(asked.id)

    def _scope_opened(self, event: ScopeOpened) -> None:
        scope = self.scopes.get(event.scope)
        asked = self.effects[event.scope]
        asked.answered = False
        if scope is None:
            node = asked.scope.graph.nodes[asked.index]
            scope = self.open(event.scope, node.inner[event.graph], asked.payload["input"])
            scope.limit = scope.limit if scope.limit is not None else asked.timeout
            self._surround(scope, asked)
        asked.scope.asked.setdefault(asked.index, {})[event.scope] = None
        scope.closed, scope.dying = False, None
        self.arm(scope)

    def _surround(self, scope: Scope, asked: Asked) -> None:
        """What an inner scope sees from outside, and of which tries it is part."""
        scope.opener, scope.once = asked.scope, asked.scope.once
        if number := asked.payload.get("once"):
            tries = asked.scope.tries.setdefault(asked.index, Tries())
            scope.once = Once(tries, number, scope.once)
        given, names = asked.payload.get("outputs", {}), asked.payload.get("names", {})
        if scope.graph.closed:
            scope.beyond, scope.names = given, names
            return
        seen = asked.scope.view(asked.index)
        scope.beyond = Beyond(given, seen)
        scope.names = {**asked.scope.names, **names} if names else asked.scope.names

    def _node_started(self, event: NodeStarted) -> None:
        scope = self.scopes[event.scope]
        index = scope.graph.index[event.node]
        scope.status[index] = RUNNING
        scope.running[index] = None
        scope.began[index] = self.now
        scope.seen[index] = len(scope.values)
        if scope.graph.timed:
            self.deadlines.pop(f"{scope.prefix}{event.node}", None)

    def _node_skipped(self, event: NodeSkipped) -> None:
        scope = self.scopes[event.scope]
        node = scope.graph.nodes[scope.graph.index[event.node]]
        if event.reason == "late":
            self.drop(scope, node.index)
        if scope.graph.timed:
            self.deadlines.pop(f"{scope.prefix}{event.node}", None)
        scope.settle(node, SKIPPED, passes(node) if event.reason == "when" else _never)

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
        for index, _ in node.arms:
            self._arm_join(scope, index)

    def _node_failed(self, event: NodeFailed) -> None:
        scope = self.scopes[event.scope]
        node = scope.graph.nodes[scope.graph.index[event.node]]
        self.drop(scope, node.index)
        if event.taken:
            failure = event.failure
            error = {"code": failure.code, "message": failure.message}
            scope.keep(event.node, {"error": error})
            taken, nodes = event.taken, scope.graph.nodes
            scope.settle(node, FAILED, lambda edge: edge.error and nodes[edge.target].id in taken)
        else:
            scope.dying = scope.dying or event.failure
            scope.status[node.index] = FAILED
            scope.running.pop(node.index, None)
            scope.failed[node.index] = (event.failure.effect, *event.failure.also)

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
        scope.stopped.pop(index, None)
        if scope.graph.nodes[index].rule:  # it waits for its branches again
            scope.status[index] = UNSETTLED
            scope.seen.pop(index, None)
            self._arm_join(scope, index)
        else:
            scope.status[index] = RUNNING
            scope.running[index] = None
        for id in scope.failed.pop(index, ()):
            if cause := self.effects.get(id):
                cause.answered = False

    def _scope_closed(self, event: ScopeClosed) -> None:
        scope = self.scopes[event.scope]
        scope.closed = True
        self.deadlines.pop(event.scope, None)
        self._forget_joins(scope)
        asked = self.effects[event.scope]
        asked.answered = event.failure is None or event.failure.code != STOPPED_SCOPE
        asked.value, asked.error, asked.at = event.value, event.failure, self.now
        asked.scope.asked.get(asked.index, {}).pop(event.scope, None)
        if event.failure is None:  # only a scope that failed or was stopped is ever opened again
            del self.scopes[event.scope]

    def _run_finished(self, event: RunFinished) -> None:
        self.scopes[""].closed, self.scopes[""].dying = True, None
        self.deadlines.clear()
        self.end = event

    def _quarantined(self, event: Quarantined) -> None:
        self.quarantine.add(event.texts)

    def _remembered(self, event: Violation | Repaired | Noted | Decided | Gated) -> None:
        """A remark changes nothing: it is there to be read."""


_APPLY: dict[type[Event], Callable[[State, Any], None]] = {  # Any: each takes its own event
    RunStarted: State._run_started,
    RunResumed: State._run_resumed,
    DeadlinePassed: State._deadline_passed,
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
    Decided: State._remembered,
    Gated: State._remembered,
    Quarantined: State._quarantined,
}
