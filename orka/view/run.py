"""A recorded run as its reader sees it: a fold over its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from orka.errors import Failure, RunFailed
from orka.event.codec import blob_names, blob_names_within, decode
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
from orka.value import Json

# What stands in a trace about a node's work, beside its questions.
RemarkEvent = Violation | Repaired | Noted | Decided | Quarantined | Gated


@dataclass(slots=True)
class Attempt:
    """One attempt at an effect: when it was asked and answered (seconds since the epoch). One that
    is `reused` was answered before, in another run or in an earlier try, and cost nothing."""

    id: str
    kind: str
    payload: Json
    number: int
    asked_at: float
    answered_at: float | None = None
    value: Json = None
    error: Failure | None = None
    spent: Mapping[str, Json] = field(default_factory=dict)
    reused: bool = False


@dataclass(slots=True)
class NodeView:
    """One node in one scope."""

    id: str
    scope: str
    state: str = "running"
    started_at: float = 0.0
    ended_at: float | None = None
    value: Json = None
    failure: Failure | None = None
    taken: tuple[str, ...] | None = None
    attempts: list[Attempt] = field(default_factory=list)
    remarks: list[RemarkEvent] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return f"{self.scope}/{self.id}" if self.scope else self.id


@dataclass(slots=True)
class Totals:
    """Sums over a run. A None means that at least one part is unknown, and none was known."""

    calls: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    currency: str = ""
    unknown_cost: int = 0


class Run:
    """A run, as far as it was recorded. Give it `lines` and a way to look up blobs."""

    def __init__(self, id: str, lines: Sequence[bytes], blob: Callable[[str], bytes]) -> None:
        self.id, self.lines, self._blob = id, lines, blob
        self.outlet: Callable[[Json], Json] | None = None

    def __repr__(self) -> str:
        return f"Run({self.id!r}, status={self.status!r}, events={len(self.lines)})"

    @cached_property
    def events(self) -> tuple[Event, ...]:
        return tuple(decode(line, self._blob) for line in self.lines)

    @cached_property
    def _fold(self) -> Fold:
        fold = Fold()
        for event in self.events:
            fold.add(event)
        return fold

    @property
    def started(self) -> RunStarted:
        first = self.events[0]
        if not isinstance(first, RunStarted):
            raise RunFailed(f"run {self.id!r} does not begin with run_started")
        return first

    @cached_property
    def _end(self) -> RunFinished | None:
        """An end stands in the last line: who asks only how a run ended reads nothing else."""
        last = decode(self.lines[-1], self._blob)
        return last if isinstance(last, RunFinished) else self._fold.end

    @property
    def status(self) -> Status:
        return self._end.status if self._end else self._fold.status

    @property
    def output(self) -> Json:
        """What the workflow gave; None unless the run completed. Where guards look at what a run
        gives (`outlet`), raises `ScreenError` for what they do not let pass."""
        value = self._end.value if self._end else None
        return value if value is None or self.outlet is None else self.outlet(value)

    @property
    def failure(self) -> Failure | None:
        return self._end.failure if self._end else None

    @property
    def nodes(self) -> Sequence[NodeView]:
        """In the order they started."""
        return list(self._fold.nodes.values())

    @property
    def outputs(self) -> dict[str, Json]:
        """Outputs of the workflow's own nodes, by id."""
        done = (n for n in self._fold.nodes.values() if not n.scope and n.state == "done")
        return {node.id: node.value for node in done}

    @property
    def questions(self) -> Sequence[Attempt]:
        """What people are asked and have not answered."""
        return [a for a in self._fold.open.values() if a.kind == "ask"]

    @property
    def seconds(self) -> float:
        """Wall time between the first fact and the last."""
        return round(self._fold.now - self.started.at, 6)

    @cached_property
    def totals(self) -> Totals:
        return totals_of([a for node in self.nodes for a in node.attempts])

    def blobs(self) -> dict[str, bytes]:
        """All blobs the run refers to, by digest: its large values, and the workflow's source."""
        wanted = [name for line in self.lines for name in blob_names(line)]
        wanted += [self.started.flow] if self.started.flow else []
        found: dict[str, bytes] = {}
        while wanted:
            name = wanted.pop()
            if name not in found:
                found[name] = self._blob(name)
                wanted += blob_names_within(found[name])
        return found

    def output_or_raise(self) -> Json:
        """The output. Raises `RunFailed` that says why there is none."""
        if self.status == "completed":
            return self.output
        cause = self.failure
        raise RunFailed(
            f"run {self.id!r} is {self.status}" + (f": {cause.message}" if cause else ""),
            where=cause.where if cause else "",
            fix=cause.fix if cause else "",
        )


