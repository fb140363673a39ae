"""What effects took, added up: tokens and money. What one of them did not say is unknown."""

from __future__ import annotations

from collections.abc import Mapping

from orka.value import Json


class Tally:
    """`tokens` and `cost` are None as soon as one model call did not say."""

    __slots__ = ("cost", "tokens")

    def __init__(self) -> None:
        self.tokens: int | None = 0
        self.cost: float | None = 0.0

    def answered(self, kind: str, spent: Mapping[str, Json] | None) -> None:
        """Add what one attempt took. Only models take tokens; a tool may say what it cost."""
        spent = spent or {}
        if kind == "llm":
            read, written = spent.get("prompt_tokens"), spent.get("completion_tokens")
            tokens = None if read is None or written is None else read + written
            self._more(tokens, spent.get("cost"))
        else:
            self._more(0, spent.get("cost", 0.0))

    def add(self, other: Tally) -> None:
        """Add what was added up elsewhere."""
        self._more(other.tokens, other.cost)

    def _more(self, tokens: int | None, cost: float | None) -> None:
        self.tokens = None if tokens is None or self.tokens is None else self.tokens + tokens
        self.cost = None if cost is None or self.cost is None else round(self.cost + cost, 9)
