"""A server on this machine that speaks OpenAI's protocol and answers searches, as a test says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = Any  # JSON, as it comes


@dataclass
class Asked:
    """One question: what was asked for, and when (seconds of a monotonic clock)."""

    body: dict[str, Json]
    headers: dict[str, str]
    began: float
    ended: float = 0.0

    @property
    def prompt(self) -> str:
        return "\n".join(str(message["content"]) for message in self.body["messages"])

    @property
    def model(self) -> str:
        return str(self.body["model"])


@dataclass
class Served:
    """A running server. `url` is what a workflow would call its `model_url`."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def prompts(self, words: str) -> list[str]:
        """The prompts that hold `words`, in the order they came."""
        return [each.prompt for each in self.asked if words in each.prompt]


Respond = Callable[[Asked], "str | int"]
"""What is answered: a text, or the status of an error."""


@contextmanager
def serving(respond: Respond, *, stream: bool = True) -> Iterator[Served]:
    """A server on a free port. Without `stream` it gives answers whole, whatever it is asked."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            began = time.monotonic()
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/v1/chat/completions"):
                return _send(self, 404, json.dumps({"error": {"message": self.path}}))
            asked = Asked(body, {k.lower(): v for k, v in self.headers.items()}, began)
            with served.lock:
                served.asked.append(asked)
            text = respond(asked)
            asked.ended = time.monotonic()
            if isinstance(text, int):
                return _send(self, text, json.dumps({"error": {"message": "out of order"}}))
            if stream and body.get("stream"):
                return _stream(self, body, text)
            return _send(self, 200, json.dumps(_whole(body, text)))

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query).get("q", [""])[0]
            with served.lock:
                served.searched.append(query)
            found = {"title": "A page", "url": "https://example.org/", "content": f"On {query}"}
            _send(self, 200, json.dumps({"results": [found]}))

        def log_message(self, format: str, *args: Json) -> None:
            """The test's output is not the place."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = Served(f"http://127.0.0.1:{server.server_port}")
    with _running(server):
        yield served


@contextmanager
def _running(server: ThreadingHTTPServer) -> Iterator[None]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _whole(body: dict[str, Json], text: str) -> Json:
    message: Json = {"role": "assistant", "content": text}
    if tools := body.get("tools"):
        call = {"name": tools[0]["function"]["name"], "arguments": text}
        message = {"role": "assistant", "content": None}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    base = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
    return {**base, "choices": [choice], "usage": usage}


def _stream(handler: BaseHTTPRequestHandler, body: dict[str, Json], text: str) -> None:
    whole = _whole(body, text)
    choice = whole["choices"][0]
    delta = choice["message"]
    for at, call in enumerate(delta.get("tool_calls", ())):
        call["index"] = at
    first = {"index": 0, "delta": delta, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    base = {**whole, "object": "chat.completion.chunk", "usage": None}
    events = [{**base, "choices": [part]} for part in (first, last)]
    events.append({**base, "choices": [], "usage": whole["usage"]})
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    for event in events:
        handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    handler.wfile.write(b"data: [DONE]\n\n")
    handler.close_connection = True


def _send(handler: BaseHTTPRequestHandler, status: int, text: str) -> None:
    data = text.encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def schema_of(asked: Asked) -> Json:
    """The JSON Schema that a question was sent with, if there was one."""
    form = asked.body.get("response_format") or {}
    if tools := asked.body.get("tools"):
        return tools[0]["function"]["parameters"]
    return form.get("json_schema", {}).get("schema")


def instance(schema: Json) -> Json:
    """A value that meets a schema as these workflows have them."""
    if "enum" in schema or "const" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if several := schema.get("anyOf"):
        return instance(next((each for each in several if "properties" in each), several[0]))
    kind = schema.get("type", "string")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {name: instance(inner) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [instance(schema["items"])] if schema.get("items") else ["one"]
        case "boolean":
            return True
        case "number":
            return 0.8
        case "integer":
            return 1
    return "text"
