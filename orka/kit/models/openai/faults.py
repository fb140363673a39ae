"""What goes wrong, as a `ModelError` that names the endpoint and shows no header and no key."""

from __future__ import annotations

import re
from typing import Any

from orka.errors import ModelError
from orka.kit.models.openai.endpoint import Endpoint
from orka.port.model import ModelRequest
from orka.port.retry import retry_after

OVERFLOW = "model.context_overflow"
_SECRET_LIKE = re.compile(
    r"(?i)\b(authorization|x-api-key|api[-_]?key)\b[\"']?\s*[:=]\s*[\"']?(bearer\s+)?[^\s\"',}]+"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"
    r"|\bbearer\s+[^\s\"',}]+|\bsk-[\w*.-]+"
)


def _said(text: object, endpoint: Endpoint) -> str:
    """The endpoint's words, short and without anything that is or looks like a key."""
    plain = " ".join(str(text).split())
    if endpoint.key:
        plain = plain.replace(endpoint.key, "[REDACTED]")
    return _SECRET_LIKE.sub("[REDACTED]", plain)[:300]


def _failure(
    request: ModelRequest,
    endpoint: Endpoint,
    what: str,
    fix: str,
    *,
    code: str,
    retryable: bool,
    retry_after: float | None = None,
) -> ModelError:
    host = endpoint.host
    return ModelError(
        f"{host}, asked for model {request.name!r}: {what}",
        where=f"openai/{request.name} at {host}",
        fix=fix,
        code=code,
        retryable=retryable,
        retry_after=retry_after,
    )


def broken(what: str, request: ModelRequest, endpoint: Endpoint) -> ModelError:
    """The endpoint did not keep to the protocol."""
    fix = "try again; if it persists, check that base_url is right (it usually ends in /v1)"
    return _failure(request, endpoint, what, fix, code="model.server", retryable=True)


def translated(
    sdk: Any, error: Exception, request: ModelRequest, endpoint: Endpoint, *, begun: bool
) -> ModelError:
    """An error of the SDK, or of the HTTP library under it; `begun` if some answer had come."""
    if isinstance(error, sdk.APIStatusError):
        return _by_status(error, request, endpoint)
    if isinstance(error, sdk.APITimeoutError) or "Timeout" in type(error).__name__:
        return _failure(
            request,
            endpoint,
            "no answer in time",
            "try again, or ask for a shorter answer",
            code="model.timeout",
            retryable=True,
        )
    if isinstance(error, sdk.APIConnectionError) and not begun:
        return _failure(
            request,
            endpoint,
            f"cannot be reached ({_said(error.__cause__ or error, endpoint)})",
            "start the server, or correct options.base_url or OPENAI_BASE_URL",
            code="model.unreachable",
            retryable=True,
        )
    if isinstance(error, sdk.APIError) and not isinstance(error, sdk.APIConnectionError):
        return broken(
            f"an error in the stream: {_said(error.message, endpoint)}", request, endpoint
        )
    return broken(
        f"the connection broke in mid-answer ({_said(error, endpoint)})", request, endpoint
    )


def _by_status(error: Any, request: ModelRequest, endpoint: Endpoint) -> ModelError:
    status: int = error.status_code
    said = _said(error.message, endpoint)
    if status == 429 and error.code != "insufficient_quota":
        wait = retry_after(error.response.headers)
        when = f" after {wait:g} s" if wait is not None else " later"
        what, fix = f"status 429, too many requests: {said}", f"try again{when}, or ask less often"
        return _failure(
            request,
            endpoint,
            what,
            fix,
            code="model.rate_limited",
            retryable=True,
            retry_after=wait,
        )
    if status == 408:
        what = "status 408, no answer in time"
        return _failure(request, endpoint, what, "try again", code="model.timeout", retryable=True)
    if status >= 500 or status == 409:
        what, fix = f"status {status}: {said}", "try again; the fault is on the server's side"
        wait = retry_after(error.response.headers)
        return _failure(
            request, endpoint, what, fix, code="model.server", retryable=True, retry_after=wait
        )
    return refused(error, request, endpoint)


def _about_form(what: str, request: ModelRequest) -> bool:
    """Whether an endpoint complains about how it was told the form of its answer, or the tools."""
    asked = request.schema is not None or request.tools
    return bool(asked and re.search("response_format|json_schema|json_object|tool|gramma", what))


def refused(error: Any, request: ModelRequest, endpoint: Endpoint) -> ModelError:
    """A status that asking again does not change."""
    status: int = error.status_code
    name, code = endpoint.key_env, "model.refused"
    if status in (401, 403):
        # The endpoint's words are left out: they often quote a part of the key.
        what = f"status {status}, the key was refused"
        fix = f"check the key in {name}" if endpoint.key else f"set {name}: it is empty"
    elif status == 404:
        what = f"status 404, no such model or path: {_said(error.message, endpoint)}"
        fix = "check the model's name and that base_url is right (it usually ends in /v1)"
    elif status == 429:
        what, fix = "status 429, the quota of this key is used up", f"top up the account of {name}"
    elif error.code == "context_length_exceeded":
        what = f"status {status}: {_said(error.message, endpoint)}"
        fix, code = "shorten the prompt, or ask a model with a larger context", OVERFLOW
    else:
        what = f"status {status}: {_said(error.message, endpoint)}"
        fix = "correct the request"
        if _about_form(what, request):
            fix = "set `structured: prompt`: this endpoint does not take the form of the answer"
        elif request.schema is not None:
            fix += "; if it is about the schema, set `structured: json` or `structured: prompt`"
    return _failure(request, endpoint, what, fix, code=code, retryable=False)
