"""Judges single nodes of a trace: they start, end and are left out only when they may."""

from __future__ import annotations

from orka.event.event import (
    Decided,
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
    Violation,
)
from orka.graph.graph import BYPASS, Graph, Node
from orka.testing.ledger import DECIDED, Question, ScopeNotes, caught_by, follows
from orka.value import Json

NodeEvent = (
    NodeStarted
    | NodeSkipped
    | NodeFinished
    | NodeFailed
    | NodeStopped
    | NodeReopened
    | Violation
    | Repaired
    | Noted
    | Decided
    | Quarantined
    | Gated
)


class NodeJudge:
    """What is known of a trace so far, and in `found` what it breaks."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.found: list[str] = []
        self.scopes: dict[str, ScopeNotes] = {}
        self.questions: dict[str, Question] = {}
        self.run, self.now, self.seq = "", 0.0, -1
        self.ended: RunFinished | None = None
        self.verdicts: dict[str, str] = {}
        self.must_retry = ""
        self.must_fail: tuple[str, str] | None = None
        self.must_end: dict[tuple[str, str], None] = {}
        self.resumes, self.halted = False, ("", "")

    def say(self, what: str) -> None:
        self.found.append(f"event {self.seq}: {what}")

    def _node_event(self, event: NodeEvent) -> None:
        scope = self.scopes.get(event.scope)
        node = scope.node(event.node) if scope else None
        if scope is None or node is None:
            return self.say(f"there is no node {event.node!r} in scope {event.scope!r}")
        begins = isinstance(event, (NodeStarted, NodeSkipped, NodeReopened))
        if not isinstance(event, NodeStopped):
            self._alive(scope, f"{type(event).__name__} of {node.id!r}", begins=begins)
        phase = scope.phases.get(node.index)
        if phase not in _before(event):
            self.say(f"{type(event).__name__} of {node.id!r}, which is {phase}")
        match event:
            case NodeStarted():
                self._started(scope, node)
            case NodeSkipped():
                self._skipped(scope, node, event)
            case NodeFinished():
                self._finished(scope, node, event)
            case NodeFailed():
                self._failed(scope, node, event)
            case NodeStopped():
                self._stopped(scope, node)
            case NodeReopened():
                self._reopened(scope, node)
            case Violation() | Repaired() | Noted() | Decided() | Quarantined():
                self._remark(event.effect)
            case Gated():
                self.verdicts[event.effect] = event.verdict
        return None

    def _reopened(self, scope: ScopeNotes, node: Node) -> None:
        """A join with a policy waits for its branches again; anything else runs."""
        scope.phases[node.index] = "running"
        if node.rule:
            del scope.phases[node.index]
            scope.expired.pop(node.index, None)

    def _remark(self, effect: str) -> None:
        if effect and effect not in self.questions:
            self.say(f"a remark is about {effect}, which was never asked")

    # ---- nodes

    def _alive(self, scope: ScopeNotes, what: str, *, begins: bool = True) -> None:
        """Nothing happens in a scope that is closed or about to be, or whose opener is gone. What
        begins nothing may still happen in one that failed and drains."""
        at: ScopeNotes | None = scope
        while at is not None:
            if not at.open or (at.dying and (begins or at.dying != "failed")):
                self.say(f"{what} while scope {at.name!r} is {at.dying or 'closed'}")
                return
            if not at.name:
                return
            above, id = at.opener
            at = self.scopes.get(above)
            opener = at.node(id) if at else None
            if at and (opener is None or at.phases.get(opener.index) != "running"):
                self.say(f"{what} while {id!r}, which opened its scope, does not run")
                return

    def _started(self, scope: ScopeNotes, node: Node) -> None:
        scope.phases[node.index] = "running"
        if not scope.ready(node.index) and not scope.enough(node.index):
            self.say(f"{node.id!r} started before everything that leads to it was decided")
        if node.index in scope.expired and not scope.arrived(node.index):
            self.must_fail = (scope.name, node.id)
        elif node.rule and scope.enough(node.index):
            for late in node.rule.late:
                if scope.phases.get(late) not in DECIDED:
                    self.say(f"{node.id!r} went on while {scope.graph.nodes[late].id!r} did too")
        elif not scope.led_to(node.index):
            self.say(f"{node.id!r} started though no edge to it was taken")
        wanted = scope.wanted(node, self.run)
        if wanted is None:
            self.must_fail = (scope.name, node.id)
        elif not wanted:
            self.say(f"{node.id!r} started though its condition is false")

    def _skipped(self, scope: ScopeNotes, node: Node, event: NodeSkipped) -> None:
        if event.reason == "late":
            if not scope.late(node.index):
                self.say(f"{node.id!r} was left out, and no join goes on without it")
            self._drop(scope, node)
            scope.phases[node.index] = "skipped"
            scope.taken[node.index] = (False,) * len(node.out)
            return
        scope.phases[node.index] = "skipped"
        if not scope.ready(node.index):
            self.say(f"{node.id!r} was skipped before everything that leads to it was decided")
        led = scope.led_to(node.index)
        if event.reason == "dead_path" and led:
            self.say(f"{node.id!r} was skipped as a dead path, and an edge to it was taken")
        if event.reason == "when" and not (led and scope.wanted(node, self.run) is False):
            self.say(f"{node.id!r} was skipped by a condition that is not false")
        dead = event.reason == "dead_path"
        case = BYPASS if any(edge.case == BYPASS for edge in node.out) else None
        scope.taken[node.index] = tuple(
            not dead and not edge.error and edge.case == case for edge in node.out
        )

    def _finished(self, scope: ScopeNotes, node: Node, event: NodeFinished) -> None:
        scope.phases[node.index] = "finished"
        value = self._told(node, event) if event.answer else event.value
        scope.values[node.id] = value
        fires = tuple(follows(edge, value) for edge in node.out)
        names = scope.targets(node, fires)
        told = scope.targets(node, None) if event.taken is None else list(event.taken)
        if told != names:
            self.say(f"{node.id!r} took {told}, its value leads to {names}")
        scope.taken[node.index] = fires
        self._nothing_pending(scope, node)

    def _told(self, node: Node, event: NodeFinished) -> Json:
        asked = self.questions.get(event.answer)
        if asked is None or asked.node is not node or not asked.answered or asked.error:
            self.say(f"{node.id!r} finished with the answer of {event.answer}, which it has not")
        return asked.value if asked else None

    def _failed(self, scope: ScopeNotes, node: Node, event: NodeFailed) -> None:
        self._drop(scope, node)
        fires = caught_by(node, event.failure.code)
        if list(event.taken) != scope.targets(node, fires):
            self.say(f"{node.id!r} failed and took {event.taken}, not its on_error edges")
        if event.taken:
            scope.phases[node.index] = "caught"
            failure = event.failure
            scope.values[node.id] = {"error": {"code": failure.code, "message": failure.message}}
            scope.taken[node.index] = fires
        else:
            scope.phases[node.index] = "failed"
            scope.dying = "failed"
            scope.failure = scope.failure or event.failure

    def _stopped(self, scope: ScopeNotes, node: Node) -> None:
        """A scope ends, or a run was taken up in which a call has to be judged again."""
        calls = [each for each in scope.pending.values() if each.event.kind == "tool"]
        judged = any(each.node is node for each in calls)
        scope.phases[node.index] = "stopped"
        self._drop(scope, node)
        if scope.dying:
            return
        self.halted = (scope.name, node.id)
        if not (self.resumes and judged):
            self._gone()

    def _gone(self) -> None:
        """A node was stopped and is not opened again at once: its scope has to end."""
        name, id = self.halted
        self.halted = ("", "")
        if name:
            self.must_end[self.scopes[name].opener] = None
        elif id:
            self.say(f"{id!r} was stopped and nothing ended its scope")

    def _drop(self, scope: ScopeNotes, node: Node) -> None:
        self.must_end.pop((scope.name, node.id), None)
        for id, asked in list(scope.pending.items()):
            if asked.node is node:
                asked.dropped = True
                del scope.pending[id]

    def _nothing_pending(self, scope: ScopeNotes, node: Node) -> None:
        for id, asked in scope.pending.items():
            if asked.node is node:
                self.say(f"{node.id!r} ended while {id} was not answered")


def _before(event: NodeEvent) -> tuple[str | None, ...]:
    """What a node may be when `event` happens to it."""
    match event:
        case NodeSkipped(reason="late"):
            return (None, "running")
        case NodeStarted() | NodeSkipped():
            return (None,)
        case NodeReopened():
            return ("failed", "stopped")
    return ("running",)
