"""A language model, as the engine sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

import msgspec

from orka.value import Json

Emit = Callable[[str], None]
"""Called with each piece of text as it arrives; beside the trace, never part of it."""


class Call(msgspec.Struct, frozen=True):
    """Who asks: `key` is the same each time this very effect is performed, also after a crash.
    `type` is that of the node's agent."""

    run: str
    effect: str
    node: str
    attempt: int = 1
    type: str = ""

    @property
    def key(self) -> str:
        return f"{self.run}/{self.effect}"


class ToolOffer(msgspec.Struct, frozen=True):
    """A tool the model may call; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Json


class ToolRequest(msgspec.Struct, frozen=True):
    """A call the model asks for. `arguments` is text as it came: JSON, if the model keeps to it."""

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True):
    """One turn. An assistant's may have asked for `tool_calls`; a tool's is the result of the call
    `tool_call_id` of the tool `name`."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolRequest, ...] = ()
    tool_call_id: str = ""
    name: str = ""


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a model. `name` is what stands after the provider: `local/NAME`.

    `schema` is a JSON Schema the answer must meet (enforced by grammar or natively where the
    provider can). `choices` makes it a one-of-n question that is answered with probabilities.
    `params` are sampling parameters (temperature, max_tokens, top_p, seed, stop);
    `options` configure the provider (base_url, api_key_env, threads, context). `tools` are what
    the model may call; they reach only providers whose class says `takes_tools = True`, for the
    others they stand in the messages.
    """

    name: str
    messages: tuple[Message, ...]
    params: Mapping[str, Json] = {}
    schema: Json = None
    choices: tuple[str, ...] = ()
    options: Mapping[str, Json] = {}
    tools: tuple[ToolOffer, ...] = ()


class Usage(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Tokens of one call; None means the provider did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class ModelReply(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The raw answer, before anything is parsed out of it.

    `finish_reason` is "stop", "length" (cut off), or the provider's own word. `probabilities`
    maps each of the request's choices to its share; `mass` is how much probability all choices
    had together before they were normalised. `build` and `digest` name the runtime and weights.
    """

    text: str
    finish_reason: str
    usage: Usage = Usage()
    model: str = ""
    build: str = ""
    digest: str = ""
    probabilities: Mapping[str, float] | None = None
    mass: float | None = None
    tool_calls: tuple[ToolRequest, ...] = ()


class Model(Protocol):
    """A provider. Raises `orka.errors.ModelError`, with `retryable` set honestly."""

    async def complete(self, request: ModelRequest, call: Call, emit: Emit) -> ModelReply: ...
