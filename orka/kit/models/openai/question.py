"""What is asked of an endpoint: the request, in OpenAI's words."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from orka.errors import ModelError, nearest
from orka.kit.models.openai.endpoint import Endpoint
from orka.port.model import Message, ModelRequest
from orka.value import Json

PASSED_ON = ("temperature", "max_tokens", "top_p", "seed", "stop")


EMIT = "emit"
"""The tool whose arguments are the answer, with `structured: tool`."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`request.options`. `api_key_env` names the environment variable that holds the key.
    `structured` says how a schema is enforced; `auto` and `schema` leave that to `response_format`.
    """

    base_url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    response_format: Literal["json_schema", "json_object", "none"] = "json_schema"
    structured: Literal["auto", "schema", "json", "tool", "prompt"] = "auto"


def options_of(request: ModelRequest) -> Options:
    """The request's options. Raises `ModelError` (`model.refused`) for one that does not exist."""
    for name in request.options:
        if name not in Options.__struct_fields__:
            fix = nearest(name, Options.__struct_fields__)
            raise _invalid(request, f"there is no options.{name}", fix)
    try:
        return msgspec.convert(dict(request.options), Options)
    except msgspec.ValidationError as error:
        raise _invalid(request, f"options: {error}", "correct the value") from error


# What endpoints do not allow in the name of a function.
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")


def body_of(request: ModelRequest, options: Options, endpoint: Endpoint) -> dict[str, Json]:
    """The keywords of the SDK's call, without what the endpoint is known to refuse."""
    body: dict[str, Json] = {
        "model": request.name,
        "messages": [_turn(message) for message in request.messages],
        "stream": True,
    }
    body |= {name: value for name, value in request.params.items() if name in PASSED_ON}
    extra = {name: value for name, value in request.params.items() if name not in PASSED_ON}
    if extra:
        body["extra_body"] = extra
    if endpoint.usage:
        body["stream_options"] = {"include_usage": True}
    if request.choices:
        longest = max(len(choice.encode()) for choice in request.choices)
        body.setdefault("max_tokens", max(8, longest))
        if endpoint.top_logprobs:
            body |= {"logprobs": True, "top_logprobs": endpoint.top_logprobs}
    elif request.schema is not None:
        body |= _enforced(request.schema, options, others=bool(request.tools))
    if request.tools:
        body["tools"] = [
            _function(spelt(each.name), each.description, each.schema) for each in request.tools
        ]
    return body


def _turn(message: Message) -> Json:
    turn: dict[str, Json] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        turn["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": spelt(call.name), "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
        turn["content"] = message.content or None
    if message.role == "tool":
        turn["tool_call_id"] = message.tool_call_id
    return turn


def spelt(name: str) -> str:
    """A tool's name as endpoints allow it: letters, digits, `_` and `-`."""
    return _FOREIGN.sub("_", name)


def _function(name: str, description: str, schema: Json) -> Json:
    described = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": {k: v for k, v in described.items() if v != ""}}


def _enforced(schema: Json, options: Options, *, others: bool) -> dict[str, Json]:
    """How the endpoint is held to `schema`: by one tool it has to call (if there are no others), or
    by the format of its answer."""
    if options.structured == "tool" and not others:
        return {"tools": [_function(EMIT, "", schema)], "tool_choice": "required"}
    kind = "json_object" if options.structured == "json" else options.response_format
    if options.structured == "prompt" or kind == "none":
        return {}
    return {"response_format": _response_format(schema, kind)}


def _response_format(schema: Json, kind: str) -> Json:
    if kind == "json_object":
        return {"type": "json_object"}
    described = {"name": "answer", "schema": schema, "strict": _strict(schema)}
    return {"type": "json_schema", "json_schema": described}


def _strict(schema: Json) -> bool:
    """Whether every object in `schema` is closed and needs all its keys, as strict mode demands."""
    if isinstance(schema, list):
        return all(_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        names = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False:
            return False
        if set(schema.get("required", ())) != names:
            return False
    return all(_strict(item) for item in schema.values())


def _invalid(request: ModelRequest, what: str, fix: str) -> ModelError:
    where = f"openai/{request.name}"
    return ModelError(what, where=where, fix=fix, code="model.refused", retryable=False)
