"""What is wrong with a text that should be JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orka.agent.sensor.places import Step, dotted
from orka.value import Json

_LONGEST = 120


class _Nothing:
    """No part of a value was read."""


NOTHING: Final = _Nothing()


class Broken(ValueError):
    """A text is not JSON, and no rule mends it: the `kind` of breach, at `offset`, in `path`."""

    def __init__(self, kind: str, message: str, offset: int, path: Sequence[Step]) -> None:
        self.kind, self.message, self.offset = kind, message, offset
        where = dotted(path)
        self.where = where if len(where) <= _LONGEST else where[:_LONGEST] + "…"
        super().__init__(message)

    @property
    def told(self) -> str:
        """The message with its place in the text and in the value."""
        place = f" in {self.where}" if self.where != "$" else ""
        return f"{self.message} (offset {self.offset}{place})"


class Cut(Broken):
    """The text ends inside a value; `partial` is what was whole of it."""

    def __init__(self, offset: int, path: Sequence[Step]) -> None:
        super().__init__("truncated", "the text ends inside a value", offset, path)
        self.partial: Json | _Nothing = NOTHING
