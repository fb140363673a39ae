"""A small real endpoint that speaks OpenAI's streaming protocol, or answers as a test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Asked = dict[str, Any]


@dataclass
class Answer:
    """What to send: server-sent events for a 200, a JSON body for anything else."""

    status: int = 200
    events: list[Any] = field(default_factory=list)
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    done: bool = True
    cut: bool = False


@dataclass
class Endpoint:
    """A running server: where it is, and what it was asked, headers included."""

    url: str
    asked: list[Asked]
    headers: list[dict[str, str]]


def chunk(text: str | None = None, *, finish: str | None = None, **more: Any) -> Asked:
    """One event of a stream."""
    choice: Asked = {
        "index": 0,
        "delta": {"content": text} if text else {},
        "finish_reason": finish,
    }
    if "top" in more:
        top = [{"token": t, "logprob": p, "bytes": None} for t, p in more.pop("top")]
        choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    base = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny-1"}
    return {**base, "choices": [choice], **more}


def usage(prompt: int, completion: int, cached: int) -> Asked:
    """The last event, as `include_usage` asks for it."""
    counts = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return {**chunk(), "choices": [], "usage": counts}


@contextmanager
def serving(respond: Callable[[Asked], Answer]) -> Iterator[Endpoint]:
    """A server on a free port of this machine that answers each request with `respond`."""
    asked: list[Asked] = []
    headers: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked.append(json.loads(self.rfile.read(length)))
            headers.append({name.lower(): value for name, value in self.headers.items()})
            _send(self, respond(asked[-1]))

        def log_message(self, format: str, *args: Any) -> None:
            """The test's output is not the place."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Endpoint(f"http://127.0.0.1:{server.server_port}/v1", asked, headers)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    handler.send_response(answer.status)
    for name, value in answer.headers.items():
        handler.send_header(name, value)
    if answer.status != 200:
        data = json.dumps(answer.body).encode()
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)
        return
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    if answer.cut:
        handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for event in answer.events:
        line = event if isinstance(event, str) else json.dumps(event)
        handler.wfile.write(f"data: {line}\n\n".encode())
        handler.wfile.flush()
    if answer.done and not answer.cut:
        handler.wfile.write(b"data: [DONE]\n\n")
    handler.close_connection = True
