"""What an endpoint answers: its stream, read piece by piece into a reply."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orka.kit.models.openai.question import EMIT, spelt
from orka.port.model import Emit, ModelReply, ModelRequest, ToolRequest, Usage

VAGUE = 0.01
"""How much of the choices' mass may be on tokens that could open two of them."""


@dataclass
class Called:
    """A call of a tool, as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class Reading:
    """What has come out of the stream so far."""

    text: str = ""
    finish: str = ""
    model: str = ""
    build: str = ""
    usage: Usage = field(default_factory=Usage)
    first: list[tuple[str, float]] | None = None
    calls: dict[int, Called] = field(default_factory=dict)

    def take(self, chunk: Any, emit: Emit) -> None:
        """Read one chunk. Endpoints leave out what they like."""
        self.model = chunk.model or self.model
        self.build = getattr(chunk, "system_fingerprint", None) or self.build
        if getattr(chunk, "usage", None) is not None:
            self.usage = _usage(chunk.usage)
        for choice in chunk.choices or ():
            self._choice(choice, emit)

    def _choice(self, choice: Any, emit: Emit) -> None:
        delta = choice.delta
        piece = getattr(delta, "content", None) or getattr(delta, "refusal", None) or ""
        if piece:
            self.text += piece
            emit(piece)
        for at, part in enumerate(getattr(delta, "tool_calls", None) or ()):
            self._call(at, part)
        logprobs = getattr(choice, "logprobs", None)
        if self.first is None and logprobs is not None and logprobs.content:
            self.first = [(top.token, top.logprob) for top in logprobs.content[0].top_logprobs]
        self.finish = choice.finish_reason or self.finish
        if getattr(delta, "refusal", None):
            self.finish = "refusal"

    def _call(self, at: int, part: Any) -> None:
        """A piece of a call. Some endpoints leave out the index, and send each call whole."""
        index = at if part.index is None else part.index
        call = self.calls.setdefault(index, Called())
        call.id = part.id or call.id
        if part.function is not None:
            call.name += part.function.name or ""
            call.arguments += part.function.arguments or ""


def whole(body: Any) -> Any:
    """An answer that came at once, as the one chunk of a stream."""
    if not isinstance(body, dict):
        return _Given({})
    choices = body.get("choices") or ()
    parts = [
        {"finish_reason": "stop", **choice, "delta": choice.get("message") or {}}
        for choice in choices
        if isinstance(choice, dict)
    ]
    return _Given({**body, "choices": parts})


class _Given:
    """A JSON object whose keys read as attributes, as the SDK's do; those left out are None."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return _given(self._values.get(name))


def _given(value: Any) -> Any:
    if isinstance(value, dict):
        return _Given(value)
    return [_given(item) for item in value] if isinstance(value, list) else value


def _usage(found: Any) -> Usage:
    details = getattr(found, "prompt_tokens_details", None)
    return Usage(
        prompt_tokens=found.prompt_tokens,
        completion_tokens=found.completion_tokens,
        cached_tokens=getattr(details, "cached_tokens", None),
    )


def reply_of(request: ModelRequest, reading: Reading) -> ModelReply:
    """The whole answer; with probabilities if the endpoint gave what they are made of."""
    shares = mass = None
    if request.choices and reading.first:
        shares, mass = shares_of(request.choices, reading.first)
    names = {spelt(each.name): each.name for each in request.tools}
    text, calls = reading.text, [reading.calls[at] for at in sorted(reading.calls)]
    if calls and not request.tools and calls[0].name == EMIT:
        text, calls = calls[0].arguments, []
    return ModelReply(
        text=text,
        finish_reason=_finish(reading),
        usage=reading.usage,
        model=reading.model or request.name,
        build=reading.build,
        probabilities=shares,
        mass=mass,
        tool_calls=tuple(
            ToolRequest(call.id, names.get(call.name, call.name), call.arguments) for call in calls
        ),
    )


def _finish(reading: Reading) -> str:
    """An answer that ends with calls of tools has not been cut off: it stops there."""
    return "stop" if reading.finish in ("tool_calls", "function_call") else reading.finish


def shares_of(
    choices: Sequence[str], first: Sequence[tuple[str, float]]
) -> tuple[Mapping[str, float] | None, float | None]:
    """Shares of `choices` and their mass, from the candidates for the first token. None when none
    was among the candidates, or one that two choices begin with weighs too much to be left out."""
    vague = 0.0
    raw = dict.fromkeys(choices, 0.0)
    for token, logprob in first:
        owners = [choice for choice in choices if _opens(token, choice)]
        if len(owners) == 1:
            raw[owners[0]] += math.exp(logprob)
        elif owners:
            vague += math.exp(logprob)
    mass = sum(raw.values())
    if mass <= 0.0 or vague > VAGUE * mass:
        return None, None
    return {choice: round(share / mass, 6) for choice, share in raw.items()}, round(mass, 6)


def _opens(token: str, choice: str) -> bool:
    word, whole = token.strip().lower(), choice.strip().lower()
    if not word:
        return False
    return whole.startswith(word) or (word.startswith(whole) and not word[len(whole)].isalnum())
