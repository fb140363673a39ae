"""One attempt at one effect: wait, call the handler, and make a fact of whatever comes back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

import msgspec

from orka.engine.outside import ask, legible, too_slow
from orka.engine.redact import Redactor
from orka.errors import Failure, HandlerError
from orka.event.event import EffectAnswered
from orka.port.handler import Answer, Handler, Spent
from orka.port.model import Call
from orka.run.scope import Asked
from orka.value import Json, copied

# What the engine answers itself.
_OWN = ("sleep", "random")


class Performer:
    """Performs effects. Never raises but for cancellation: a failure is a fact."""

    __slots__ = ("_clock", "_handlers", "_redactor")

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        clock: Callable[[], float],
        redactor: Redactor,
    ) -> None:
        self._handlers, self._clock = handlers, clock
        self._redactor = redactor

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
        if asked.kind not in _OWN:
            answer, error = await self._call(run, asked, attempt)
        value, notes, unfit = legible(answer.value)
        error = error or unfit
        return EffectAnswered(
            at=round(self._clock(), 6),
            id=asked.id,
            attempt=attempt,
            value=self._redactor.value(value),
            error=self._redactor.failure(error) if error else None,
            spent=_spent(answer.spent),
            notes=notes,
        )

    async def _call(self, run: str, asked: Asked, attempt: int) -> tuple[Answer, Failure | None]:
        handler = self._handlers.get(asked.kind)
        if handler is None:
            missing = HandlerError(f"nothing here performs {asked.kind!r} effects", retryable=False)
            return Answer(None), missing.failure()
        node = asked.scope.graph.nodes[asked.index]
        call = Call(run=run, effect=asked.id, node=node.id, attempt=attempt)
        return await ask(handler, copied(asked.payload), call, asked.timeout)


def _spent(spent: Spent | None) -> Mapping[str, Json] | None:
    built: Mapping[str, Json] | None = msgspec.to_builtins(spent) if spent else None
    return built
