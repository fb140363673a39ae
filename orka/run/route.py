"""Where a path goes on: the edges a finished node takes."""

from __future__ import annotations

from orka.graph.graph import Edge, Graph, Node
from orka.value import Json


def taken(graph: Graph, node: Node, value: Json) -> tuple[str, ...] | None:
    """The nodes that the edges of `node` lead to, now that it gave `value`. None: all of them."""
    if node.plain:
        return None
    route = value.get("route") if isinstance(value, dict) else None

    def follows(edge: Edge) -> bool:
        return not edge.error and (edge.case is None or edge.case == route)

    return tuple(dict.fromkeys(graph.nodes[e.target].id for e in node.out if follows(e)))
