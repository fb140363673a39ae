"""Workflow and catalog to Graph: every check that can be made before a run is made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from orka.errors import ConfigError, GuardError, OrkaError, TemplateError, raise_all
from orka.graph.edges import Wiring, wire
from orka.graph.graph import Graph, Node, Rendered, found
from orka.graph.guard import Guard
from orka.graph.part import Catalog, Part, part_of
from orka.graph.proof import prove
from orka.graph.template import Templates, constant
from orka.spec.load import inner
from orka.spec.workflow import AgentSpec, Workflow
from orka.value import Json, canonical, digest


def compile(workflow: Workflow, catalog: Catalog) -> Graph:
    """Raises `ConfigError`, `TemplateError` or `GuardError` with file, line and column; several
    problems of a kind that can be found together as one `ConfigErrors`."""
    parts = _parts(workflow, catalog)
    wiring = wire(workflow, {id: part.shape for id, part in parts.items()})
    nodes = _nodes(workflow, parts, wiring, catalog)
    graph = Graph(
        id=workflow.id,
        nodes=nodes,
        index=wiring.position,
        entrances=tuple(node.index for node in nodes if not node.needs),
        ends=tuple(node.id for node in nodes if not any(not e.error for e in node.out)),
        needs=tuple(node.needs for node in nodes),
        timeout=workflow.timeout,
        digest=_digest(workflow, parts, nodes),
        flow=digest(workflow.text.encode()) if workflow.text else "",
        components=_components(parts, nodes),
    )
    prove(workflow, graph, {id: part.shape for id, part in parts.items()})
    return graph


def _parts(workflow: Workflow, catalog: Catalog) -> dict[str, Part]:
    parts, problems = dict[str, Part](), list[OrkaError]()
    for spec in workflow.agents:
        try:
            parts[spec.id] = part_of(workflow, spec, catalog)
        except ConfigError as error:
            problems.append(error)
    raise_all(problems)
    return parts


def _nodes(
    workflow: Workflow, parts: Mapping[str, Part], wiring: Wiring, catalog: Catalog
) -> tuple[Node, ...]:
    nodes, problems, templates = list[Node](), list[OrkaError](), Templates()
    for id in wiring.order:
        try:
            nodes.append(_node(workflow, parts[id], wiring, templates, catalog))
        except (ConfigError, TemplateError, GuardError) as error:
            problems.append(error)
    raise_all(problems)
    return tuple(nodes)


def _node(
    workflow: Workflow,
    part: Part,
    wiring: Wiring,
    templates: Templates,
    catalog: Catalog,
) -> Node:
    spec = part.spec
    edges = wiring.out(spec.id)
    return Node(
        index=wiring.position[spec.id],
        id=spec.id,
        type=spec.type,
        function=part.type.function,
        config=part.config,
        templates=(compiled := _templates(workflow, part, templates)),
        constants=frozenset(name for name, value in compiled.items() if not found(value)),
        params=spec.options.get("params") or {},
        when=_when(workflow, spec),
        retries=spec.retries,
        backoff=(spec.backoff.initial, spec.backoff.factor, spec.backoff.limit),
        timeout=spec.timeout,
        out=edges,
        needs=wiring.needs[spec.id],
        sources=tuple(wiring.sources.get(spec.id, ())),
        plain=all(edge.case is None and not edge.error for edge in edges),
        catches=any(edge.error for edge in edges),
        where=workflow.where(spec.id),
        tools=tuple(part.shape.tools),
        models=tuple(part.shape.models),
        inner=_inner(workflow, part, catalog),
    )


def _inner(workflow: Workflow, part: Part, catalog: Catalog) -> dict[str, Graph]:
    graphs = {}
    for name, option in part.shape.inner.items():
        path = (*part.spec.path, option)
        graphs[name] = compile(inner(workflow, part.spec.options[option], path), catalog)
    return graphs


def _templates(workflow: Workflow, part: Part, templates: Templates) -> dict[str, Rendered]:
    compiled: dict[str, Rendered] = {}
    for name in part.type.templates:
        value = msgspec.to_builtins(getattr(part.config, name, None))
        where = f"{workflow.where(part.spec.id, name)}, {name!r}"
        compiled[name] = _compiled(value, templates, where)
    return compiled


def _compiled(value: Json, templates: Templates, where: str) -> Rendered:
    if isinstance(value, str) and not constant(value):
        return templates.compile(value, where)
    if isinstance(value, dict):
        return {key: _compiled(item, templates, where) for key, item in value.items()}
    if isinstance(value, list):
        return [_compiled(item, templates, where) for item in value]
    return value


def _when(workflow: Workflow, spec: AgentSpec) -> Guard | None:
    if spec.when is None:
        return None
    try:
        return Guard(spec.when, workflow.where(spec.id, "when"))
    except GuardError as error:
        error.where = error.where or workflow.where(spec.id, "when")
        raise


def _digest(workflow: Workflow, parts: Mapping[str, Part], nodes: Sequence[Node]) -> str:
    """The digest of what the author wrote, without spelling or comments; edges in their order."""
    return digest(
        canonical(
            {
                "id": workflow.id,
                "strategy": workflow.strategy,
                "order": workflow.order,
                "timeout": workflow.timeout,
                "defaults": workflow.defaults,
                "nodes": [
                    {
                        "id": node.id,
                        "edges": [(edge.target, edge.case, edge.error) for edge in node.out],
                        "inner": {name: graph.digest for name, graph in node.inner.items()},
                    }
                    for node in nodes
                ],
                "agents": [msgspec.structs.replace(part.spec, path=()) for part in parts.values()],
            }
        )
    )


def _components(parts: Mapping[str, Part], nodes: tuple[Node, ...]) -> dict[str, str]:
    used = {f"agent:{part.spec.type}": part.type.version for part in parts.values()}
    for node in nodes:
        for graph in node.inner.values():
            used |= graph.components
    return dict(sorted(used.items()))
