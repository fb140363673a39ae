"""What a server answered, as a value or as an error that says if asking again can help."""

from __future__ import annotations

import base64
from typing import Any

from orka.errors import ToolError
from orka.port.retry import retry_after
from orka.value import Json, parse

_AGAIN = (408, 425, 429)
_TOLD = 200
# What is a secret of the session, and has no place in a trace.
_LEFT_OUT = ("set-cookie",)


def checked(got: Any, url: Any, content: bytes) -> Any:
    """The response itself, if its status is a success. Raises `ToolError`."""
    status: int = got.status_code
    if 200 <= status < 300:
        return got
    said = " ".join(content[:_TOLD].decode("utf-8", "replace").split())
    what = f"{url.host} answered with status {status}" + (f": {said}" if said else "")
    if status == 429:
        code, fix = "tool.rate_limited", "ask less often; `retries` waits as long as it says"
    elif status >= 500 or status in _AGAIN:
        code, fix = "tool.server", "try again; `retries` does so"
    else:
        code, fix = "tool.refused", "correct the request"
    again = status >= 500 or status in _AGAIN
    wait = retry_after(got.headers) if again else None
    raise ToolError(what, fix=fix, code=code, retryable=again, retry_after=wait)


def answer_of(got: Any, url: Any, content: bytes) -> Json:
    """`body` is text, or base64 (then `base64` is true) if it is none; `json` its value, or null
    if it is no JSON."""
    text = _text(content, got.charset_encoding or "utf-8")
    answer: dict[str, Json] = {
        "status": got.status_code,
        "url": str(url),
        "headers": {name: got.headers[name] for name in got.headers if name not in _LEFT_OUT},
        "body": base64.b64encode(content).decode() if text is None else text,
        "json": _json(text) if "json" in got.headers.get("content-type", "") else None,
    }
    return answer if text is not None else {**answer, "base64": True}


def _text(content: bytes, charset: str) -> str | None:
    try:
        return content.decode(charset)
    except (UnicodeDecodeError, LookupError):
        return None


def _json(text: str | None) -> Json:
    try:
        return None if text is None else parse(text)
    except ValueError:
        return None
