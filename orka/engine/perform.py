"""One attempt at one effect: wait, call the handler, and make a fact of whatever comes back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

import msgspec

from orka.engine.outside import ask, legible, too_slow
from orka.engine.redact import Redactor
from orka.engine.screen import Screens
from orka.errors import Failure, HandlerError, ScreenError
from orka.event.event import EffectAnswered
from orka.graph.graph import Graph
from orka.port.handler import Answer, Handler, Spent
from orka.port.model import Call
from orka.run.scope import Asked
from orka.value import Json, copied

# What the engine answers itself.
_OWN = ("sleep", "random")


class Performer:
    """Performs effects. Never raises but for cancellation: a failure is a fact."""

    __slots__ = ("_clock", "_graph", "_handlers", "_redactor", "_screens")

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        clock: Callable[[], float],
        redactor: Redactor,
        screens: Screens,
        graph: Graph,
    ) -> None:
        self._handlers, self._clock = handlers, clock
        self._redactor, self._screens, self._graph = redactor, screens, graph

    def random(self, asked: Asked, at: float) -> EffectAnswered:
        return EffectAnswered(at=at, id=asked.id, attempt=asked.attempt, value=random.random())

    async def perform(self, run: str, asked: Asked, attempt: int) -> EffectAnswered:
        """`run` is the id the run was started with: a salvaged copy keeps its effects' keys."""
        delay = asked.due - self._clock() if asked.due else 0.0
        late = asked.kind == "sleep" and asked.timeout is not None and delay > asked.timeout
        if delay > 0:
            await asyncio.sleep(asked.timeout or 0.0 if late else delay)
        node = asked.scope.graph.nodes[asked.index].id
        answer, error = Answer(None), too_slow(node, asked.timeout or 0.0) if late else None
        refused = False
        if asked.kind not in _OWN:
            answer, error, refused = await self._call(run, asked, attempt)
        value, notes, unfit = legible(answer.value)
        error = error or unfit
        fact = EffectAnswered(
            at=round(self._clock(), 6),
            id=asked.id,
            attempt=attempt,
            value=self._redactor.value(value),
            error=self._redactor.failure(error) if error else None,
            spent=_spent(answer.spent),
            notes=notes,
        )
        if refused or not self._filtered(asked):
            return fact
        fact = await self.screened(run, asked, fact)
        return msgspec.structs.replace(fact, at=round(self._clock(), 6))

    async def screened(self, run: str, asked: Asked, fact: EffectAnswered) -> EffectAnswered:
        """A fact as it may be recorded, wherever it comes from."""
        return await self._screens.answer(run, self._graph, asked, fact)

    def again(self, run: str, asked: Asked, fact: EffectAnswered) -> EffectAnswered:
        """The same for an answer of another run."""
        return self._screens.again(run, self._graph, asked, fact)

    def _filtered(self, asked: Asked) -> bool:
        return bool(self._graph.filters or asked.scope.graph.nodes[asked.index].filters)

    async def _call(
        self, run: str, asked: Asked, attempt: int
    ) -> tuple[Answer, Failure | None, bool]:
        """The answer, or the failure; and whether that is a refusal in our own words."""
        handler = self._handlers.get(asked.kind)
        if handler is None:
            missing = HandlerError(f"nothing here performs {asked.kind!r} effects", retryable=False)
            return Answer(None), missing.failure(), True
        node = asked.scope.graph.nodes[asked.index]
        call = Call(run=run, effect=asked.id, node=node.id, attempt=attempt, type=node.type)
        payload = copied(asked.payload)
        if not self._filtered(asked):
            return *await ask(handler, payload, call, asked.timeout), False
        answer, error = Answer(None), None
        try:
            payload = self._screens.revealed(run, self._graph, asked, payload)
            with self._screens.streaming(run, self._graph, asked):
                answer, error = await ask(handler, payload, call, asked.timeout)
        except ScreenError as refused:
            return Answer(None, answer.spent), refused.failure(), True
        return answer, error, False


def _spent(spent: Spent | None) -> Mapping[str, Json] | None:
    built: Mapping[str, Json] | None = msgspec.to_builtins(spent) if spent else None
    return built
