"""A real local model behind the server of these tests: small weights, short answers."""

from __future__ import annotations

import asyncio
from threading import Lock

from orka.kit.models.local import LocalModel, weights
from orka.port.model import Call, Message, ModelRequest
from orka09.server import Asked, Respond, schema_of

LONGEST = 40
_CALL = Call("run", "effect", "node")
# Characters of a prompt: small weights do not make more of a longer one.
_PROMPT = 3000


def answering(name: str) -> Respond:
    """Answers of the model `name`, whose weights are pulled when they are missing."""
    weights.pull(name)
    lock = Lock()

    def respond(asked: Asked) -> str:
        with lock:
            return asyncio.run(_answer(name, asked))

    return respond


async def _answer(name: str, asked: Asked) -> str:
    messages = tuple(
        Message(each["role"], str(each["content"])[-_PROMPT:]) for each in asked.body["messages"]
    )
    request = ModelRequest(
        name=name,
        messages=messages,
        schema=schema_of(asked),
        params={"temperature": 0, "max_tokens": 200 if schema_of(asked) else LONGEST},
        options={"context": 2048},
    )
    model = LocalModel()
    try:
        return (await model.complete(request, _CALL, lambda piece: None)).text
    finally:
        await model.close()