class Fold:
    """What a reader keeps while going over the events."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[str, str], NodeView] = {}
        self.open: dict[str, Attempt] = {}
        self.inner: dict[str, Attempt] = {}
        self.answers: dict[str, Json] = {}
        self.end: RunFinished | None = None
        self.now = 0.0

    @property
    def status(self) -> Status:
        if self.end:
            return self.end.status
        waiting = self.open and all(a.kind in ("ask", "graph") for a in self.open.values())
        asks = any(a.kind == "ask" for a in self.open.values())
        return "waiting" if waiting and asks else "running"

    def add(self, event: Event) -> None:
        match event:
            case RunStarted() | RunResumed() | CancelAsked() | DeadlinePassed():
                self.now, self.end = event.at, None
                self._late(event)
            case EffectAnswered():
                self._answered(event)
            case EffectRequested():
                self._requested(event)
            case NodeStarted():
                node = NodeView(event.node, event.scope, started_at=self.now)
                self.nodes[event.scope, event.node] = node
            case NodeSkipped():
                self.nodes[event.scope, event.node] = NodeView(
                    event.node, event.scope, f"skipped ({event.reason})", self.now, self.now
                )
            case NodeFinished():
                self._settle(event.scope, event.node, "done")
                node = self.nodes[event.scope, event.node]
                node.value = self.answers[event.answer] if event.answer else event.value
                node.taken, node.notes = event.taken, event.notes
            case NodeFailed():
                self._settle(event.scope, event.node, "failed")
                node = self.nodes[event.scope, event.node]
                node.failure, node.taken = event.failure, event.taken
            case NodeStopped():
                self._settle(event.scope, event.node, "stopped")
            case ScopeOpened():
                self.open[event.scope] = attempt = self.inner[event.scope]
                attempt.answered_at, attempt.value, attempt.error = None, None, None
            case ScopeClosed():
                self._closed(event)
            case NodeReopened():
                node = self.nodes[event.scope, event.node]
                node.state, node.ended_at, node.failure = "running", None, None
            case Violation() | Repaired() | Noted() | Decided() | Quarantined() | Gated():
                self.nodes[event.scope, event.node].remarks.append(event)
            case RunFinished():
                self.end = event

    def _late(self, event: Event) -> None:
        """Nobody may answer a question any more, if it is one whose time is over."""
        id = event.scope if isinstance(event, DeadlinePassed) else ""
        if (asked := self.open.get(id)) is not None and asked.kind == "ask":
            del self.open[id]
            told = f"nobody answered within {asked.payload.get('within')} s"
            asked.answered_at = self.now
            asked.error = Failure(code="approval.timeout", message=told, retryable=False)

    def _settle(self, scope: str, id: str, state: str) -> None:
        node = self.nodes[scope, id]
        node.state, node.ended_at = state, self.now
        for attempt in node.attempts:
            self.open.pop(attempt.id, None)

    def _requested(self, event: EffectRequested) -> None:
        attempt = Attempt(event.id, event.kind, event.payload, event.attempt, self.now)
        scope, _, rest = event.id.rpartition("/")
        self.nodes[scope, rest.partition("#")[0]].attempts.append(attempt)
        if event.answer:
            attempt.answered_at, attempt.reused = self.now, True
            attempt.value = self.answers[event.id] = self.answers[event.answer]
            return
        self.open[event.id] = attempt
        if event.kind == "graph":
            self.inner[event.id] = attempt

    def _closed(self, event: ScopeClosed) -> None:
        """The end of an inner graph is the answer to the question that opened it."""
        self.answers[event.scope] = event.value
        self.open.pop(event.scope, None)
        attempt = self.inner[event.scope]
        attempt.answered_at, attempt.value, attempt.error = self.now, event.value, event.failure

    def _answered(self, event: EffectAnswered) -> None:
        self.now = event.at
        attempt = self.open.pop(event.id)
        attempt.answered_at, attempt.value, attempt.error = event.at, event.value, event.error
        attempt.spent = event.spent or {}
        self.answers[event.id] = event.value
        attempt.reused = event.reused is not None


def totals_of(attempts: Sequence[Attempt]) -> Totals:
    """What `attempts` took. Answers that were known before cost nothing here."""
    totals = Totals()
    for attempt in attempts:
        if attempt.kind != "llm" or attempt.answered_at is None or attempt.reused:
            continue
        totals.calls += 1
        spent = attempt.spent
        for name in ("prompt_tokens", "completion_tokens"):
            if (count := spent.get(name)) is not None:
                setattr(totals, name, (getattr(totals, name) or 0) + count)
        if (cost := spent.get("cost")) is not None:
            totals.cost = round((totals.cost or 0.0) + cost, 9)
            totals.currency = str(spent.get("currency", ""))
        else:
            totals.unknown_cost += 1
    return totals
