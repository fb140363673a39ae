"""What an endpoint answers: its stream, read piece by piece into a reply."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orka.port.model import Emit, ModelReply, ModelRequest, Usage

VAGUE = 0.01
"""How much of the choices' mass may be on tokens that could open two of them."""


@dataclass
class Reading:
    """What has come out of the stream so far."""

    text: str = ""
    finish: str = ""
    model: str = ""
    build: str = ""
    usage: Usage = field(default_factory=Usage)
    first: list[tuple[str, float]] | None = None

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
        logprobs = getattr(choice, "logprobs", None)
        if self.first is None and logprobs is not None and logprobs.content:
            self.first = [(top.token, top.logprob) for top in logprobs.content[0].top_logprobs]
        self.finish = choice.finish_reason or self.finish
        if getattr(delta, "refusal", None):
            self.finish = "refusal"


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
    return ModelReply(
        text=reading.text,
        finish_reason=reading.finish,
        usage=reading.usage,
        model=reading.model or request.name,
        build=reading.build,
        probabilities=shares,
        mass=mass,
    )


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
