"""A small web server on this machine, which examples ask in place of the world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

HIT = {"title": "Owls", "url": "https://owls.example/1", "content": "They hunt at night."}


class _Handler(BaseHTTPRequestHandler):
    """Finds something whatever is looked for, and says what it was sent."""

    def _answer(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        body = json.dumps({"results": [HIT], "method": self.command, "sent": sent}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    """Its address, for the length of a `with`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
