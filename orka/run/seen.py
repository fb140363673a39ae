"""What a node gets to see: outputs of the nodes upstream of it, as they stood when it started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from orka.graph.graph import Graph, Node
from orka.value import Json, copied

NOTHING: Mapping[str, Json] = {}


class Seen(Mapping[str, Json]):
    """Of the first `count` outputs of a scope (those that were there when the node started) the
    ones upstream of the node; behind them what its scope sees from outside, of other ids. A node
    that is reopened sees the same ones, whatever finished meanwhile; a sibling in a fork is never
    seen."""

    __slots__ = ("_above", "_beyond", "_count", "_index", "_later", "_places", "_values")

    def __init__(
        self,
        values: Mapping[str, Json],
        places: Mapping[str, int],
        count: int,
        graph: Graph,
        node: Node,
        beyond: Mapping[str, Json],
    ) -> None:
        self._values, self._places, self._count = values, places, count
        self._index, self._above, self._later = graph.index, node.above, node.later
        self._beyond = beyond

    def _own(self, id: object) -> bool:
        place = self._places.get(id)  # type: ignore[call-overload]  # any key may be looked for
        return (
            place is not None and place < self._count and bool(self._above >> self._index[id] & 1)  # type: ignore[index]  # it is an id
        )

    def __getitem__(self, id: str) -> Json:
        for name in self._later.get(id, ()):
            if self._own(name):
                return self._values[name]
        if id in self._index:
            if self._own(id):
                return self._values[id]
            raise KeyError(id)
        return self._beyond[id]

    def __contains__(self, id: object) -> bool:
        if id in self._index:
            return self._own(id) or any(map(self._own, self._later.get(str(id), ())))
        return id in self._beyond

    def __iter__(self) -> Iterator[str]:
        yield from (id for id in islice(self._values, self._count) if self._own(id))
        yield from (id for id in self._beyond if id not in self._index)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Beyond(Mapping[str, Json]):
    """What a scope sees from outside: outputs it was given, and those its opener sees."""

    __slots__ = ("_given", "_outer")

    def __init__(self, given: Mapping[str, Json], outer: Mapping[str, Json]) -> None:
        self._given, self._outer = given, outer

    def __getitem__(self, id: str) -> Json:
        return self._given[id] if id in self._given else self._outer[id]

    def __contains__(self, id: object) -> bool:
        return id in self._given or id in self._outer

    def __iter__(self) -> Iterator[str]:
        yield from self._given
        yield from (id for id in self._outer if id not in self._given)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Copies(Mapping[str, Json]):
    """The same for an agent: gives out copies, each made when it is first looked at. Most agents
    never look: for them nothing is made at all."""

    __slots__ = ("_look", "_made")
    _made: tuple[Mapping[str, Json], dict[str, Json]]

    def __init__(self, look: Callable[[], Mapping[str, Json]]) -> None:
        self._look = look

    @property
    def _held(self) -> tuple[Mapping[str, Json], dict[str, Json]]:
        try:
            return self._made
        except AttributeError:
            self._made = self._look(), {}
            return self._made

    def __getitem__(self, id: str) -> Json:
        seen, copies = self._held
        if id not in copies:
            copies[id] = copied(seen[id])
        return copies[id]

    def __contains__(self, id: object) -> bool:
        return id in self._held[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held[0])

    def __len__(self) -> int:
        return len(self._held[0])
