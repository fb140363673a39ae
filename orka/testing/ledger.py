"""What a soundness check notes down while it reads a trace: scopes, nodes, questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from orka.errors import Failure, GuardError
from orka.event.event import EffectRequested
from orka.graph.graph import Edge, Graph, Node
from orka.value import Json

Phase = Literal["running", "finished", "failed", "caught", "stopped", "skipped"]
DECIDED = ("finished", "caught", "skipped")


@dataclass
class Question:
    """One effect: the last attempt at it. `dropped`: its node ended before it was answered. `done`
    numbers the event that answered it; `lender` is the node whose earlier try did. `late`: what
    it said is worth nothing any more."""

    event: EffectRequested
    scope: str
    node: Node
    answered: bool = False
    dropped: bool = False
    error: Failure | None = None
    value: Json = None
    done: int = -1
    lender: tuple[str, str] | None = None
    late: bool = False

    @property
    def pending(self) -> bool:
        return not self.answered and not self.dropped


@dataclass
class ScopeNotes:
    """One activation of a graph. `dying` is why it is about to close."""

    name: str
    graph: Graph
    input: Json
    limit: float | None
    began: float
    open: bool = True
    dying: str = ""
    late_end: bool = False
    failure: Failure | None = None
    phases: dict[int, Phase] = field(default_factory=dict)
    taken: dict[int, tuple[bool, ...]] = field(default_factory=dict)
    values: dict[str, Json] = field(default_factory=dict)
    ordinals: dict[str, tuple[int, bool]] = field(default_factory=dict)
    pending: dict[str, Question] = field(default_factory=dict)
    into: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    expired: dict[int, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.graph.nodes:
            for at, edge in enumerate(node.out):
                self.into.setdefault(edge.target, []).append((node.index, at))

    @property
    def opener(self) -> tuple[str, str]:
        """(scope, node id) of the effect that opened this one."""
        return owner(self.name)

    def node(self, id: str) -> Node | None:
        at = self.graph.index.get(id)
        return None if at is None else self.graph.nodes[at]

    def ready(self, index: int) -> bool:
        """True if every edge that leads to the node is decided."""
        return all(source in self.taken for source, _ in self.into.get(index, ()))

    def arrived(self, index: int) -> int:
        """How many branches of a join with a policy have ended well."""
        ended = {
            edge.branch
            for source, at in self.into.get(index, ())
            if (edge := self.graph.nodes[source].out[at]).branch >= 0
            and self.phases.get(source) == "finished"
            and self.taken[source][at]
        }
        return len(ended)

    def enough(self, index: int) -> bool:
        """True if a join's policy lets it go on before every edge to it is decided."""
        rule = self.graph.nodes[index].rule
        if rule is None:
            return False
        return index in self.expired or bool(rule.count and self.arrived(index) >= rule.count)

    def late(self, index: int) -> bool:
        """True if a join goes on without this node."""
        return any(
            node.rule and index in node.rule.late and self.enough(node.index)
            for node in self.graph.nodes
            if self.phases.get(node.index) is None
        )

    def led_to(self, index: int) -> bool:
        """True if an edge to the node was taken, or none leads to it."""
        edges = self.into.get(index)
        return not edges or any(
            source in self.taken and self.taken[source][at] for source, at in edges
        )

    def wanted(self, node: Node, run: str) -> bool | None:
        """What the node's condition says now; None if it has no answer."""
        if node.when is None:
            return True
        names = {"input": self.input, "previous_outputs": self.values, "outputs": self.values}
        try:
            return node.when({**names, "params": node.params, "run_id": run, "node_id": node.id})
        except GuardError:
            return None

    def settled(self) -> bool:
        return all(self.phases.get(node.index) in DECIDED for node in self.graph.nodes)

    def output(self) -> Json:
        """What the end nodes that finished returned: one value as it is, several by id."""
        ends = [node for node in self.graph.nodes if all(edge.error for edge in node.out)]
        done = {n.id: self.values[n.id] for n in ends if self.phases.get(n.index) == "finished"}
        if len(done) == 1:
            return next(iter(done.values()))
        return done or None

    def targets(self, node: Node, fires: tuple[bool, ...] | None) -> list[str]:
        """The nodes that the edges of `node` lead to: all of them, or those that fire."""
        flags = fires if fires is not None else (True,) * len(node.out)
        pairs = zip(node.out, flags, strict=True)
        return list(dict.fromkeys(self.graph.nodes[e.target].id for e, fires in pairs if fires))

    def unfinished(self) -> Iterator[str]:
        """What should have followed from the last fact, and did not."""
        if self.dying:
            yield f"scope {self.name!r} was not closed, it is {self.dying}"
            return
        if self.settled():
            yield f"scope {self.name!r} has nothing left to do and stays open"
        waits = {asked.node.index for asked in self.pending.values()}
        for node in self.graph.nodes:
            phase = self.phases.get(node.index)
            where = f"{node.id!r} of scope {self.name!r}"
            if phase is None and (self.ready(node.index) or self.enough(node.index)):
                yield f"{where} could start and did not"
            if phase == "running" and node.index not in waits:
                yield f"{where} runs and waits for nothing"
            if phase in ("failed", "stopped"):
                yield f"{where} is {phase}, and the scope goes on"

    def running(self) -> Iterator[Node]:
        return (node for node in self.graph.nodes if self.phases.get(node.index) == "running")


def owner(effect: str) -> tuple[str, str]:
    """(scope, node id) that an effect's id names."""
    scope, _, rest = effect.rpartition("/")
    return scope, rest.partition("#")[0]


def follows(edge: Edge, value: Json) -> bool:
    """True if a node that finished with `value` takes `edge`."""
    route = value.get("route") if isinstance(value, dict) else None
    return not edge.error and (edge.case is None or edge.case == route)


def caught_by(node: Node, code: str) -> tuple[bool, ...]:
    """The edges that a failure with this code takes: those for it, or else those for any."""
    exact = tuple(edge.error and edge.case == code for edge in node.out)
    return exact if any(exact) else tuple(e.error and e.case is None for e in node.out)
