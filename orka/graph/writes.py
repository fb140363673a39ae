"""`writes`: an agent gives a newer version of another's output. Which version a reader sees is
decided by the graph, never by who was faster."""

from __future__ import annotations

from collections.abc import Mapping

from orka.errors import ConfigError, nearest
from orka.graph.order import Order
from orka.spec.workflow import Workflow


def writers_of(workflow: Workflow, order: Order) -> dict[str, list[int]]:
    """Name -> the nodes that write it, the agent of that name among them. Raises `ConfigError` for
    two that may run at once, and for a name that no agent upstream has."""
    index = {id: at for at, id in enumerate(order.ids)}
    found: dict[str, list[int]] = {}
    for spec in workflow.agents:
        if spec.writes and spec.id in index:
            found.setdefault(spec.writes, []).append(index[spec.id])
    for name, writers in found.items():
        if name in index:
            writers.append(index[name])
        _check(workflow, order, name, writers)
    return found


def later(order: Order, writers: Mapping[str, list[int]], node: int) -> dict[str, tuple[str, ...]]:
    """For what a node may read: who wrote it, the last one first."""
    found = {}
    for name, indexes in writers.items():
        above = [at for at in indexes if order.above[node] >> at & 1]
        above.sort(key=lambda at: -order.above[at].bit_count())
        if above:
            found[name] = tuple(order.ids[at] for at in above)
    return found


def _check(workflow: Workflow, order: Order, name: str, writers: list[int]) -> None:
    for at, one in enumerate(writers):
        for other in writers[at + 1 :]:
            if not (order.above[one] >> other & 1 or order.above[other] >> one & 1):
                both = " and ".join(sorted(repr(order.ids[each]) for each in (one, other)))
                raise ConfigError(
                    f"agents {both} both write {name!r}, and nothing says which comes last",
                    where=workflow.where(order.ids[one], "writes"),
                    fix="let them write different names and merge them after the join, "
                    "or put one after the other",
                    code="config.merge_conflict",
                )
    if name not in order.ids:
        raise ConfigError(
            f"agent {order.ids[writers[0]]!r} `writes` {name!r}, which is the output of no agent",
            where=workflow.where(order.ids[writers[0]], "writes"),
            fix=nearest(name, order.ids),
            code="config.unknown_agent",
        )
