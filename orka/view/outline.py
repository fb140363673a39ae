"""A run in one row for each node, in the order they started, inner ones below their opener."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orka.view.run import NodeView, Run, Totals, totals_of

# Effects somebody had to perform; the rest is answered by the engine itself.
_PERFORMED = ("llm", "tool", "ask")


@dataclass(frozen=True, slots=True)
class Row:
    """`state` is the node's, or `waiting` while a person is asked. `depth` counts the scopes around
    it. `attempts` are those at effects that were performed; `reused` of them were answered by
    another run. `seconds` is None while it runs."""

    node: NodeView
    state: str
    depth: int
    attempts: int
    reused: int
    seconds: float | None
    totals: Totals


def outline(run: Run) -> list[Row]:
    """All nodes, each followed by those of the scopes it opened."""
    inside: defaultdict[str, list[NodeView]] = defaultdict(list)
    for node in run.nodes:
        inside[node.scope.rpartition("#")[0]].append(node)
    asking = [question.id.rpartition("#")[0] for question in run.questions]
    rows = _rows(inside, "", 0)
    return [_row(node, depth, waiting=node.path in asking) for node, depth in rows]


def _rows(
    inside: Mapping[str, list[NodeView]], opener: str, depth: int
) -> Iterator[tuple[NodeView, int]]:
    for node in inside.get(opener, ()):
        yield node, depth
        yield from _rows(inside, node.path, depth + 1)


def _row(node: NodeView, depth: int, *, waiting: bool) -> Row:
    performed = [a for a in node.attempts if a.kind in _PERFORMED]
    seconds = None if node.ended_at is None else round(node.ended_at - node.started_at, 6)
    reused = sum(attempt.reused for attempt in performed)
    state = "waiting" if waiting else node.state
    return Row(node, state, depth, len(performed), reused, seconds, totals_of(node.attempts))
