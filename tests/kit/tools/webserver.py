"""A small real web server that answers as a test wants, and keeps what it was asked."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Asked:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """What to send back."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Server:
    """Where it is, and what it was asked."""

    port: int
    asked: list[Asked]

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"


@contextmanager
def served(
    answer: Callable[[Asked], Answer], tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    """A server for the length of a `with`."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): text for name, text in self.headers.items()}
            got = Asked(self.command, self.path, headers, self.rfile.read(length))
            asked.append(got)
            sent = answer(got)
            self.send_response(sent.status)
            for name, text in sent.headers.items():
                self.send_header(name, text)
            if "content-length" not in sent.headers:
                self.send_header("content-length", str(len(sent.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(sent.body)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = _answer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Server(server.server_port, asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
