"""One activation of a graph, and the questions its nodes have asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orka.errors import Failure
from orka.event.event import EffectRequested
from orka.graph.graph import Edge, Graph, Node
from orka.run.seen import NOTHING, Seen
from orka.run.tally import Tally
from orka.run.tries import Key, Once, Tries
from orka.value import Json

UNSETTLED, RUNNING, DONE, SKIPPED, FAILED, STOPPED = range(6)
# The failure code of a scope whose opener was stopped: no answer, so a resume goes on inside.
STOPPED_SCOPE = "scope.stopped"


class Asked:
    """One effect: the question, and what came back. `retried` counts retries in a row; `key` is
    that of a question whose answer later tries share."""

    __slots__ = (
        "answered",
        "at",
        "attempt",
        "due",
        "error",
        "id",
        "index",
        "key",
        "kind",
        "payload",
        "retried",
        "scope",
        "timeout",
        "took",
        "value",
    )

    def __init__(self, event: EffectRequested, scope: Scope, index: int) -> None:
        self.id, self.kind, self.payload = event.id, event.kind, event.payload
        self.scope, self.index = scope, index
        self.attempt, self.retried = event.attempt, event.retried
        self.timeout = event.timeout
        self.due = self.at = 0.0
        self.took: Tally | None = None
        self.key: Key | None = None
        self.answered = False
        self.value: Json = None
        self.error: Failure | None = None


class Call:
    """A call of a tool that waits for a person's yes. `again`: it was made before."""

    __slots__ = ("again", "effect", "payload")

    def __init__(self, effect: str, payload: Json, again: Asked | None = None) -> None:
        self.effect, self.payload, self.again = effect, payload, again


class Scope:
    """One activation of a graph: counters per node, so that settling one touches only its edges."""

    __slots__ = (
        "arrived",
        "asked",
        "began",
        "beyond",
        "closed",
        "dying",
        "failed",
        "fired",
        "graph",
        "input",
        "left",
        "limit",
        "missed",
        "name",
        "names",
        "once",
        "opener",
        "places",
        "prefix",
        "running",
        "seen",
        "status",
        "stopped",
        "tries",
        "values",
        "waiting",
    )

    beyond: Mapping[str, Json]
    names: Mapping[str, Json]

    def __init__(self, name: str, graph: Graph, input: Json) -> None:
        size = len(graph.nodes)
        self.beyond = self.names = NOTHING
        self.opener: Scope | None = None
        self.once: Once | None = None
        self.tries: dict[int, Tries] = {}
        self.dying: Failure | None = None
        self.arrived: dict[int, int] = {}
        self.name, self.graph, self.input = name, graph, input
        self.prefix = f"{name}/" if name else ""
        self.status = bytearray(size)
        self.waiting = list(graph.needs)
        self.fired = bytearray(size)
        self.values: dict[str, Json] = {}
        self.places: dict[str, int] = {}
        self.seen: dict[int, int] = {}
        self.running: dict[int, None] = {}
        self.asked: dict[int, dict[str, None]] = {}
        self.began: dict[int, float] = {}
        self.failed: dict[int, tuple[str, ...]] = {}
        self.stopped: dict[int, None] = {}
        self.missed: list[int] = []
        self.left = size
        self.closed = False
        self.limit: float | None = None

    def keep(self, id: str, value: Json) -> None:
        """Remember a node's output and its place: those that start later see it."""
        self.places[id] = len(self.values)
        self.values[id] = value

    def view(self, index: int) -> Seen:
        """The outputs a node sees: those there when it started, or would start now."""
        count = self.seen.get(index, len(self.values))
        node = self.graph.nodes[index]
        return Seen(self.values, self.places, count, self.graph, node, self.beyond)

    def settle(self, node: Node, status: int, taken: Callable[[Edge], bool] | None) -> None:
        """Decide all edges of a node. `taken` None: all of them lead on."""
        self.status[node.index] = status
        self.running.pop(node.index, None)
        self.left -= 1
        for edge in node.out:
            self.waiting[edge.target] -= 1
            if taken is None or taken(edge):
                self.fired[edge.target] = 1
                if edge.branch >= 0 and status == DONE:
                    self.arrived[edge.target] = self.arrived.get(edge.target, 0) | 1 << edge.branch

    def enough(self, index: int) -> bool:
        """True if a join's policy lets it go on although some edges are undecided."""
        rule = self.graph.nodes[index].rule
        return bool(rule and rule.count and self.arrived.get(index, 0).bit_count() >= rule.count)
