"""What an agent gets to see: values as they stood when it started, in copies it may change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from orka.value import Json, copied


class Seen(Mapping[str, Json]):
    """The first `count` outputs of a scope: those that were there when a node started. A node that
    is reopened sees the same ones, whatever finished meanwhile."""

    __slots__ = ("_count", "_places", "_values")

    def __init__(self, values: Mapping[str, Json], places: Mapping[str, int], count: int) -> None:
        self._values, self._places, self._count = values, places, count

    def __getitem__(self, id: str) -> Json:
        if id in self:
            return self._values[id]
        raise KeyError(id)

    def __contains__(self, id: object) -> bool:
        return self._places.get(id, self._count) < self._count  # type: ignore[call-overload, no-any-return]  # any key may be looked for

    def __iter__(self) -> Iterator[str]:
        return islice(self._values, self._count)

    def __len__(self) -> int:
        return self._count


class Copies(Seen):
    """The same for an agent: gives out copies, each made when it is first looked at."""

    __slots__ = ("_made",)
    _made: dict[str, Json]

    def __getitem__(self, id: str) -> Json:
        try:
            made = self._made
        except AttributeError:  # most agents never look: they get no dictionary either
            made = self._made = {}
        if id not in made:
            made[id] = copied(super().__getitem__(id))
        return made[id]
