"""A handler performs one kind of effect."""

from __future__ import annotations

from typing import Protocol

import msgspec

from orka.port.model import Call
from orka.value import Json


class Spent(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What one attempt used. None is unknown, never 0. `seconds` is wall time; `cost` is in
    `currency`."""

    seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None
    currency: str = ""
    model: str = ""
    build: str = ""
    digest: str = ""


class Answer(msgspec.Struct, frozen=True):
    """What came back: any Python value (it is made JSON at the boundary) and what it took."""

    value: object
    spent: Spent | None = None


class Handler(Protocol):
    """Raises `orka.errors.HandlerError`, or anything else, for a failed attempt."""

    async def __call__(self, payload: Json, call: Call) -> Answer: ...
