"""How things end: a node fails, a scope drains and closes, time is up, somebody cancels.

A failure that nothing catches ends its scope, but not at once: answers that are under way are paid
for and are waited for, so that they can be kept; nothing new begins meanwhile.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from msgspec import structs

from orka.agent.view import answer_of
from orka.errors import Failure
from orka.event.event import (
    Event,
    NodeFailed,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
    RunFinished,
    ScopeClosed,
    Status,
)
from orka.graph.graph import Graph, Node
from orka.run.scope import DONE, FAILED, RUNNING, STOPPED_SCOPE, UNSETTLED, Asked, Call, Scope
from orka.run.state import State
from orka.run.strand import Strand
from orka.value import Json

_STOPPED = Failure(code=STOPPED_SCOPE, message="stopped from above")
# Effects whose answer is worth waiting for once the run is about to fail.
_KEPT = ("llm", "tool", "memory")


class Ends:
    """What the scheduler does when something ends. It shares the scheduler's state."""

    def __init__(self, graph: Graph) -> None:
        self.state = State(graph)
        self._made: list[Event] = []
        self._now = 0.0
        self._agenda: deque[tuple[Any, ...]] = deque()  # (method, *arguments)
        self._strands: dict[tuple[str, int], Strand] = {}
        self._waiting: dict[str, Strand] = {}
        self._calls: dict[str, Call] = {}  # by the question to a person that stands before it
        self._dying: dict[str, None] = {}

    def _emit(self, event: Event) -> None:
        self._made.append(event)
        self.state.apply(event)

    def _settled(self, scope: Scope, node: Node) -> None:
        raise NotImplementedError

    def _begin(self, scope: Scope, node: Node) -> None:
        raise NotImplementedError

    def _deliver(self, asked: Asked) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Let go of all coroutines; the state stays as it is. Nothing can be learned any more."""
        for strand in self._strands.values():
            strand.stop()
        self._strands.clear()

    # ---- a node fails

    def _node_failed(self, scope: Scope, node: Node, failure: Failure) -> None:
        self._stop_strand(scope, node.index)
        if not failure.where:
            failure = structs.replace(failure, where=f"agent {node.id!r}")
        caught = _catches(scope.graph, node, failure)
        self._emit(NodeFailed(node.id, failure, scope.name, caught))
        if caught:
            self._settled(scope, node)
        else:
            self._dying[scope.name] = None

    def _stop_strand(self, scope: Scope, index: int) -> None:
        """Stop the scopes a node has open, then its coroutines."""
        for id in list(scope.asked.get(index, ())):
            child = self.state.scopes.get(id)
            if child is not None and not child.closed:
                self._end_scope(child, _STOPPED, "")
            self._waiting.pop(id, None)
            self._calls.pop(id, None)
        strand = self._strands.pop((scope.name, index), None)
        if strand is not None:
            strand.stop()

    # ---- a scope drains

    def _drains(self, scope: Scope | None) -> bool:
        """True if nothing new may begin in a scope: it, or one around it, is about to fail."""
        if not self._dying:
            return False
        while scope is not None:
            if scope.dying is not None:
                return True
            scope = scope.opener
        return False

    def _drain(self) -> None:
        """End the scopes about to fail in which nothing is under way any more; innermost first."""
        for name in sorted(self._dying, key=len, reverse=True):
            scope = self.state.scopes.get(name)
            if scope is None or scope.closed or scope.dying is None:
                self._dying.pop(name, None)
                continue
            for index in list(scope.running):
                if not self._under_way(scope, index):
                    self._halt(scope, index)
            if not scope.running:
                del self._dying[name]
                self._end_scope(scope, scope.dying, "failed")

    def _under_way(self, scope: Scope, index: int) -> bool:
        for id in scope.asked.get(index, ()):
            asked = self.state.pending.get(id)
            if asked is not None and asked.kind in _KEPT:
                return True
            child = self.state.scopes.get(id)
            if child is not None and any(self._under_way(child, at) for at in child.running):
                return True
        return False

    def _halt(self, scope: Scope, index: int) -> None:
        self._stop_strand(scope, index)
        self._emit(NodeStopped(scope.graph.nodes[index].id, scope.name))

    def _end_scope(self, scope: Scope, failure: Failure, status: Status | str) -> None:
        """Stop what still runs in a scope and close it. An empty status: the opener is gone too."""
        for index in list(scope.running):
            self._halt(scope, index)
        if scope.name:
            self._emit(ScopeClosed(scope.name, None, failure))
            if status:
                self._agenda.append((self._deliver, self.state.effects[scope.name]))
        else:
            ended: Status = "cancelled" if status == "cancelled" else "failed"
            self._emit(RunFinished(ended, None, failure))

    def _close(self, scope: Scope) -> None:
        """Close a scope in which everything is settled."""
        if scope.closed or scope.left:
            return
        value = _value(scope)
        if scope.name:
            opener = self.state.effects[scope.name]
            collected = dict(scope.values) if opener.payload.get("collect") else value
            self._emit(ScopeClosed(scope.name, collected))
            self._deliver(opener)
        else:
            self._emit(RunFinished("completed", value))

    # ---- time is up

    def _deadline(self, key: str) -> None:
        scope = self.state.scopes.get(key)
        if scope is None:
            asked = self.state.effects.get(key)
            if asked is not None:
                self._deliver(asked)
            else:
                self._join_time(*self.state.timed(key))
            return
        what = f"scope {scope.name!r}" if scope.name else "the run"
        late = Failure(
            code="timeout",
            message=f"{what} did not end within {scope.limit} s",
            fix="raise `timeout`, or look with `orka show` at what it waited for",
        )
        self._end_scope(scope, scope.dying or late, "failed")

    def _join_time(self, scope: Scope, index: int) -> None:
        """A join's time is up: it goes on with the branches that are there."""
        node = scope.graph.nodes[index]
        if self._drains(scope) or scope.status[index] != UNSETTLED:
            return
        if scope.arrived.get(index):
            self._leave_late(scope, node)
            self._begin(scope, node)
            return
        self._emit(NodeStarted(node.id, scope.name))
        limit = node.rule.deadline if node.rule else None
        self._node_failed(
            scope,
            node,
            Failure(
                code="timeout",
                message=f"no branch of join {node.id!r} ended within {limit} s",
                fix="raise its `deadline`, or make the branches faster",
            ),
        )

    def _leave_late(self, scope: Scope, node: Node) -> None:
        """Leave out what a join does not wait for."""
        for index in node.rule.late if node.rule else ():
            if scope.status[index] in (UNSETTLED, RUNNING):
                late = scope.graph.nodes[index]
                self._stop_strand(scope, index)
                self._emit(NodeSkipped(late.id, scope.name, "late"))
                self._settled(scope, late)


