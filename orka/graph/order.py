"""What is upstream of what: the nodes above each node, as bit masks. A cycle has no such order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orka.errors import ConfigError
from orka.graph.edges import Wiring, cycle
from orka.graph.graph import Edge
from orka.spec.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Order:
    """`out` are the edges of each node, `above` the nodes upstream of it; both by its index."""

    ids: tuple[str, ...]
    out: tuple[tuple[Edge, ...], ...]
    above: tuple[int, ...]

    def upstream(self, index: int) -> list[str]:
        """The ids of the nodes upstream of one, in the order of the file."""
        return [id for at, id in enumerate(self.ids) if self.above[index] >> at & 1]

    def between(self, start: int, end: int) -> tuple[int, ...]:
        """The nodes on paths from one node to another, both left out."""
        return tuple(
            at
            for at in range(len(self.ids))
            if self.above[end] >> at & 1 and self.above[at] >> start & 1
        )


def order_of(workflow: Workflow, wiring: Wiring) -> Order:
    """Raises `ConfigError` for a cycle, naming the agents on it."""
    ids = tuple(wiring.order)
    out = tuple(wiring.out(id) for id in ids)
    waiting = [wiring.needs[id] for id in ids]
    above = [0] * len(ids)
    ready = [at for at, left in enumerate(waiting) if not left]
    for index in ready:
        for edge in out[index]:
            above[edge.target] |= above[index] | 1 << index
            waiting[edge.target] -= 1
            if not waiting[edge.target]:
                ready.append(edge.target)
    if len(ready) < len(ids):
        raise _cycle(workflow, ids, out, waiting)
    return Order(ids, out, tuple(above))


def _cycle(
    workflow: Workflow,
    ids: Sequence[str],
    out: Sequence[tuple[Edge, ...]],
    waiting: Sequence[int],
) -> ConfigError:
    stuck = {index for index, left in enumerate(waiting) if left}
    sources: dict[int, int] = {}
    for index in sorted(stuck):
        for edge in out[index]:
            sources.setdefault(edge.target, index)
    trail, at = list[int](), min(stuck)
    while at not in trail:
        trail.append(at)
        at = sources[at]
    return cycle(workflow, [ids[index] for index in reversed(trail[trail.index(at) :])])
