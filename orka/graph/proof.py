"""What must hold of a graph before it runs: no cycle, and nothing is read before it can exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from orka.agent.agent import Shape
from orka.agent.guard import Guard
from orka.errors import ConfigError, GuardError, nearest
from orka.graph.graph import Finding, Graph, Node, found
from orka.graph.outer import Outer
from orka.graph.template import HYPHENATED
from orka.graph.vocabulary import CONDITION, NAMES
from orka.spec.workflow import STRICT, Workflow

_OUTPUTS = ("previous_outputs", "outputs")


def prove(
    workflow: Workflow, graph: Graph, shapes: Mapping[str, Shape], outer: Outer
) -> list[Finding]:
    """Raises `ConfigError` for a reference to a node that does not exist, or that is not upstream
    (nor visible from outside) though it must be there; `GuardError` for a condition with a name
    that nothing has. In a file of OrKa 0.9 references are findings."""
    doubts: list[Finding] = []
    for node in graph.nodes:
        if node.when:
            _check_names(node.when, graph, workflow.where(node.id, "when"), outer.names)
        for problem in _doubtful(workflow, graph, node, shapes[node.id], outer.visible):
            if workflow.dialect == STRICT:
                raise problem
            doubts.append(Finding(problem.where, problem.what, problem.fix))
        doubts += _unknown(workflow, node)
    if any(node.pool for node in graph.nodes):
        doubts += _alone(workflow, graph)
    return doubts


def _alone(workflow: Workflow, graph: Graph) -> Iterator[Finding]:
    """Keys that lead to or from an agent which is only ever run by itself."""
    pool = {id for node in graph.nodes for id in node.pool}
    for spec in workflow.agents:
        if spec.id not in pool or spec.id in graph.index:
            continue
        written = {"next": spec.next, "depends_on": spec.depends_on, "on_error": spec.on_error}
        for key in [key for key, value in written.items() if value]:
            what = f"agent {spec.id!r} is run by itself, as a step of a path: {key!r} has no effect"
            yield Finding(
                workflow.where(spec.id, key),
                what,
                "let the scout say what may follow what: `edges`",
            )


def _doubtful(
    workflow: Workflow, graph: Graph, node: Node, shape: Shape, visible: Collection[str]
) -> Iterator[ConfigError]:
    within = {id for inner in node.inner.values() for id in inner.index}
    for option, id, needed in _reads(node, shape):
        where = workflow.where(node.id, option)
        if id in within and id not in graph.index:
            continue
        if id not in graph.index:
            if id not in visible:
                known = any(spec.id == id for spec in workflow.agents)
                why = "which nothing leads to" if known else "which does not exist"
                yield ConfigError(
                    f"agent {node.id!r} reads the output of {id!r}, {why}",
                    where=where,
                    fix=nearest(id, graph.index),
                    code="config.unknown_reference",
                )
        elif needed and not node.above >> graph.index[id] & 1:
            yield ConfigError(
                f"agent {node.id!r} reads the output of {id!r}, which may not have run by then",
                where=where,
                fix=f"add `depends_on: [{id}]`, or move it after {id!r}; "
                "`| default(…)` if it may be missing",
                code="config.not_upstream",
            )


def _unknown(workflow: Workflow, node: Node) -> Iterator[Finding]:
    """Names that nothing has: templates of OrKa 0.9 print nothing for them."""
    for option, value in node.templates.items():
        for name in dict.fromkeys(name for one in found(value) for name in one.unknown):
            what = f"agent {node.id!r} uses {name!r}, which is not defined: it prints nothing"
            yield Finding(workflow.where(node.id, option), what, nearest(name, NAMES))


def _reads(node: Node, shape: Shape) -> Iterator[tuple[str, str, bool]]:
    """Option, id, and whether it must be there."""
    for option, value in node.templates.items():
        for template in found(value):
            for id in template.reads:
                yield option, id, True
            for id in template.tries:
                yield option, id, False
    for id in shape.reads:
        yield "type", id, True
    for root, *rest in node.when.names if node.when else ():
        if root in _OUTPUTS and rest:
            yield "when", rest[0], True


def _check_names(guard: Guard, graph: Graph, where: str, lent: Collection[str]) -> None:
    known = (*CONDITION, *lent)
    unknown = [root for root, *_ in guard.names if root not in known]
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
            fix=nearest(root, known),
        )
