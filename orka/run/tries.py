"""Answers that the tries of a node share: what succeeded in one is not asked again in the next."""

from __future__ import annotations

from collections.abc import Iterator

from orka.run.seal import bare
from orka.value import Json, canonical

# Effects that reach something outside. Whatever else is asked again costs and changes nothing.
_SHARED = ("llm", "tool", "memory", "ask")
# Who only looks into a memory looks anew: a try has to see what it wrote itself.
_LOOKS = ("search", "get", "stats")

Key = tuple[str, bytes]


def key_of(kind: str, payload: Json) -> Key | None:
    """What makes two questions the same; None for one that is not shared."""
    if kind not in _SHARED:
        return None
    if kind == "memory" and isinstance(payload, dict) and payload.get("op") in _LOOKS:
        return None
    return kind, canonical(bare(payload))


class Tries:
    """What succeeded in the tries of one node, in the order it was answered: by question the try
    and the effect. Each try takes an answer once; `_places` says how far it has come."""

    __slots__ = ("_answers", "_places")

    def __init__(self) -> None:
        self._answers: dict[Key, list[tuple[int, str]]] = {}
        self._places: dict[tuple[int, Key], int] = {}

    def next(self, number: int, key: Key) -> tuple[str, int]:
        """The answer that the next such question of try `number` gets, "" if there is none, and how
        far it was looked."""
        answers, place = self._answers.get(key, ()), self._places.get((number, key), 0)
        for at in range(place, len(answers)):
            earlier, effect = answers[at]
            if earlier < number:
                return effect, at + 1
        return "", len(answers)

    def take(self, number: int, key: Key) -> str:
        """Go on to the next answer."""
        effect, place = self.next(number, key)
        if place:
            self._places[number, key] = place
        return effect

    def keep(self, number: int, key: Key, effect: str) -> None:
        """An effect succeeded in try `number`."""
        self._answers.setdefault(key, []).append((number, effect))


class Once:
    """Of which node's tries a scope is part, and of which try; `above` is the same of the node's
    own scope."""

    __slots__ = ("_above", "_number", "_tries")

    def __init__(self, tries: Tries, number: int, above: Once | None) -> None:
        self._tries, self._number, self._above = tries, number, above

    def _levels(self) -> Iterator[Once]:
        """From the innermost outwards."""
        level: Once | None = self
        while level is not None:
            yield level
            level = level._above

    def next(self, key: Key) -> str:
        """The effect of an earlier try whose answer the next such question gets, or ""."""
        found = (level._tries.next(level._number, key)[0] for level in self._levels())
        return next(filter(None, found), "")

    def take(self, key: Key) -> None:
        """The question was asked. To nodes further in the answer it got is a new one."""
        inner: list[Once] = []
        for level in self._levels():
            if effect := level._tries.take(level._number, key):
                for each in inner:
                    each._tries.keep(each._number, key, effect)
                return
            inner.append(level)

    def keep(self, key: Key, effect: str) -> None:
        """It was performed, and succeeded."""
        for level in self._levels():
            level._tries.keep(level._number, key, effect)
