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
from orka.graph.guards import Filter, filters_of, implied_by, spelt
from orka.graph.guards import versions_of as guards_of
from orka.graph.joins import arms_of, rule_of
from orka.graph.modules import modules_of
from orka.graph.order import Order, order_of
from orka.graph.outer import Outer, children, described, single, wants_pool
from orka.graph.part import Catalog, Part, part_of
from orka.graph.policy import policy_of
from orka.graph.policy import spelt as policy_spelt
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
    modules = modules_of(workflow, outer.modules)
    parts = _parts(workflow, catalog)
    shapes = {id: part.shape for id, part in parts.items()}
    wiring = wire(workflow, shapes, lambda: wants_pool(workflow, parts, catalog))
    order = order_of(workflow, wiring)
    ids = (*wiring.position, *outer.visible)
    templates = Templates(workflow.dialect, ids, outer.names)
    own = filters_of(workflow, workflow.guards, outer.guards)
    around = () if outer.filters is None else (*outer.filters, *own)
    nodes = _nodes(_Site(workflow, parts, wiring, order, catalog, outer, templates, around))
    filters = _filters(own, shapes, nodes, outer)
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
        components=_components(parts, nodes, filters) | modules,
        answers=_answers(workflow, nodes, shapes),
        timed=tuple(n.index for n in nodes if n.rule and n.rule.deadline is not None),
        max_concurrency=workflow.max_concurrency,
        filters=filters,
        policy=policy_of(workflow.policy),
        lenient=workflow.dialect != STRICT,
        findings=(
            *check_routes(workflow, shapes),
            *(each for node in nodes for graph in node.inner.values() for each in graph.findings),
        ),
    )
    found = dict.fromkeys((*graph.findings, *prove(workflow, graph, shapes, outer)))
    return replace(graph, findings=tuple(found)) if found else graph


def _filters(
    own: tuple[Filter, ...], shapes: Mapping[str, Shape], nodes: Sequence[Node], outer: Outer
) -> tuple[Filter, ...]:
    """Those of the graph and those that its agents want: for the run, if nothing is outside."""
    there = own if outer.filters is None else ()
    inner = [each for node in nodes for graph in node.inner.values() for each in graph.filters]
    return (*own, *implied_by(shapes, inner, there, outer.guards))


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
    filters: tuple[Filter, ...] = ()

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
    filters = site.filters + filters_of(site.workflow, spec.guards, site.outer.guards)
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
        inner=_inner(site, part, index, filters),
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
        filters=filters,
    )


def _pool(site: _Site, part: Part) -> dict[str, Json]:
    """What a node with a pool is told of it. Raises `ConfigError`."""
    pool = described(site.pool())
    check_named(site.workflow, part, pool)
    return pool


def _inner(site: _Site, part: Part, index: int, filters: tuple[Filter, ...]) -> dict[str, Graph]:
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
    names, site = frozenset(shape.names), replace(site, outer=replace(site.outer, filters=filters))
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
                **({"guards": spelt(workflow.guards)} if workflow.guards else {}),
                **policy_spelt(workflow.policy),
                "agents": [_spelt(part.spec) for part in parts.values()],
            }
        )
    )


def _spelt(spec: AgentSpec) -> Json:
    """An agent wherever it stands; what it can do and is for only if it says so, so that files
    without these words keep the digest they had before there were any."""
    told: dict[str, Json] = msgspec.to_builtins(msgspec.structs.replace(spec, path=(), guards=()))
    told["guards"] = spelt(spec.guards)
    words = ("capabilities", "description", "guards")
    return {key: value for key, value in told.items() if value or key not in words}


def _components(
    parts: Mapping[str, Part], nodes: tuple[Node, ...], filters: tuple[Filter, ...]
) -> dict[str, str]:
    used = {f"agent:{part.spec.type}": part.type.version for part in parts.values()}
    used |= guards_of(filters)
    for node in nodes:
        used |= versions_of(node) | guards_of(node.filters)
        for graph in node.inner.values():
            used |= graph.components
    return dict(sorted(used.items()))
