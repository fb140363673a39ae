"""A tool: a named function with a schema and an effect on the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from orka.value import Json


class Tool(Protocol):
    """`schema` is the JSON Schema of the arguments. An idempotent tool may be called twice with the
    same `key` and acts once. A `blocking` tool is called in a thread; another one returns an
    awaitable. Raises `orka.errors.ToolError`, or anything else, when it fails."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def schema(self) -> Json: ...
    @property
    def idempotent(self) -> bool: ...
    @property
    def blocking(self) -> bool: ...

    def call(self, args: Mapping[str, Json], key: str) -> object: ...
