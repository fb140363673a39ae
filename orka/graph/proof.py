"""What must hold of a graph before it runs: no cycle, and nothing is read before it can exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.agent.agent import Shape
from orka.errors import ConfigError, GuardError, nearest
from orka.graph.edges import cycle
from orka.graph.graph import Graph, Node, found
from orka.graph.guard import Guard
from orka.graph.template import CONTEXT, HYPHENATED
from orka.spec.workflow import Workflow

_OUTPUTS = ("previous_outputs", "outputs")


def prove(workflow: Workflow, graph: Graph, shapes: Mapping[str, Shape]) -> None:
    """Raises `ConfigError` for a cycle and for a reference to a node that is not upstream,
    `GuardError` for a condition with a name that nothing has."""
    above = _ancestors(workflow, graph)
    for node in graph.nodes:
        if node.when:
            _check_names(node.when, graph, workflow.where(node.id, "when"))
        for option, id in _reads(node, shapes[node.id]):
            if id not in graph.index:
                raise ConfigError(
                    f"agent {node.id!r} reads the output of {id!r}, which does not exist",
                    where=workflow.where(node.id, option),
                    fix=nearest(id, graph.index),
                    code="config.unknown_reference",
                )
            if not above[node.index] >> graph.index[id] & 1:
                raise ConfigError(
                    f"agent {node.id!r} reads the output of {id!r}, which may not have run by then",
                    where=workflow.where(node.id, option),
                    fix=f"add `depends_on: [{id}]`, or move it after {id!r}",
                    code="config.not_upstream",
                )


def _reads(node: Node, shape: Shape) -> Iterator[tuple[str, str]]:
    for option, value in node.templates.items():
        for template in found(value):
            for id in template.reads:
                yield option, id
    for id in shape.reads:
        yield "type", id
    for root, *rest in node.when.names if node.when else ():
        if root in _OUTPUTS and rest:
            yield "when", rest[0]


def _check_names(guard: Guard, graph: Graph, where: str) -> None:
    unknown = [root for root, *_ in guard.names if root not in CONTEXT]
    read = [rest[0] for root, *rest in guard.names if root in _OUTPUTS and rest]
    for match in HYPHENATED.finditer(guard.text):
        head, *tail = match.group(1).split("-")
        if head in read and (head not in graph.index or not set(tail).isdisjoint(unknown)):
            raise GuardError(
                f"{match.group(0)!r} is read as a subtraction",
                where=where,
                fix=f"write previous_outputs['{match.group(1)}']",
            )
    for root in unknown:
        raise GuardError(
            f"condition {guard.text!r} uses {root!r}, which is not defined",
            where=where,
            fix=nearest(root, CONTEXT),
        )


def _ancestors(workflow: Workflow, graph: Graph) -> list[int]:
    """For each node the set of nodes upstream of it, as a bit mask. Raises for a cycle."""
    waiting, above = list(graph.needs), [0] * len(graph.nodes)
    ready = list(graph.entrances)
    for index in ready:
        for edge in graph.nodes[index].out:
            above[edge.target] |= above[index] | 1 << index
            waiting[edge.target] -= 1
            if not waiting[edge.target]:
                ready.append(edge.target)
    if len(ready) < len(graph.nodes):
        raise _cycle(workflow, graph, waiting)
    return above


def _cycle(workflow: Workflow, graph: Graph, waiting: list[int]) -> ConfigError:
    stuck = {index for index, left in enumerate(waiting) if left}
    sources: dict[int, int] = {}
    for index in sorted(stuck):
        for edge in graph.nodes[index].out:
            sources.setdefault(edge.target, index)
    trail, at = list[int](), min(stuck)
    while at not in trail:
        trail.append(at)
        at = sources[at]
    path = [graph.nodes[index].id for index in reversed(trail[trail.index(at) :])]
    return cycle(workflow, path)
