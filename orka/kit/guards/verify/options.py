"""What can be asked of a text before it goes out."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Leak = Literal["secret", "email", "card", "iban"]


class Pattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A regular expression that must not match; `time_limit` is in seconds for one text."""

    name: str
    pattern: str
    time_limit: float = 0.5


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What a text must not hold: `leaks` (secrets, addresses, numbers of cards and accounts),
    `placeholders` that nobody filled in, `tokens` of chat templates, the `forbidden` texts, and
    whatever `patterns` match. `min_length` and `max_length` count characters; `languages` are those
    it may be written in (ISO 639-1)."""

    leaks: tuple[Leak, ...] = ("secret",)
    placeholders: bool = True
    tokens: bool = True
    forbidden: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    min_length: Annotated[int, msgspec.Meta(ge=0)] = 0
    max_length: Annotated[int, msgspec.Meta(ge=0)] = 0
    languages: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """True if a part of a text cannot be judged by itself."""
        return bool(self.min_length or self.max_length or self.languages)
