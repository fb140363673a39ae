"""Drives one run: facts in, decisions stored, effects performed, until nothing is left to do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field

from msgspec import structs

from orka.engine.outside import Audience
from orka.engine.perform import Performer
from orka.engine.redact import Redactor, environment_secrets
from orka.engine.screen import Screens
from orka.errors import InputError, RunNotFound
from orka.event.codec import decode
from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    EffectAnswered,
    EffectRequested,
    Event,
    Fact,
    NodeFailed,
    NodeFinished,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
)
from orka.graph.graph import Graph
from orka.port.handler import Handler
from orka.port.store import Store
from orka.run.fork import Recording
from orka.run.replay import Refolded, refold
from orka.run.scope import Asked
from orka.run.seal import TOO_LATE
from orka.run.state import State

Clock = Callable[[], float]
# Events that ask nothing of the world: most of a trace.
_QUIET = frozenset({EffectAnswered, NodeFinished, NodeSkipped, NodeStarted, RunFinished})


@dataclass(slots=True)
class World:
    """What a worker needs from outside. `clock` gives seconds since the epoch."""

    store: Store
    handlers: Mapping[str, Handler]
    clock: Clock = time.time
    audience: Audience = field(default_factory=Audience)
    redactor: Redactor = field(default_factory=lambda: Redactor(environment_secrets()))
    screens: Screens = field(default_factory=Screens)


@dataclass(slots=True)
class Worker:
    """One run's driver. `deliver` and `cancel` may be called while it drives. `late` is what to say
    to somebody whose answer came too late."""

    world: World
    graph: Graph
    run: str
    recording: Recording | None = None
    late: InputError | None = None
    _folded: Refolded = field(init=False)
    _arrived: list[Fact] = field(default_factory=list)
    _fault: BaseException | None = None
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _stopping: set[asyncio.Task[None]] = field(default_factory=set)
    _timers: dict[str, asyncio.TimerHandle] = field(default_factory=dict)
    _performer: Performer = field(init=False)
    _slots: AbstractAsyncContextManager[None] = field(init=False)

    def __post_init__(self) -> None:
        self._folded = refold(self.graph, [], self.world.store.blob)
        limit = self.graph.max_concurrency
        self._slots = asyncio.Semaphore(limit) if limit else nullcontext()
        world = self.world
        self._performer = Performer(
            world.handlers, world.clock, world.redactor, world.screens, self.graph
        )

    @property
    def state(self) -> State:
        return self._folded.scheduler.state

    async def start(self, fact: RunStarted) -> State:
        """Begin the run and drive it as far as it goes."""
        with self.world.store.claim(self.run):
            return await self._drive([fact])

    async def resume(self, facts: Sequence[Fact] = ()) -> State:
        """Take the run up where its trace ends, with `facts` that came in meanwhile.

        Raises `RunBusy`, `RunNotFound`, `StoreCorrupt`, `Diverged`.
        """
        with self.world.store.claim(self.run):
            lines = self.world.store.read(self.run)
            if not lines:
                raise RunNotFound(f"run {self.run!r} has no events")
            self._folded = refold(self.graph, lines, self.world.store.blob)
            if self._folded.unwritten:
                await self._write_rest(len(lines))
            facts = [await self._screened(fact) for fact in self._check_news(facts)]
            facts = self._check_news(facts)
            if not self._folded.scheduler.accepts(RunResumed(at=0.0)):
                self._folded.scheduler.close()
                return self.state
            return await self._drive([RunResumed(at=self._now()), *facts])

    async def _screened(self, fact: Fact) -> Fact:
        """A fact from outside as it may be recorded."""
        asked = self.state.pending.get(fact.id) if isinstance(fact, EffectAnswered) else None
        if asked is None or not isinstance(fact, EffectAnswered):
            return fact
        return await self._performer.screened(self.state.run, asked, fact)

    def _check_news(self, facts: Sequence[Fact]) -> list[Fact]:
        """An answer that comes second is told so, never taken for the first; so is one that is none
        to the question. Gives the rest without answers that come too late: those are told once the
        run has gone on without them."""
        taken, scheduler = list[Fact](), self._folded.scheduler
        for fact in facts:
            refused = scheduler.refuses(fact)
            if refused is not None and refused.code == TOO_LATE:
                self.late = refused
                continue
            if refused is not None:
                raise refused
            if not scheduler.accepts(fact):
                raise InputError(
                    f"run {self.run!r} does not wait for this answer any more",
                    fix="somebody else has answered; see `orka show`",
                    code="input.no_question",
                )
            taken.append(fact)
        return taken

    async def _write_rest(self, seq: int) -> None:
        """Store the decisions a crash cut off: they follow from the facts."""
        folded = self._folded
        await self.world.store.append(self.run, seq, folded.unwritten, folded.blobs)
        events = [decode(line, folded.blobs.__getitem__) for line in folded.unwritten]
        self.world.audience.events(self.run, seq, events)

    def deliver(self, fact: Fact) -> None:
        """Let a fact from outside (an answer to a question, say) arrive."""
        self._arrived.append(fact)
        self._wake.set()

    def cancel(self, reason: str) -> None:
        """Stop the run; what it has is kept and it can be resumed."""
        reason = self.world.screens.cancelled(self.state.run, self.graph, reason)
        self.deliver(CancelAsked(at=self._now(), reason=reason))

    def _now(self) -> float:
        """The clock, never running backwards within a run."""
        return max(self.state.now, round(self.world.clock(), 6))

    async def _drive(self, facts: list[Fact]) -> State:
        self._arrived = facts + self._arrived
        try:
            await self._record()
            self._overdue()
            while self._busy():
                if not self._arrived:
                    self._wake.clear()
                    await self._wake.wait()
                if self._fault is not None:
                    raise self._fault
                await self._record()
        except asyncio.CancelledError:
            self.cancel("the task that drove the run was cancelled")
            await asyncio.shield(self._record())
            raise
        finally:
            await self._leave()
        return self.state

    def _overdue(self) -> None:
        """A run that waits for people is left, but not with a join whose time is up, nor with a
        question that nobody has answered in time."""
        if self.state.status == "waiting" and not self._arrived:
            for key, due in self.state.deadlines.items():
                if key not in self.state.scopes and due <= self._now():
                    self.deliver(DeadlinePassed(at=self._now(), scope=key))

    def _busy(self) -> bool:
        return bool(self._arrived) or (self.state.end is None and self.state.status != "waiting")

    async def _record(self) -> None:
        """Learn what has arrived, store all that follows, and only then act on it."""
        folded = self._folded
        chain, scheduler = folded.chain, folded.scheduler
        first, blobs = chain.seq, dict[str, bytes]()
        events: list[Event] = []
        arrived, self._arrived = self._arrived, []
        for fact in arrived:
            if fact.at < scheduler.state.now:
                fact = structs.replace(fact, at=scheduler.state.now)
            if scheduler.accepts(fact):
                events += scheduler.learn(fact)
        if not events:
            self._reuse()  # what was refused may have been all that kept it from its turn
            return
        lines = chain.extend(events, blobs)
        await self.world.store.append(self.run, first, lines, blobs)
        self.world.audience.events(self.run, first, events)
        self._act(events)

    def _act(self, events: list[Event]) -> None:
        pending, stopped = self.state.pending, False
        while self.state.armed:
            self._arm(self.state.armed.pop())
        timed = bool(self._timers or self.state.deadlines)
        for event in events:
            if type(event) in _QUIET and getattr(event, "reason", "") != "late":
                continue
            match event:
                case EffectRequested(id=id):
                    asked = pending.get(id)
                    if asked is not None and asked.attempt == event.attempt:
                        self._perform(asked)
                case NodeStopped() | NodeFailed() | NodeSkipped():
                    stopped = True
                case ScopeOpened(scope=scope) | ScopeClosed(scope=scope):
                    if timed:
                        self._arm(scope)
                case RunResumed():
                    for asked in list(pending.values()):
                        self._perform(asked)
                    self._arm_all()
                case RunStarted():
                    self._arm_all()
        if stopped:
            for id in [id for id in self._tasks if id not in pending]:
                task = self._tasks.pop(id)
                task.cancel()
                self._stopping.add(task)
                task.add_done_callback(self._stopping.discard)
        self._reuse()

    def _perform(self, asked: Asked) -> None:
        """Begin one attempt, unless it runs already or a person has to answer."""
        if asked.id in self._tasks:
            return
        if self.recording and self.recording.offer(asked):
            return
        if asked.kind == "random":
            self.deliver(self._performer.random(asked, self._now()))
        elif asked.kind != "ask":
            task = asyncio.get_running_loop().create_task(self._attempt(asked))
            task.add_done_callback(self._attempted)
            self._tasks[asked.id] = task

    def _reuse(self) -> None:
        """Answer what was asked before from the recording: one at a time, in the recorded order."""
        if self.recording and not self._arrived:
            fact = self.recording.next(self.state.pending, self.state.now)
            if fact is not None:
                asked = self.state.pending[fact.id]
                self.deliver(self._performer.again(self.state.run, asked, fact))

    async def _attempt(self, asked: Asked) -> None:
        async with self._slots if asked.kind != "sleep" else nullcontext():
            fact = await self._performer.perform(self.state.run, asked, asked.attempt)
        if self._tasks.get(asked.id) is asyncio.current_task():
            del self._tasks[asked.id]
        self.deliver(fact)

    def _attempted(self, task: asyncio.Task[None]) -> None:
        """A fault of the engine's own ends the drive; it must not end in silence."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fault = error
            self._wake.set()

    def _arm_all(self) -> None:
        for scope in self.state.deadlines:
            self._arm(scope)

    def _arm(self, scope: str) -> None:
        """One timer for each scope with a deadline."""
        if timer := self._timers.pop(scope, None):
            timer.cancel()
        due = self.state.deadlines.get(scope)
        if due is not None:
            delay = max(0.0, due - self.world.clock())
            loop = asyncio.get_running_loop()
            self._timers[scope] = loop.call_later(delay, self._deadline, scope, due)

    def _deadline(self, scope: str, due: float) -> None:
        self.deliver(DeadlinePassed(at=max(due, self._now()), scope=scope))

    async def _leave(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        tasks = [*self._tasks.values(), *self._stopping]
        for task in self._tasks.values():
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        self._timers.clear()
        self._tasks.clear()
        self._folded.scheduler.close()
