"""One attempt at one effect: wait, call the handler, and make a fact of whatever comes back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

import msgspec

from orka.engine.redact import Redactor
from orka.errors import Failure, HandlerError, OrkaError
from orka.event.event import EffectAnswered
from orka.port.handler import Answer, Handler, Spent
from orka.port.model import Call
from orka.run.state import Asked
from orka.value import Json, copied, plain

# What the engine answers itself.
_OWN = ("sleep", "random")


class Performer:
    """Performs effects of one run. Never raises but for cancellation: a failure is a fact."""

    __slots__ = ("_clock", "_handlers", "_redactor", "_run")

    def __init__(
        self,
        run: str,
        handlers: Mapping[str, Handler],
        clock: Callable[[], float],
        redactor: Redactor,
    ) -> None:
        self._run, self._handlers, self._clock = run, handlers, clock
        self._redactor = redactor

    def random(self, asked: Asked, at: float) -> EffectAnswered:
        return EffectAnswered(at=at, id=asked.id, attempt=asked.attempt, value=random.random())

    async def perform(self, asked: Asked, attempt: int) -> EffectAnswered:
        if asked.due and (delay := asked.due - self._clock()) > 0:
            await asyncio.sleep(delay)
        answer, error = Answer(None), None
        if asked.kind not in _OWN:
            answer, error = await self._call(asked, attempt)
        try:
            value, notes = plain(answer.value)
        except (RecursionError, ValueError) as unfit:
            value, notes, error = None, (), _foreign(unfit)
        return EffectAnswered(
            at=round(self._clock(), 6),
            id=asked.id,
            attempt=attempt,
            value=self._redactor.value(value),
            error=self._redactor.failure(error) if error else None,
            spent=_spent(answer.spent),
            notes=notes,
        )

    async def _call(self, asked: Asked, attempt: int) -> tuple[Answer, Failure | None]:
        node = asked.scope.graph.nodes[asked.index]
        handler = self._handlers.get(asked.kind)
        if handler is None:
            missing = HandlerError(f"nothing here performs {asked.kind!r} effects", retryable=False)
            return Answer(None), missing.failure()
        call = Call(run=self._run, effect=asked.id, node=node.id, attempt=attempt)
        limit = asyncio.timeout(asked.timeout) if asked.timeout is not None else None
        payload = copied(asked.payload)
        try:
            if limit is None:
                return _checked(await handler(payload, call)), None
            async with limit:
                return _checked(await handler(payload, call)), None
        except TimeoutError as error:
            if limit is not None and limit.expired():
                return Answer(None), _too_slow(node.id, asked.timeout or 0.0)
            return Answer(None), _foreign(error)
        except OrkaError as error:
            return Answer(None), error.failure()
        except asyncio.CancelledError as error:
            if _stopping():
                raise
            return Answer(None), _foreign(error)
        except Exception as error:  # the failure of an effect is a fact in the trace
            return Answer(None), _foreign(error)


def _too_slow(node: str, timeout: float) -> Failure:
    return Failure(
        code="timeout",
        message=f"no answer for {node!r} within {timeout:g} s",
        fix=f"raise `timeout` of {node!r}, or give it `retries`",
    )


def _checked(answer: object) -> Answer:
    """Handlers come from plugins too: what is no `Answer` is a failure, not a crash."""
    if isinstance(answer, Answer):
        return answer
    raise HandlerError(
        f"the handler returned {type(answer).__name__}, not an Answer", retryable=False
    )


def _stopping() -> bool:
    """True if this task is being cancelled, not something that a handler waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _foreign(error: BaseException) -> Failure:
    """A stranger's exception: its type and text. Attributes (headers, bodies) are never copied."""
    return Failure(code="effect.raised", message=f"{type(error).__name__}: {error}")


def _spent(spent: Spent | None) -> Mapping[str, Json] | None:
    built: Mapping[str, Json] | None = msgspec.to_builtins(spent) if spent else None
    return built
