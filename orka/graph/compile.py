"""Workflow and catalog to Graph: every check that can be made before a run is made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from orka.agent.agent import Shape
from orka.agent.guard import Guard
from orka.errors import ConfigError, GuardError, OrkaError, TemplateError, raise_all
from orka.graph.decides import check_named, criteria_of, strategies_of, versions_of
from orka.graph.edges import Wiring, wire
from orka.graph.graph import Graph, Node, Rendered, found
from orka.graph.joins import arms_of, rule_of
from orka.graph.order import Order, order_of
from orka.graph.outer import Outer, children, described, single, wants_pool
from orka.graph.part import Catalog, Part, part_of
from orka.graph.proof import prove
from orka.graph.routes import check_routes
from orka.graph.template import Templates, constant
from orka.graph.writes import later, writers_of
from orka.spec.load import inner
from orka.spec.workflow import STRICT, AgentSpec, Workflow
from orka.value import Json, canonical, digest

_ALONE: Final = Outer()


def compile(workflow: Workflow, catalog: Catalog, outer: Outer = _ALONE) -> Graph:
    """Raises `ConfigError`, `TemplateError` or `GuardError` with file, line and column; several
    problems of a kind that can be found together as one `ConfigErrors`."""
    parts = _parts(workflow, catalog)
    shapes = {id: part.shape for id, part in parts.items()}
    wiring = wire(workflow, shapes, lambda: wants_pool(workflow, parts, catalog))
    order = order_of(workflow, wiring)
    ids = (*wiring.position, *outer.visible)
    templates = Templates(workflow.dialect, ids, outer.names)
    nodes = _nodes(_Site(workflow, parts, wiring, order, catalog, outer, templates))
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
        answers=_answers(workflow, nodes, shapes),
        timed=tuple(n.index for n in nodes if n.rule and n.rule.deadline is not None),
        max_concurrency=workflow.max_concurrency,
        findings=(
            *check_routes(workflow, shapes),
            *(each for node in nodes for graph in node.inner.values() for each in graph.findings),
        ),
    )
    found = dict.fromkeys((*graph.findings, *prove(workflow, graph, shapes, outer)))
    return replace(graph, findings=tuple(found)) if found else graph


def _answers(
    workflow: Workflow, nodes: Sequence[Node], shapes: Mapping[str, Shape]
) -> tuple[str, ...]:
    if workflow.dialect == STRICT:
        return ()
    return tuple(node.id for node in nodes if shapes[node.id].answers)


@dataclass(frozen=True, slots=True)
class _Site:
    """What nodes are built from."""

    workflow: Workflow
    parts: Mapping[str, Part]
    wiring: Wiring
    order: Order
    catalog: Catalog
    outer: Outer
    templates: Templates

    def pool(self) -> tuple[tuple[Workflow, AgentSpec], ...]:
        """The agents that a node here may open by id."""
        own = tuple((self.workflow, self.parts[id].spec) for id in self.wiring.pool)
        return own + tuple(each for each in self.outer.pool if each[1].id not in self.parts)


def _parts(workflow: Workflow, catalog: Catalog) -> dict[str, Part]:
    parts, problems = dict[str, Part](), list[OrkaError]()
    for spec in workflow.agents:
        try:
            parts[spec.id] = part_of(workflow, spec, catalog)
        except ConfigError as error:
            problems.append(error)
    raise_all(problems)
    return parts


def _nodes(site: _Site) -> tuple[Node, ...]:
    nodes, problems = list[Node](), list[OrkaError]()
    writers = writers_of(site.workflow, site.order)
    for id in site.wiring.order:
        try:
            nodes.append(_node(site, site.parts[id], writers))
        except (ConfigError, TemplateError, GuardError) as error:
            problems.append(error)
    raise_all(problems)
    return tuple(nodes)


def _node(site: _Site, part: Part, writers: Mapping[str, list[int]]) -> Node:
    spec, shape, wiring = part.spec, part.shape, site.wiring
    index, edges = wiring.position[spec.id], wiring.out(spec.id)
    compiled = _templates(site.workflow, part, site.templates)
    return Node(
        index=index,
        id=spec.id,
        type=spec.type,
        function=part.type.function,
        config=part.config,
        templates=compiled,
        constants=frozenset(name for name, value in compiled.items() if not found(value)),
        params=spec.options.get("params") or site.workflow.defaults.get("params") or {},
        when=_when(site.workflow, spec),
        retries=spec.retries,
        backoff=(spec.backoff.initial, spec.backoff.factor, spec.backoff.limit),
        timeout=spec.timeout,
        out=edges,
        needs=wiring.needs[spec.id],
        sources=tuple(wiring.sources.get(spec.id, ())),
        plain=all(edge.case is None and not edge.error for edge in edges),
        catches=any(edge.error for edge in edges),
        where=site.workflow.where(spec.id),
        tools=tuple(shape.tools),
        models=tuple(shape.models),
        inner=_inner(site, part, index),
        above=site.order.above[index],
        later=later(site.order, writers, index) if writers else {},
        branches=tuple(tuple(branch) for branch in shape.branches),
        group=shape.joins,
        catching=wiring.catching(spec.id),
        strict=tuple(wiring.strict.get(spec.id, ())),
        rule=rule_of(shape, site.order, index),
        arms=arms_of(site.parts, wiring, spec.id),
        pool=_pool(site, part) if shape.pool else {},
        criteria=criteria_of(site.workflow, part, site.outer.criteria),
        strategies=strategies_of(site.workflow, part, site.outer.strategies),
    )


def _pool(site: _Site, part: Part) -> dict[str, Json]:
    """What a node with a pool is told of it. Raises `ConfigError`."""
    pool = described(site.pool())
    check_named(site.workflow, part, pool)
    return pool


def _inner(site: _Site, part: Part, index: int) -> dict[str, Graph]:
    """The graphs a node may open: workflows in its options, its children, and the pool."""
    shape = part.shape
    if not (shape.inner or shape.children or shape.pool):
        return {}
    found = {
        name: inner(site.workflow, part.spec.options[option], (*part.spec.path, option))
        for name, option in part.shape.inner.items()
    }
    if part.shape.children:
        found |= children(site.workflow, part)
    pool = site.pool() if part.shape.pool or part.shape.inner else ()
    names = frozenset(shape.names)
    around = site.outer.visible.union(site.order.upstream(index), shape.gives)
    if shape.closed:
        outer = replace(site.outer, visible=frozenset(shape.gives), pool=pool, names=names)
    else:
        outer = replace(site.outer, visible=around, pool=pool, names=names | site.outer.names)
    graphs = {name: compile(each, site.catalog, outer) for name, each in found.items()}
    if part.shape.pool:
        seen = around.union(spec.id for _, spec in pool)
        within = replace(outer, visible=seen, pool=())
        for workflow, spec in pool:
            graphs.setdefault(spec.id, compile(single(workflow, spec), site.catalog, within))
    if part.shape.closed:
        graphs = {name: replace(graph, closed=True) for name, graph in graphs.items()}
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
                **({} if workflow.dialect == STRICT else {"dialect": workflow.dialect}),
                "agents": [_spelt(part.spec) for part in parts.values()],
            }
        )
    )


def _spelt(spec: AgentSpec) -> Json:
    """An agent wherever it stands; what it can do and is for only if it says so, so that files
    without these words keep the digest they had before there were any."""
    told: dict[str, Json] = msgspec.to_builtins(msgspec.structs.replace(spec, path=()))
    words = ("capabilities", "description")
    return {key: value for key, value in told.items() if value or key not in words}


def _components(parts: Mapping[str, Part], nodes: tuple[Node, ...]) -> dict[str, str]:
    used = {f"agent:{part.spec.type}": part.type.version for part in parts.values()}
    for node in nodes:
        used |= versions_of(node)
        for graph in node.inner.values():
            used |= graph.components
    return dict(sorted(used.items()))
