"""The OpenAI provider: which endpoint, which model, and answers that come at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from endpoint import Answer, Asked, chunk, serving

from orka.errors import ModelError
from orka.kit.models.openai import OpenAIModel
from orka.port.model import Call, Message, ModelReply, ModelRequest

CALL = Call("run", "effect", "node")
HELLO = Answer(events=[chunk("Hello"), chunk(finish="stop")])
NAMES: tuple[str, ...] = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "ORKA_OPENAI_BASE_URL",
)
NAMES += ("ORKA_OPENAI_MODEL", "BASE_OPENAI_MODEL")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def ask(name: str, pieces: list[str] | None = None, **options: str) -> ModelReply:
    request = ModelRequest(name=name, messages=(Message("user", "Hi"),), options=options)
    heard = [] if pieces is None else pieces

    async def once() -> ModelReply:
        model = OpenAIModel()
        try:
            return await model.complete(request, CALL, heard.append)
        finally:
            await model.close()

    return asyncio.run(once())


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_the_endpoint_can_come_from_the_environment(
    variable: str, environment: pytest.MonkeyPatch
) -> None:
    with serving(lambda asked: HELLO) as server:
        environment.setenv(variable, server.url)
        assert ask("tiny").text == "Hello"
    assert server.headers[0]["authorization"] == "Bearer no-key-needed"


def test_one_endpoint_can_take_the_place_of_all(environment: pytest.MonkeyPatch) -> None:
    with serving(lambda asked: HELLO) as server:
        environment.setenv("ORKA_OPENAI_BASE_URL", server.url)
        assert ask("tiny", base_url="http://localhost:1/v1").text == "Hello"


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"BASE_OPENAI_MODEL": "old"}, "old"),
        ({"ORKA_OPENAI_MODEL": "new", "BASE_OPENAI_MODEL": "old"}, "new"),
    ],
)
def test_the_default_is_the_model_that_the_environment_names(
    variables: dict[str, str], name: str, environment: pytest.MonkeyPatch
) -> None:
    for variable, value in variables.items():
        environment.setenv(variable, value)
    with serving(lambda asked: HELLO) as server:
        ask("default", base_url=server.url)
    assert server.asked[0]["model"] == name


def test_a_default_that_nobody_names_is_an_error() -> None:
    with pytest.raises(ModelError) as caught:
        ask("default", base_url="http://localhost:1/v1")
    assert caught.value.code == "model.refused" and not caught.value.retryable
    assert "BASE_OPENAI_MODEL" in caught.value.fix


WHOLE: Asked = {
    "id": "1",
    "object": "chat.completion",
    "model": "tiny-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
}
CALLED: Asked = {
    "choices": [
        {
            "finish_reason": "tool_calls",
            "message": {
                "tool_calls": [{"id": "c", "function": {"name": "emit", "arguments": "{}"}}]
            },
        }
    ],
}


@contextmanager
def answering(body: Any) -> Iterator[str]:
    """A server that does not know how to stream."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        def log_message(self, format: str, *args: Any) -> None:
            """The test's output is not the place."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_an_answer_that_comes_at_once_is_read_like_a_stream() -> None:
    pieces: list[str] = []
    with answering(WHOLE) as url:
        reply = ask("tiny", pieces, base_url=url)
    assert (reply.text, reply.finish_reason, pieces) == ("Hello", "stop", ["Hello"])
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (7, 2)
    assert reply.usage.cached_tokens is None and reply.model == "tiny-1"


def test_a_call_of_a_tool_that_comes_at_once_is_read() -> None:
    with answering(CALLED) as url:
        reply = ask("tiny", base_url=url)
    assert reply.text == "{}" or reply.tool_calls


@pytest.mark.parametrize("body", [b"not json", {"error": "busy"}, [], {"choices": []}])
def test_a_whole_answer_that_is_none_is_an_error(body: Any) -> None:
    with answering(body) as url, pytest.raises(ModelError) as caught:
        ask("tiny", base_url=url)
    assert caught.value.code == "model.server" and caught.value.retryable
