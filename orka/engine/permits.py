"""A handler behind a door: what an agent may not ask is a failure before anything is performed."""

from __future__ import annotations

from collections.abc import Callable

from orka.errors import HandlerError, OrkaError
from orka.port.handler import Answer, Handler
from orka.port.model import Call
from orka.value import Json

# Why an effect is not to be performed, by node, type of its agent, kind of effect and payload.
Forbids = Callable[[str, str, str, Json], OrkaError | None]


class Permitted:
    """Performs what is not forbidden."""

    def __init__(self, kind: str, handler: Handler, forbids: Forbids) -> None:
        self._kind, self._handler, self._forbids = kind, handler, forbids

    async def __call__(self, payload: Json, call: Call) -> Answer:
        error = self._forbids(call.node, call.type, self._kind, payload)
        if error is not None:
            raise HandlerError(
                error.what,
                where=f"node {call.node!r}",
                fix=error.fix,
                code=error.code,
                retryable=False,
            )
        return await self._handler(payload, call)
