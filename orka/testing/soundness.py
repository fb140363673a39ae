"""An independent judge of traces: it knows the rules of a run, and nothing of the scheduler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from orka.errors import Failure, StoreCorrupt
from orka.event.codec import decode, verify
from orka.event.event import (
    FACTS,
    CancelAsked,
    DeadlinePassed,
    EffectAnswered,
    EffectRequested,
    Event,
    Fact,
    NodeFailed,
    NodeReopened,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
)
from orka.graph.graph import Graph
from orka.testing.authority import check_authority, check_yes
from orka.testing.draining import drains, idle
from orka.testing.judge import NodeJudge
from orka.testing.ledger import Question, ScopeNotes, owner
from orka.testing.questions import check_answer, check_position, check_request, check_turn
from orka.testing.tries import check_again, check_tries
from orka.value import Json, canonical


def complaints(
    graph: Graph, lines: Sequence[bytes], blob: Callable[[str], bytes], *, cut: bool = False
) -> list[str]:
    """What is unsound about a trace; empty if nothing is. `cut`: it may end anywhere."""
    judge = Judge(graph)
    try:
        verify(lines, "")
        for line in lines:
            judge.read(decode(line, blob))
    except (StoreCorrupt, msgspec.DecodeError) as error:
        return [f"cannot be read: {error}"]
    if not cut:
        judge.end()
    return judge.found


class Judge(NodeJudge):
    """Reads events one by one and gathers in `found` what they break."""

    def read(self, event: Event) -> None:
        self.seq += 1
        if isinstance(event, FACTS):
            self._fact(event)
        elif self.seq == 0:
            self.say("the first event is not RunStarted")
        elif self.ended:
            self.say(f"{type(event).__name__} after the run ended")
        self._obliged(event)
        self._dispatch(event)

    def _fact(self, event: Fact) -> None:
        if self.seq:
            self._quiet()
        if event.at < self.now:
            self.say(f"the clock ran backwards, from {self.now} to {event.at}")
        self.now, self.resumes = event.at, isinstance(event, RunResumed)
        if isinstance(event, RunStarted) is not (self.seq == 0):
            self.say("RunStarted must be the first event and no other")
        if self.ended and not isinstance(event, RunResumed):
            self.say(f"{type(event).__name__} after the run ended")

    def _obliged(self, event: Event) -> None:
        """What the last event made necessary now."""
        if self.must_retry:
            if not isinstance(event, EffectRequested) or event.id != self.must_retry:
                self.say(f"{self.must_retry} failed, may be retried, and was not")
            self.must_retry = ""
        if not isinstance(event, NodeReopened) or (event.scope, event.node) != self.halted:
            self._gone()
        self.halted = ("", "")
        if self.must_fail:
            if not isinstance(event, NodeFailed) or (event.scope, event.node) != self.must_fail:
                self.say(f"the condition of {self.must_fail} has no answer, and it did not fail")
            self.must_fail = None

    def _dispatch(self, event: Event) -> None:
        match event:
            case RunStarted():
                self.run = event.run
                timeout = self.graph.timeout
                self.scopes[""] = ScopeNotes("", self.graph, event.input, timeout, event.at)
            case RunResumed():
                self._resumed(event)
            case EffectAnswered():
                self._answered(event)
            case DeadlinePassed():
                self._deadline(event)
            case CancelAsked():
                self.scopes[""].dying, self.scopes[""].failure = "cancelled", None
            case EffectRequested():
                self._requested(event)
            case ScopeOpened():
                self._opened(event)
            case ScopeClosed():
                self._closed(event)
            case RunFinished():
                self._finished_run(event)
            case _:
                self._node_event(event)

    # ---- effects and scopes

    def _requested(self, event: EffectRequested) -> None:
        name, id = owner(event.id)
        scope = self.scopes.get(name)
        node = scope.node(id) if scope else None
        if scope is None or node is None:
            return self.say(f"effect {event.id} belongs to nothing")
        self._alive(scope, f"request {event.id}")
        if scope.phases.get(node.index) != "running":
            self.say(f"{event.id} was asked by a node that does not run")
        known = self.questions.get(event.id)
        if known is None:
            self.found += check_position(self.seq, scope, event)
        self.found += check_turn(self.seq, scope, event)
        if known is not None and known.event.kind == "ask":
            known.late = self.now > (known.event.payload.get("expires") or self.now)
        self.found += check_request(self.seq, known, node, event)
        if event.kind == "tool" and self._governed(scope) and not event.retried:
            self.verdicts.setdefault(event.id, "nothing")
        self.found += check_authority(self.seq, self.verdicts, self.questions, event)
        asked = self.questions[event.id] = Question(event, name, node)
        if known is None:
            self.found += check_tries(self.seq, self.questions, asked)
        else:
            self.found += check_again(self.seq, event)
        if not asked.answered:
            scope.pending[event.id] = asked
        return None

    def _governed(self, scope: ScopeNotes) -> bool:
        """True if a policy holds in a scope."""
        while scope.graph.policy is None and scope.name:
            scope = self.scopes[scope.opener[0]]
        return scope.graph.policy is not None

    def _answered(self, event: EffectAnswered) -> None:
        asked = self.questions.get(event.id)
        if asked is None:
            return self.say(f"{event.id} was answered and never asked")
        scope = self.scopes[asked.scope]
        self._alive(scope, f"answer to {event.id}", begins=False)
        self.found += check_answer(self.seq, asked, event)
        self.found += check_yes(self.seq, asked.event, event)
        asked.answered, asked.error, asked.value = True, event.error, event.value
        asked.done = self.seq
        scope.pending.pop(event.id, None)
        error = event.error
        again = error and error.retryable and asked.event.retried < asked.node.retries
        if again and not drains(self.scopes, scope):
            self.must_retry = event.id
        return None

    def _opened(self, event: ScopeOpened) -> None:
        asked, known = self.questions.get(event.scope), self.scopes.get(event.scope)
        if asked is None or asked.event.kind != "graph":
            return self.say(f"scope {event.scope} was opened and not asked for")
        payload, node = asked.event.payload, asked.node
        if payload["graph"] != event.graph or event.graph not in node.inner:
            self.say(f"scope {event.scope} is {event.graph!r}, asked was {payload['graph']!r}")
        if known is None:
            graph = node.inner[event.graph]
            limit = graph.timeout if graph.timeout is not None else node.timeout
            known = ScopeNotes(event.scope, graph, payload["input"], limit, self.now)
            self.scopes[event.scope] = known
        elif known.open:
            self.say(f"scope {event.scope} was opened twice")
        known.open, known.dying, known.failure, known.began = True, "", None, self.now
        asked.answered = asked.dropped = False
        self.scopes[asked.scope].pending[event.scope] = asked
        self._alive(known, f"opening {event.scope}")
        return None

    def _closed(self, event: ScopeClosed) -> None:
        scope = self.scopes.get(event.scope)
        if scope is None or not scope.open:
            return self.say(f"scope {event.scope!r} was closed and is not open")
        self._emptied(scope)
        asked = self.questions[event.scope]
        if event.failure is None:
            self._alive(scope, f"closing {event.scope} with a value", begins=False)
            collect = asked.event.payload.get("collect")
            self._whole(scope, event.value, dict(scope.values) if collect else scope.output())
        elif event.failure.code == "scope.stopped":
            self.must_end[scope.opener] = None
        elif not scope.dying or (scope.failure or event.failure) != event.failure:
            self.say(f"scope {event.scope} closed with a failure that nothing in it had")
        scope.open = False
        if event.failure is None or event.failure.code != "scope.stopped":
            asked.answered, asked.error, asked.value = True, event.failure, event.value
            self.scopes[asked.scope].pending.pop(event.scope, None)
        return None

    def _emptied(self, scope: ScopeNotes) -> None:
        for node in scope.running():
            self.say(f"scope {scope.name!r} closed while {node.id!r} ran")

    def _whole(self, scope: ScopeNotes, value: Json, expected: Json) -> None:
        if not scope.settled():
            self.say(f"scope {scope.name!r} closed before all its nodes were decided")
        elif canonical(expected) != canonical(value):
            self.say(f"scope {scope.name!r} gave a value that its end nodes did not return")

    # ---- the run

    def _resumed(self, event: RunResumed) -> None:
        root = self.scopes[""]
        if self.ended and self.ended.status == "completed":
            self.say("a completed run was resumed")
        if self.ended:
            root.open, root.dying, root.failure = True, "", None
        self.ended = None
        for scope in self.scopes.values():
            scope.began = event.at if scope.open else scope.began

    def _deadline(self, event: DeadlinePassed) -> None:
        scope = self.scopes.get(event.scope)
        if scope is None:
            asked = self.questions.get(event.scope)
            return self._join_time(event) if asked is None else self._expired(event, asked)
        if scope.limit is None:
            return self.say(f"scope {event.scope!r} has no deadline")
        self._alive(scope, "a deadline", begins=False)
        if event.at < round(scope.began + scope.limit, 6):
            self.say(f"the deadline of scope {event.scope!r} passed too early")
        scope.dying = scope.dying or "timeout"
        scope.late_end = True
        return None

    def _expired(self, event: DeadlinePassed, asked: Question) -> None:
        """A person's time is over."""
        scope, until = self.scopes[asked.scope], asked.event.payload.get("expires")
        self._alive(scope, "the end of a question", begins=False)
        if until is None or event.at < until or not asked.pending:
            self.say(f"the time of {event.scope} passed, and it could still be answered")
        asked.answered, asked.done = True, self.seq
        asked.error = Failure(code="approval.timeout", message="nobody answered")
        scope.pending.pop(event.scope, None)

    def _join_time(self, event: DeadlinePassed) -> None:
        name, id = owner(f"{event.scope}#")
        scope = self.scopes.get(name)
        node = scope.node(id) if scope else None
        if scope is None or node is None or not node.rule or node.rule.deadline is None:
            return self.say(f"{event.scope!r} has no deadline")
        if scope.phases.get(node.index) is not None:
            self.say(f"the deadline of {event.scope!r} passed after it went on")
        if not drains(self.scopes, scope):
            scope.expired[node.index] = None
        return None

    def _finished_run(self, event: RunFinished) -> None:
        root = self.scopes[""]
        self._emptied(root)
        expected = {"": "completed", "cancelled": "cancelled"}.get(root.dying, "failed")
        if event.status != expected:
            self.say(f"the run is {event.status}, it should be {expected}")
        if event.status == "completed":
            self._whole(root, event.value, root.output())
        elif root.failure is not None and root.failure != event.failure:
            self.say("the run failed with another failure than its node")
        elif event.failure is None:
            self.say(f"the run is {event.status} and does not say why")
        root.open, self.ended = False, event

    def _quiet(self) -> None:
        """Before the next fact everything that follows from the last one was decided."""
        self._gone()
        for key in self.must_end:
            self.say(f"a scope of {key} was stopped, and it goes on")
        self.must_end.clear()
        for scope in self.scopes.values():
            if not scope.open:
                continue
            if scope.dying == "failed" and not scope.late_end:
                told = idle(self.scopes, scope)
            elif drains(self.scopes, scope):
                continue
            else:
                told = scope.unfinished()
            self.found += [f"event {self.seq}: {what}" for what in told]

    def end(self) -> None:
        """The trace is over: the run ended, or waits for people only."""
        self._quiet()
        kinds = {
            asked.event.kind
            for scope in self.scopes.values()
            if scope.open
            for asked in scope.pending.values()
        } - {"graph"}
        if not self.ended and kinds != {"ask"}:
            self.say(f"the trace ends while the run waits for {sorted(kinds)}")
