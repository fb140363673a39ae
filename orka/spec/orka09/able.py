"""What an agent of OrKa 0.9 says that it can do and is for: words that 0.9 never read."""

from __future__ import annotations

from orka.spec.orka09.book import Keys
from orka.spec.orka09.words import ANSWERING
from orka.value import Json

_ANSWERS = ANSWERING[0]


def able(keys: Keys) -> dict[str, Json]:
    """Its `capabilities` and `description`, if they can be read; `is_terminal: true` is one."""
    words = _words(keys)
    if keys.peek("is_terminal") is True:
        does = f"'is_terminal' is the capability {_ANSWERS!r}: a path may end with it"
        keys.place.note(does, "never read the key", *keys.where("is_terminal"))
        words = list(dict.fromkeys((*words, _ANSWERS)))
    if isinstance(keys.peek("is_terminal"), bool):
        keys.take("is_terminal")
    found: dict[str, Json] = {"capabilities": words} if words else {}
    told = keys.peek("description")
    if isinstance(told, str) and told.strip():
        found |= keys.rest("description")
    return found


def _words(keys: Keys) -> list[str]:
    """The capabilities, each once. What is no list of words is left for others to warn about."""
    written = keys.peek("capabilities")
    items = [written] if isinstance(written, str) else written
    if not isinstance(items, list) or not all(isinstance(i, str) and i.strip() for i in items):
        return []
    path = keys.where("capabilities")
    keys.take("capabilities")
    if len(path) > 1:
        keys.place.moved("capabilities", *path)
    return list(dict.fromkeys(items))
