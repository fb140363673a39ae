"""`model: scripted` of a case: the product's scripted model, one reply at a time, with a log."""

from __future__ import annotations

from cases.doubles import Doubles
from cases.log import Asked
from orka.port.model import Call, Emit, ModelReply, ModelRequest
from orka.testing.scripted import scripted


class CaseModel:
    """Answers by the script of the agent that asks, whatever process has asked before."""

    def __init__(self, doubles: Doubles) -> None:
        self._doubles = doubles

    async def complete(self, request: ModelRequest, call: Call, emit: Emit) -> ModelReply:
        texts = [message.content for message in request.messages]
        prompts = (texts[-1], "\n".join(texts))
        asked = Asked(kind="llm", agent=call.node, run=call.run, key=call.key, prompts=prompts)
        entry = await self._doubles.next(asked)
        return await scripted({call.node: [entry.answer()]}).complete(request, call, emit)
