"""What runs need besides a workflow, and all that can be done with them."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

from orka.api.guests import permitted, tools_of
from orka.api.wiring import graph_of, input_of, limits_of, names_of, registry_of, screens_of
from orka.engine.handlers import ModelHandler
from orka.engine.history import HistoryHandler
from orka.engine.many import bounded
from orka.engine.memory import MemoryHandler
from orka.engine.outside import Audience, Watcher
from orka.engine.prices import Prices, prices_in
from orka.engine.redact import Redactor, environment_secrets
from orka.engine.vault import Vault
from orka.engine.watchdog import PATIENCE
from orka.engine.worker import Clock, Worker, World
from orka.errors import InputError, RunNotFound, ScreenError, StoreError, nearest
from orka.event.codec import verify
from orka.event.event import EffectAnswered, Fact, Origin, RunStarted
from orka.graph.graph import Graph
from orka.port.handler import Handler
from orka.port.memory import Memory
from orka.port.model import Model
from orka.port.store import Store
from orka.run.fork import Recording
from orka.run.replay import Refolded, refold
from orka.run.scheduler import RULES
from orka.source import Flow, load
from orka.spec.load import load as load_workflow
from orka.spec.workflow import Workflow
from orka.value import Json, plain, replaced
from orka.view.history import Past, past, told
from orka.view.run import Run
from orka.view.salvage import valid_prefix

HOME = ".orka"


class Runtime:
    """Everything runs need besides a workflow: a store, plugins, models, prices, a clock.

    `store` is a folder, ":memory:", or a store. `plugins` are Python files; `mcp` is a file that
    declares MCP servers, or what it holds; `use` are agent types, tools, guards and the like.
    `features` are modules that every run needs; without them ORKA_FEATURES names those. `patience`
    is how many seconds a stranger's code may block.
    `models` are providers by name, beside or in place of those installed. `limits` bounds the calls
    at once per provider.
    `memory` is a folder, ":memory:", or a memory; without it, memories are kept beside the runs.
    Close it, or use it in `async with`.
    """

    def __init__(
        self,
        *,
        store: str | Path | Store = HOME,
        memory: str | Path | Memory | None = None,
        durability: str = "",
        plugins: Iterable[str | Path] = (),
        mcp: str | Path | Mapping[str, Json] | None = None,
        use: Iterable[object] = (),
        models: Mapping[str, Callable[[], Model] | Model] | None = None,
        prices: Prices | None = None,
        watchers: Iterable[Watcher] = (),
        limits: Mapping[str, int] | None = None,
        features: Iterable[str] | None = None,
        patience: float = PATIENCE,
        clock: Clock = time.time,
    ) -> None:
        self.registry = registry_of(plugins, use, models or {}, features)
        if mcp is not None:
            self.registry.open_servers(mcp)
        self.store = self.registry.store(store, durability)
        self._clock, self._audience = clock, Audience(watchers)
        self._redactor = Redactor(environment_secrets())
        self._screens = screens_of(store, self._audience)
        table = prices or prices_in(store if isinstance(store, (str, Path)) else None)
        self._models = ModelHandler(
            self.registry.models,
            table,
            self._screens.streams.piece,
            limits_of(limits or {}),
            self.registry.tools,
        )
        self.memory = MemoryHandler(partial(self.registry.memory, memory, store), clock)
        self._tools, self._patience = tools_of(self.registry, patience), patience
        history = HistoryHandler(self.store, self._past, told, table)
        self._handlers = permitted(self._performers(history), self.registry)
        self._workers, self._graphs = dict[str, Worker](), dict[str, Graph]()
        self._kept = set[str]()

    def _performers(self, history: Handler) -> dict[str, Handler]:
        return {
            "llm": self._models,
            "memory": self.memory,
            "tool": self._tools,
            "history": history,
        }

    async def __aenter__(self) -> Runtime:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give back connections, weights and the store."""
        await self._models.close()
        await self._tools.close()
        await self.registry.close()
        await self.memory.close()
        self._screens.vault.close()
        await self.store.close()

    @property
    def vault(self) -> Vault:
        """The values that placeholders in runs stand for."""
        return self._screens.vault

    def check(self, flow: Flow) -> Graph:
        """All checks that can be made before a run. Raises `ConfigError` and its kin."""
        workflow = load(flow)
        graph = self._graphs.get(workflow.text)
        if graph is None:
            graph = graph_of(workflow, self.registry, self._patience)
            self._graphs[workflow.text] = graph
        return graph

    async def run(
        self,
        flow: Flow,
        input: Json = None,
        *,
        run_id: str = "",
        begun: Callable[[str], None] | None = None,
    ) -> Run:
        """Run a workflow to its end (or to where it waits for a person).

        `begun` is told the run's id before the first event. Raises `ConfigError`, `InputError`,
        `StoreError`; a run that fails does not raise: see its `status`.
        """
        workflow = load(flow)
        graph = self.check(workflow)
        return await self._start(workflow, graph, input, run_id, None, begun)

    def map(self, flow: Flow, inputs: Iterable[Json], *, limit: int = 64) -> AsyncIterator[Run]:
        """Run a workflow for each input, at most `limit` at once, and give runs as they end.

        Inputs are taken from the iterable only when there is room.
        """
        workflow = load(flow)
        return bounded(lambda given: self.run(workflow, given), inputs, limit)

    async def resume(self, run_id: str, facts: Sequence[Fact] = ()) -> Run:
        """Take up a run that crashed, failed, was cancelled, or waited. Completed ones are left.

        Raises `RunNotFound`, `RunBusy`, `StoreCorrupt`, `Diverged`.
        """
        graph = self._graph_of(self.open(run_id))
        worker = self._worker(graph, run_id)
        with self._reached(worker):
            await worker.resume(facts)
        if worker.late is not None:
            raise worker.late
        return self._heard(self.open(run_id), graph)

    async def answer(self, run_id: str, question: str, value: Json) -> Run:
        """Answer what a run asked a person and let it go on. `question` is the effect's id, or the
        node's when it has one question open. Raises `InputError` if nobody asked, and for an answer
        that does not carry the question's seal, comes too late or from somebody else."""
        run = self.open(run_id)
        asked = [q for q in run.questions if question in names_of(q.id)]
        if len(asked) != 1:
            names = [q.id for q in run.questions]
            raise InputError(
                f"run {run_id!r} has no single open question {question!r}",
                fix=nearest(question, names),
                code="input.no_question",
            )
        given = self._redactor.value(plain(value)[0])
        at = max(self._clock(), run.events[0].at if isinstance(run.events[0], RunStarted) else 0.0)
        fact = EffectAnswered(at=round(at, 6), id=asked[0].id, attempt=asked[0].number, value=given)
        return await self.resume(run_id, [fact])

    async def fork(
        self,
        run_id: str,
        *,
        at: int | str | None = None,
        flow: Flow | None = None,
        changes: Mapping[str, Json] | None = None,
        begun: Callable[[str], None] | None = None,
    ) -> Run:
        """A new run that gets the old one's answers to identical questions.

        `at`: an event's number (answers from there on are not given again) or a node's id (it is
        asked anew). `flow`: another workflow. `changes`: dotted path in the input -> new value.
        """
        old = self.open(run_id)
        self.registry.take_up(old.started.components)
        workflow = load(flow) if flow is not None else self._workflow_of(old)
        graph = self.check(workflow)
        if isinstance(at, str) and at not in graph.index:
            fix = nearest(at, graph.index)
            raise InputError(f"no node is called {at!r}", fix=fix, code="input.no_node")
        if isinstance(at, int) and not 0 <= at < len(old.lines):
            fix = f"the last one is {len(old.lines) - 1}"
            raise InputError(f"run {run_id!r} has no event {at}", fix=fix, code="input.no_event")
        before = at if isinstance(at, int) else None
        without = at if isinstance(at, str) else ""
        recording = Recording(run_id, old.events, nodes=graph.index, before=before, without=without)
        given = replaced(old.started.input, changes or {})
        origin = Origin(run_id, before if before is not None else len(old.lines))
        return await self._start(workflow, graph, given, "", origin, begun, recording)

    def replay(self, run_id: str) -> Refolded:
        """Feed the recorded facts again. Raises `Diverged` unless decisions have the same bytes."""
        run = self.open(run_id)
        folded = refold(self._graph_of(run), run.lines, self.store.blob)
        folded.scheduler.close()
        return folded

    def open(self, run_id: str) -> Run:
        """A recorded run, whatever its state. Raises `RunNotFound`, `StoreCorrupt`."""
        lines = self.store.read(run_id)
        if not lines:
            raise RunNotFound(
                f"run {run_id!r} has no events", fix="`orka runs` lists what there is"
            )
        verify(lines, run_id)
        return Run(run_id, lines, self.store.blob)

    def intact(self, run_id: str) -> Run:
        """The longest valid prefix of a damaged run. Raises `RunNotFound` if there is none."""
        lines = self.store.salvage(run_id)
        good = valid_prefix(lines, self.store.blob)
        if not good:
            raise RunNotFound(f"nothing of run {run_id!r} can be read")
        return Run(run_id, lines[:good], self.store.blob)

    async def salvage(self, run_id: str, into: str | Path | None = None) -> str:
        """Copy the longest valid prefix of a damaged run to a new run, which can be resumed; gives
        its id. `into` is another folder, for a store that cannot be written any more. The damaged
        run stays as it is. Raises `RunNotFound` if nothing can be read."""
        run = self.intact(run_id)
        target = self.store if into is None else self.registry.store(into)
        names = (f"{run_id}-salvaged-{number}" for number in count(1))
        name = next(name for name in names if not target.salvage(name))
        await target.append(name, 0, run.lines, run.blobs() if into is not None else {})
        if into is not None:
            await target.close()
        return name

    def cancel(self, run_id: str, reason: str = "") -> None:
        """Stop a run that this runtime drives; it ends as cancelled and can be resumed."""
        if worker := self._workers.get(run_id):
            worker.cancel(reason)

    async def _start(
        self,
        workflow: Workflow,
        graph: Graph,
        input: Json,
        run_id: str,
        origin: Origin | None,
        begun: Callable[[str], None] | None,
        recording: Recording | None = None,
    ) -> Run:
        given = input_of(input)
        now = self._clock()
        run_id = (
            run_id or f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{secrets.token_hex(4)}"
        )
        if origin is not None:
            self._screens.vault.inherit(run_id, self.open(origin.run).started.run)
        given, screened = await self._input(run_id, graph, given)
        if begun:
            begun(run_id)
        if graph.flow and graph.flow not in self._kept:
            await self.store.keep({graph.flow: workflow.text.encode()})
            self._kept.add(graph.flow)
        fact = RunStarted(
            at=round(now, 6),
            run=run_id,
            workflow=workflow.id,
            graph=graph.digest,
            flow=graph.flow,
            input=given,
            rules=RULES,
            components={**graph.components, **self.registry.components},
            origin=origin,
            screened=screened,
        )
        worker = self._worker(graph, run_id, recording)
        with self._reached(worker):
            await worker.start(fact)
        return self._heard(Run(run_id, self.store.read(run_id), self.store.blob), graph)

    def _heard(self, run: Run, graph: Graph) -> Run:
        """The run as its client may hear it: what it gives is looked at first."""
        if any("output" in each.on for each in graph.filters):
            run.outlet = partial(self._screens.output, run.started.run, graph)
        return run

    async def _input(
        self, run_id: str, graph: Graph, given: Json
    ) -> tuple[Json, Mapping[str, Json] | None]:
        """The input as it may be recorded. Raises `InputError` if a guard does not let it pass."""
        try:
            return await self._screens.input(run_id, graph, self._redactor.value(given))
        except ScreenError as error:
            self._screens.vault.forget(run_id)  # what a fork had from its origin
            raise InputError(
                f"the input is not recorded: {error.what}",
                where=error.where,
                fix=error.fix,
                code=error.code,
            ) from None

    @contextmanager
    def _reached(self, worker: Worker) -> Iterator[None]:
        """Let `cancel` reach the worker; one that drives the run already keeps its place."""
        mine = self._workers.setdefault(worker.run, worker) is worker
        try:
            yield
        finally:
            if mine:
                del self._workers[worker.run]

    def _worker(self, graph: Graph, run_id: str, recording: Recording | None = None) -> Worker:
        world = World(
            self.store,
            self._handlers,
            self._clock,
            self._audience,
            self._redactor,
            self._screens,
        )
        return Worker(world, graph, run_id, recording)

    def _past(self, run_id: str, lines: Sequence[bytes]) -> Past:
        return past(Run(run_id, lines, self.store.blob))

    def _workflow_of(self, run: Run) -> Workflow:
        if not run.started.flow:
            raise StoreError(
                f"run {run.id!r} was started without a workflow file",
                fix="give the workflow again",
            )
        text = self.store.blob(run.started.flow)
        return load_workflow(text, f"{run.started.workflow} (run {run.id})")

    def _graph_of(self, run: Run) -> Graph:
        self.registry.take_up(run.started.components)
        flow = run.started.flow
        known = self._graphs.get(self.store.blob(flow).decode()) if flow else None
        return known or self.check(self._workflow_of(run))
