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
    """`state` is the node's, or `waiting` while a person is asked. `name` is its id, with its scope
    (`#1/draft`) where its opener opened several. `depth` counts the scopes around it. `attempts`
    are those at effects that were performed; `reused` of them were answered before.
    `seconds` is None while it runs."""

    node: NodeView
    name: str
    state: str
    depth: int
    attempts: int
    reused: int
    seconds: float | None
    totals: Totals


def outline(run: Run) -> list[Row]:
    """All nodes, each followed by those of the scopes it opened, scope by scope."""
    inside: defaultdict[str, dict[str, list[NodeView]]] = defaultdict(dict)
    for node in run.nodes:
        scopes = inside[node.scope.rpartition("#")[0]]
        scopes.setdefault(node.scope, []).append(node)
    asking = [question.id.rpartition("#")[0] for question in run.questions]
    rows = _rows(inside, "", 0)
    return [_row(node, name, depth, waiting=node.path in asking) for node, name, depth in rows]


def _rows(
    inside: Mapping[str, Mapping[str, list[NodeView]]], opener: str, depth: int
) -> Iterator[tuple[NodeView, str, int]]:
    scopes = inside.get(opener, {})
    for nodes in scopes.values():
        for node in nodes:
            yield node, node.path[len(opener) :] if len(scopes) > 1 else node.id, depth
            yield from _rows(inside, node.path, depth + 1)


def _row(node: NodeView, name: str, depth: int, *, waiting: bool) -> Row:
    performed = [a for a in node.attempts if a.kind in _PERFORMED]
    seconds = None if node.ended_at is None else round(node.ended_at - node.started_at, 6)
    reused = sum(attempt.reused for attempt in performed)
    state = "waiting" if waiting else node.state
    totals = totals_of(node.attempts)
    return Row(node, name, state, depth, len(performed), reused, seconds, totals)
