"""`http`, whose list is the operator's, and `http_listed`, whose list stands in the workflow."""

from __future__ import annotations

import os
from typing import Literal

import msgspec

from orka.agent.tool import tool
from orka.errors import ToolError
from orka.kit.tools.http.fetch import Request, check_headers, fetch
from orka.value import Json, canonical

ALLOW = "ORKA_HTTP_ALLOW"
MOST = 1_000_000
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


@tool(name="http")
async def http(
    url: str,
    method: Method = "GET",
    headers: dict[str, str] = {},  # noqa: B006  # made anew for each call
    query: dict[str, Json] = {},  # noqa: B006  # made anew for each call
    json: Json = None,
    body: str | None = None,
    timeout: float = 30.0,
) -> Json:
    """Ask a web server. Only hosts that the operator has allowed can be asked."""
    lines = [line for line in os.environ.get(ALLOW, "").split(",") if line.strip()]
    if not lines:
        raise ToolError(
            f"no host may be asked: {ALLOW} is not set",
            fix=f"set {ALLOW} to hosts or URL prefixes, with commas between them",
            code="tool.not_allowed",
            retryable=False,
        )
    request = _request(method, url, headers, query, json, body, timeout)
    return await fetch(msgspec.structs.replace(request, allow=tuple(lines)))


@tool(name="http_listed")
async def http_listed(
    url: str,
    allow: list[str],
    method: Method = "GET",
    headers: dict[str, str] = {},  # noqa: B006  # made anew for each call
    secret_headers: dict[str, str] = {},  # noqa: B006  # made anew for each call
    query: dict[str, Json] = {},  # noqa: B006  # made anew for each call
    json: Json = None,
    body: str | None = None,
    timeout: float = 30.0,
    max_bytes: int = MOST,
) -> Json:
    """Ask a web server that is in `allow`. Not for models: who calls it decides what is allowed."""
    request = _request(method, url, headers, query, json, body, timeout)
    secret = {name: _secret(name, variable) for name, variable in secret_headers.items()}
    check_headers(secret)
    return await fetch(
        msgspec.structs.replace(request, allow=tuple(allow), secret=secret, max_bytes=max_bytes)
    )


def _request(
    method: str,
    url: str,
    headers: dict[str, str],
    query: dict[str, Json],
    json: Json,
    body: str | None,
    timeout: float,
) -> Request:
    check_headers(headers)
    if json is not None and body is not None:
        raise ToolError(
            "`json` and `body` exclude each other",
            fix="give one of them",
            code="tool.arguments",
            retryable=False,
        )
    content = canonical(json) if json is not None else body.encode() if body is not None else None
    typed = {"content-type": "application/json"} if json is not None else {}
    return Request(
        method=method,
        url=url,
        headers={**typed, **{name.lower(): text for name, text in headers.items()}},
        secret={},
        query=query,
        content=content,
        timeout=timeout,
        max_bytes=MOST,
        allow=(),
    )


def _secret(header: str, variable: str) -> str:
    value = os.environ.get(variable, "")
    if not value:
        raise ToolError(
            f"the header {header!r} is to come from {variable}, which is not set",
            fix=f"set {variable}",
            code="tool.arguments",
            retryable=False,
        )
    return value
