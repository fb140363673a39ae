"""The provider: one client per endpoint and key, one stream per question."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from orka.errors import ModelError
from orka.kit.models.openai import faults
from orka.kit.models.openai.endpoint import Endpoint, host_of
from orka.kit.models.openai.question import Options, body_of, options_of
from orka.kit.models.openai.reading import Reading, reply_of, whole
from orka.port.model import Call, Emit, ModelReply, ModelRequest
from orka.value import Json

OFFICIAL = "https://api.openai.com/v1"
PLACEHOLDER = "no-key-needed"
# The name that stands for the model the environment names, in one of these variables.
DEFAULT, DEFAULT_ENV = "default", ("ORKA_OPENAI_MODEL", "BASE_OPENAI_MODEL")
# Where a workflow's own `base_url` is led elsewhere, and where an endpoint is named without one.
OVERRIDE_ENV, BASE_ENV = "ORKA_OPENAI_BASE_URL", ("OPENAI_BASE_URL", "OPENAI_API_BASE")
TIMEOUT, CONNECT_TIMEOUT = 600.0, 10.0


class OpenAIModel:
    """A `Model` on the official SDK. Retries are the scheduler's, so the SDK's are off.

    Options: `base_url` (else OPENAI_BASE_URL), `api_key_env`, `response_format`, `structured`.
    The variable ORKA_OPENAI_BASE_URL takes the place of every `base_url`; `openai/default` is the
    model that ORKA_OPENAI_MODEL or BASE_OPENAI_MODEL names.
    """

    takes_tools = True

    def __init__(self) -> None:
        self._endpoints: dict[tuple[str, str], Endpoint] = {}

    async def complete(self, request: ModelRequest, call: Call, emit: Emit) -> ModelReply:
        """Stream one answer. Never puts a header, a key or a whole URL into an error."""
        options = options_of(request)
        request = _named(request)
        sdk = _sdk()
        endpoint = self._endpoint(sdk, options, request)
        while True:
            asked, reading = body_of(request, options, endpoint), Reading()
            try:
                await _stream(endpoint, asked, reading, emit)
                if reading.finish:
                    return reply_of(request, reading)
                failure = faults.broken("the stream ended in mid-answer", request, endpoint)
            except (sdk.BadRequestError, sdk.UnprocessableEntityError) as error:
                if endpoint.concede(str(error.message), asked):
                    continue
                failure = faults.refused(error, request, endpoint)
            except (sdk.OpenAIError, *_transport_errors()) as error:
                failure = faults.translated(
                    sdk, error, request, endpoint, begun=bool(reading.model)
                )
            except (json.JSONDecodeError, UnicodeDecodeError):
                failure = faults.broken("it answered what is not JSON", request, endpoint)
            # Out here, since an error chained to the SDK's would carry the request's headers.
            raise failure

    async def close(self) -> None:
        """Close every connection."""
        endpoints, self._endpoints = list(self._endpoints.values()), {}
        for endpoint in endpoints:
            if endpoint.loop is asyncio.get_running_loop():
                await endpoint.client.close()

    def _endpoint(self, sdk: Any, options: Options, request: ModelRequest) -> Endpoint:
        base_url = _first(OVERRIDE_ENV) or options.base_url or _first(*BASE_ENV) or OFFICIAL
        key = os.environ.get(options.api_key_env, "")
        if not key and base_url == OFFICIAL:
            raise ModelError(
                f"there is no key for {request.name!r}: {options.api_key_env} is not set",
                where=host_of(base_url),
                fix=f"set {options.api_key_env}, or options.base_url for an endpoint without keys",
                code="model.refused",
                retryable=False,
            )
        loop = asyncio.get_running_loop()
        known = self._endpoints.get((base_url, key))
        if known is None or known.loop is not loop:
            client = sdk.AsyncOpenAI(
                base_url=base_url,
                api_key=key or PLACEHOLDER,
                max_retries=0,
                timeout=sdk.Timeout(TIMEOUT, connect=CONNECT_TIMEOUT),
            )
            known = Endpoint(base_url, client, loop, key, options.api_key_env)
            self._endpoints[base_url, key] = known
        return known


async def _stream(
    endpoint: Endpoint, asked: Mapping[str, Json], reading: Reading, emit: Emit
) -> None:
    """Read the answer as it comes; some endpoints give it whole though asked to stream."""
    raw = await endpoint.client.chat.completions.with_raw_response.create(**asked)
    if raw.headers.get("content-type", "").startswith("application/json"):
        reading.take(whole(json.loads(await raw.http_response.aread())), emit)
        return
    async with raw.parse() as chunks:
        async for chunk in chunks:
            reading.take(chunk, emit)


def _first(*names: str) -> str:
    """The value of the first of these environment variables that is set."""
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _named(request: ModelRequest) -> ModelRequest:
    """The request with the name of its model. Raises `ModelError` if `default` stands for none."""
    if request.name != DEFAULT:
        return request
    name = _first(*DEFAULT_ENV)
    if not name:
        raise ModelError(
            "`openai/default` is the model that the environment names, and it names none",
            where="openai/default",
            fix=f"set {' or '.join(DEFAULT_ENV)}, or write `model: openai/NAME`",
            code="model.refused",
            retryable=False,
        )
    return msgspec.structs.replace(request, name=name)


def _sdk() -> Any:
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise ModelError(
            f"the openai SDK cannot be imported: {error}",
            where="openai/*",
            fix="run `pip install 'orka[openai]'`",
            code="model.not_installed",
            retryable=False,
        ) from error


def _transport_errors() -> tuple[type[Exception], ...]:
    """What the SDK lets through while it streams: errors of the HTTP library it was built on."""
    found = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
    return tuple(module.HTTPError for module in found)
