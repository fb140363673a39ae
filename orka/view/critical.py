"""The critical path: the chain of nodes that decided how long a run took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orka.view.run import NodeView, Run


@dataclass(frozen=True, slots=True)
class Step:
    """One node of the path; `share` of the run's time, from 0 to 1."""

    node: NodeView
    seconds: float
    share: float


def critical_path(run: Run) -> list[Step]:
    """From the first node to the one that ended last, each started by the end of the one before.

    A node starts with the fact that settles the last of those before it: equal clocks mark the
    links. Inner workflows count as the node that opened them. Nodes that took no time are left out.
    """
    nodes = [node for node in run.nodes if not node.scope and node.ended_at is not None]
    path: list[NodeView] = []
    node = max(nodes, key=_end, default=None)
    while node is not None:
        path.append(node)
        node = _before(nodes[: nodes.index(node)], node)
    steps = [(node, round(_end(node) - node.started_at, 6)) for node in reversed(path)]
    total = run.seconds
    return [Step(node, took, round(took / total, 6)) for node, took in steps if took > 0]


def _before(earlier: Sequence[NodeView], node: NodeView) -> NodeView | None:
    """The node whose end started this one; of several at the same moment the latest to start."""
    linked = [other for other in earlier if _end(other) == node.started_at]
    return linked[-1] if linked else None


def _end(node: NodeView) -> float:
    return node.started_at if node.ended_at is None else node.ended_at
