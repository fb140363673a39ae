"""Facts in, decisions out. Pure: the same facts give the same decisions, byte for byte."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from types import CoroutineType
from typing import Any

from orka.agent.effect import Effect, Group, Remark, strand_of
from orka.errors import AgentError, Failure, InputError, OrkaError
from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    Decided,
    EffectAnswered,
    Event,
    Fact,
    NodeFinished,
    NodeReopened,
    NodeSkipped,
    NodeStarted,
    Noted,
    Quarantined,
    Repaired,
    RunResumed,
    RunStarted,
    ScopeOpened,
    Violation,
)
from orka.graph.graph import Node, Rule
from orka.run.asks import Asks
from orka.run.context import Here, context_of, wanted
from orka.run.ends import fallen
from orka.run.payload import fields_of, output_of, passed_on
from orka.run.route import taken
from orka.run.scope import SKIPPED, UNSETTLED, Scope
from orka.run.seal import refusal
from orka.run.strand import Gathered, Raised, Returned, Strand, read
from orka.value import Json

# How the scheduler decides. A change in that is a new number; old golden traces must still replay.
RULES = 1

_REMARKS: Mapping[str, type[Any]] = {
    "violation": Violation,
    "repaired": Repaired,
    "noted": Noted,
    "decided": Decided,
    "quarantined": Quarantined,
}


class Scheduler(Asks):
    """Turns facts into decisions. It holds no truth of its own: the trace can rebuild all of it."""

    def accepts(self, fact: Fact) -> bool:
        """False for a fact that says nothing new (an answer nobody waits for, a second end), and
        for an answer that is none to the question that was asked."""
        state = self.state
        match fact:
            case EffectAnswered(id=id, attempt=attempt):
                asked = state.pending.get(id)
                known = asked is not None and asked.attempt == attempt
                return known and self.refuses(fact) is None
            case DeadlinePassed(scope=scope):
                return state.deadlines.get(scope, fact.at + 1) <= fact.at
            case CancelAsked():
                return state.end is None and bool(state.scopes)
            case RunStarted():
                return not state.scopes
        return bool(state.scopes) and (state.end is None or state.end.status != "completed")

    def refuses(self, fact: Fact) -> InputError | None:
        """Why a person's answer is none to the question that was asked; None if it is one."""
        asked = self.state.pending.get(fact.id) if isinstance(fact, EffectAnswered) else None
        if asked is None or asked.kind != "ask" or not isinstance(fact, EffectAnswered):
            return None
        return refusal(asked.payload, fact.value, fact.at)

    def learn(self, fact: Fact) -> list[Event]:
        """Take in one accepted fact and everything that follows from it."""
        made = self._made = []
        match fact:
            case EffectAnswered():
                self._answered(fact)
            case RunStarted():
                self._emit(fact)
                self._enter(self.state.scopes[""])
            case RunResumed():
                self._resumed(fact)
            case DeadlinePassed(scope=scope):
                self._emit(fact)
                self._deadline(scope)
            case CancelAsked(reason=reason):
                self._emit(fact)
                failure = Failure(code="run.cancelled", message=reason or "cancelled")
                self._end_scope(self.state.scopes[""], failure, "cancelled")
        agenda = self._agenda
        while agenda or self._dying:
            while agenda:
                method, *arguments = agenda.popleft()
                method(*arguments)
            self._drain()
            if not agenda:
                break
        return made

    # ---- nodes: waiting, started, settled

    def _enter(self, scope: Scope) -> None:
        if not scope.graph.nodes:
            self._agenda.append((self._close, scope))
        for index in scope.graph.entrances:
            self._agenda.append((self._look, scope, index))

    def _look(self, scope: Scope, index: int) -> None:
        """Start or skip a node whose incoming edges are all decided."""
        if scope.status[index] != UNSETTLED:
            return
        if scope.closed or self._drains(scope):
            scope.missed.append(index)
            return
        node = scope.graph.nodes[index]
        if node.needs and not scope.fired[index]:
            self._emit(NodeSkipped(node.id, scope.name))
            self._settled(scope, node)
        elif node.strict and (cause := fallen(scope, node)):
            self._emit(NodeStarted(node.id, scope.name))
            self._node_failed(scope, node, cause)
        elif node.rule and not self._joins(scope, node, node.rule):
            return
        else:
            self._begin(scope, node)

    def _joins(self, scope: Scope, node: Node, rule: Rule) -> bool:
        """True if a join with a policy may go on; it fails if it never can."""
        arrived = scope.arrived.get(node.index, 0).bit_count()
        if scope.waiting[node.index]:
            self._leave_late(scope, node)
            return True
        if arrived >= (rule.count or 1) or scope.status[rule.fork] == SKIPPED:
            return True
        self._emit(NodeStarted(node.id, scope.name))
        wanted = f"{rule.count} branches" if rule.count and rule.count > 1 else "a branch"
        failure = Failure(
            code="join.quorum",
            message=f"join {node.id!r} needs {wanted} that ended well; there are {arrived}",
            fix="see with `orka show` why the others failed or were routed away",
        )
        self._node_failed(scope, node, failure)
        return False

    def _begin(self, scope: Scope, node: Node) -> None:
        """Start a node, or leave it out if its condition says so."""
        try:
            goes = wanted(self.state.run, scope, node)
        except OrkaError as error:
            self._emit(NodeStarted(node.id, scope.name))
            self._node_failed(scope, node, error.failure())
            return
        if not goes:
            self._emit(NodeSkipped(node.id, scope.name, "when"))
            self._settled(scope, node)
            return
        self._emit(NodeStarted(node.id, scope.name))
        self._start(scope, node)

    def _start_again(self, scope: Scope, node: Node) -> None:
        """A reopened node: a condition that had no answer is asked again too."""
        if node.index not in scope.running:
            return
        try:
            wanted(self.state.run, scope, node)
        except OrkaError as error:
            self._node_failed(scope, node, error.failure())
        else:
            self._start(scope, node)

    def _start(self, scope: Scope, node: Node) -> None:
        here = Here(self.state.run, scope, node, self._clock)
        coroutine = node.function(context_of(self.state.run, scope, node, here))
        if type(coroutine) is not CoroutineType and not isinstance(coroutine, Coroutine):
            error = AgentError(f"agent type {node.type!r} is not an async function")
            self._node_failed(scope, node, error.failure())
            return
        strand = Strand(scope, node.index, f"{scope.prefix}{node.id}#", coroutine)
        strand.here = here
        strand.now = scope.began[node.index]
        self._strands[scope.name, node.index] = strand
        self._advance(strand, None, None)

    def _clock(self) -> float:
        return self._now

    def _settled(self, scope: Scope, node: Node) -> None:
        for edge in node.out:
            if not scope.waiting[edge.target] or (edge.branch >= 0 and scope.enough(edge.target)):
                self._agenda.append((self._look, scope, edge.target))
        if not scope.left:
            self._agenda.append((self._close, scope))

    # ---- strands: an agent goes on to its next question or its end

    def _advance(self, strand: Strand, value: Json, error: Failure | None) -> None:
        while not strand.dead:
            self._now = strand.now
            step = strand.step(value, error)
            if isinstance(step, Remark):
                value, error = None, self._remark(strand, step)
                continue
            match step:
                case Returned(value=result):
                    self._returned(strand, result)
                case Raised(failure=failure):
                    self._raised(strand, failure)
                case Group():
                    self._gather(strand, step)
                case Effect():
                    self._ask(strand, step)
            return

    def _remark(self, strand: Strand, remark: Remark) -> Failure | None:
        """Record it as it is now; gives what is wrong with one that cannot be recorded."""
        fields = read(fields_of, remark)
        if isinstance(fields, Failure):
            return fields
        node = strand.scope.graph.nodes[strand.index]
        about = {"node": node.id, "effect": remark.effect or strand.last}
        self._emit(_REMARKS[remark.kind](scope=strand.scope.name, **about, **fields))
        return None

    def _gather(self, strand: Strand, group: Group) -> None:
        name = f"{strand.prefix}{strand.asked}"
        strand.asked += 1
        gathered = strand.gathered = Gathered(len(group.members), settle=group.settle)
        for slot, member in enumerate(group.members):
            child = Strand(
                strand.scope, strand.index, f"{name}.{slot}.", strand_of(member), strand, slot
            )
            # Not the time a place became free: that differs when answers are there already.
            child.now, child.here = strand.now, strand.here
            gathered.strands.append(child)
        if not group.members:
            strand.gathered = None
            self._agenda.append((self._advance, strand, [], None))
        for _ in range(group.limit or len(gathered.strands)):
            self._next_member(strand, gathered)

    def _next_member(self, strand: Strand, gathered: Gathered) -> None:
        """Start the member of a group that is next in line, if there is one."""
        if gathered.begun < len(gathered.strands):
            child = gathered.strands[gathered.begun]
            gathered.begun += 1
            self._agenda.append((self._advance, child, None, None))

    def _returned(self, strand: Strand, value: Json) -> None:
        if strand.parent is not None:
            self._member(strand, strand.parent, value, None)
            return
        scope, node = strand.scope, strand.scope.graph.nodes[strand.index]
        del self._strands[scope.name, strand.index]
        found = read(output_of, value)
        if isinstance(found, Failure):
            self._node_failed(scope, node, found)
            return
        value, notes = found
        if strand.here.notes:
            notes = (*notes, *dict.fromkeys(strand.here.notes))
        edges = taken(scope.graph, node, value)
        given = strand.given if strand.given and passed_on(value, strand.given) else None
        told = (None, edges, notes, given.id) if given else (value, edges, notes)
        self._emit(NodeFinished(node.id, scope.name, *told))
        self._settled(scope, node)

    def _raised(self, strand: Strand, failure: Failure) -> None:
        if strand.parent is not None:
            self._member(strand, strand.parent, None, failure)
        else:
            self._node_failed(strand.scope, strand.scope.graph.nodes[strand.index], failure)

    def _member(self, child: Strand, parent: Strand, value: Json, failure: Failure | None) -> None:
        gathered, slot = parent.gathered, child.slot
        parent.now = max(parent.now, child.now)
        if gathered is None:
            return
        if failure is not None:
            gathered.errors[slot] = failure
            value = {"error": {"code": failure.code, "message": failure.message}}
        gathered.values[slot] = value
        gathered.left -= 1
        self._next_member(parent, gathered)
        if not gathered.left:
            parent.gathered = None
            self._agenda.append((self._advance, parent, gathered.values, gathered.first_error()))

    # ---- resuming a run that ended

    def _resumed(self, fact: RunResumed) -> None:
        ended = self.state.end is not None
        self._emit(fact)
        if ended:
            self._reopen_nodes(self.state.scopes[""])
            return
        stale = [asked for asked in self.state.pending.values() if self._is_stale(asked)]
        for asked in sorted(stale, key=lambda asked: len(asked.scope.name)):
            self._judge_again(asked.scope, asked.index)

    def _judge_again(self, scope: Scope, index: int) -> None:
        """After a crash: a node whose call would not be let pass any more comes to it anew."""
        if index not in scope.running or scope.closed:
            return
        node = scope.graph.nodes[index]
        self._halt(scope, index)
        self._emit(NodeReopened(node.id, scope.name))
        self._agenda.append((self._start_again, scope, node))

    def _reopen(self, scope: Scope) -> None:
        self._emit(ScopeOpened(scope.name, self.state.effects[scope.name].payload["graph"]))
        self._reopen_nodes(scope)

    def _reopen_nodes(self, scope: Scope) -> None:
        again = sorted({*scope.failed, *scope.stopped})
        missed, scope.missed = scope.missed, []
        for index in again:
            node = scope.graph.nodes[index]
            self._emit(NodeReopened(node.id, scope.name))
            if not node.rule:
                self._agenda.append((self._start_again, scope, node))
            elif not scope.waiting[index] or scope.enough(index):
                self._agenda.append((self._look, scope, index))
        for index in missed:
            self._agenda.append((self._look, scope, index))
        if not scope.left:
            self._agenda.append((self._close, scope))