def _value(scope: Scope) -> Json:
    """What the end nodes gave; of a file of OrKa 0.9 what the last agent that answers said."""
    index, status = scope.graph.index, scope.status
    said = [id for id in scope.graph.answers if status[index[id]] == DONE]
    if said and not scope.name:
        return answer_of(scope.values[max(said, key=scope.places.__getitem__)])
    done = {id: scope.values[id] for id in scope.graph.ends if status[index[id]] == DONE}
    return next(iter(done.values())) if len(done) == 1 else done or None


def fallen(scope: Scope, node: Node) -> Failure | None:
    """Why a join that tolerates no failure fails: one of its branches did."""
    for id in node.strict:
        if scope.status[scope.graph.index[id]] == FAILED:
            error = scope.values[id]["error"]
            message = f"agent {id!r} of a branch failed: {error['message']}"
            return Failure(code=error["code"], message=message)
    return None


def _catches(graph: Graph, node: Node, failure: Failure) -> tuple[str, ...]:
    """The nodes that an error edge leads to: those for this very code, or else those for any."""
    edges = [edge for edge in node.out if edge.error]
    exact = [edge for edge in edges if edge.case == failure.code]
    found = exact or [edge for edge in edges if edge.case is None]
    return tuple(dict.fromkeys(graph.nodes[edge.target].id for edge in found))
