"""What must hold of a graph before it runs: no cycle, and nothing is read before it can exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.agent.agent import Shape
from orka.errors import ConfigError, nearest
from orka.graph.graph import Graph, Node, found
from orka.spec.workflow import Workflow


def prove(workflow: Workflow, graph: Graph, shapes: Mapping[str, Shape]) -> None:
    """Raises `ConfigError` for a cycle, and for a reference to a node that is not upstream."""
    above = _ancestors(workflow, graph)
    for node in graph.nodes:
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
    for name in node.when.names if node.when else ():
        root, _, rest = name.partition(".")
        if root in ("previous_outputs", "outputs") and rest:
            yield "when", rest.partition(".")[0]


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
    return ConfigError(
        f"agents {' → '.join([*path, path[0]])} form a cycle",
        where=workflow.where(path[0]),
        fix="repeat with an agent of type `loop`, whose body is a workflow of its own",
        code="config.cycle",
    )
