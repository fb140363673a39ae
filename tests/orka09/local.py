"""A real local model behind the server of these tests: small weights, short answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from orka.kit.models.local import LocalModel, weights
from orka.port.model import Call, Message, ModelRequest
from orka09.server import Asked, Respond, schema_of

LONGEST = 12
_CALL = Call("run", "effect", "node")
# Characters of a prompt: small weights do not make more of a longer one.
_PROMPT = 700


@contextmanager
def answering(name: str) -> Iterator[Respond]:
    """Answers of the model `name`, whose weights are pulled when they are missing. It lives on a
    loop of its own and has answered once, so that nobody waits for it to load."""
    weights.pull(name)
    loop, lock, model = asyncio.new_event_loop(), Lock(), LocalModel()
    thread = Thread(target=loop.run_forever)
    thread.start()

    def ask(request: ModelRequest) -> str:
        with lock:
            asked = model.complete(request, _CALL, lambda piece: None)
            return asyncio.run_coroutine_threadsafe(asked, loop).result().text

    ask(_request(name, (Message("user", "Hi"),), None))
    try:
        yield lambda asked: ask(_request(name, _messages(asked), schema_of(asked)))
    finally:
        asyncio.run_coroutine_threadsafe(model.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _messages(asked: Asked) -> tuple[Message, ...]:
    return tuple(
        Message(each["role"], str(each["content"])[-_PROMPT:]) for each in asked.body["messages"]
    )


def _request(name: str, messages: tuple[Message, ...], schema: object) -> ModelRequest:
    return ModelRequest(
        name=name,
        messages=messages,
        schema=schema,
        params={"temperature": 0, "max_tokens": 200 if schema else LONGEST},
        options={"context": 1024},
    )
