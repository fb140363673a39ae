"""Workflow and catalog to Graph: every check that can be made before a run is made here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from orka.agent.agent import AgentType, Shape
from orka.errors import ConfigError, GuardError, nearest
from orka.graph.edges import Wiring, wire
from orka.graph.graph import Graph, Node, Rendered
from orka.graph.guard import Guard
from orka.graph.proof import prove
from orka.graph.template import Templates, constant
from orka.spec.load import inner
from orka.spec.workflow import AgentSpec, Workflow
from orka.value import Json, canonical, digest

Catalog = Mapping[str, AgentType]


@dataclass(frozen=True, slots=True)
class Part:
    """One agent on its way to a node."""

    spec: AgentSpec
    type: AgentType
    config: msgspec.Struct
    shape: Shape


def compile(workflow: Workflow, catalog: Catalog) -> Graph:
    """Raises `ConfigError`, `TemplateError` or `GuardError` with file, line and column."""
    parts = {spec.id: _part(workflow, spec, catalog) for spec in workflow.agents}
    wiring = wire(workflow, {id: part.shape for id, part in parts.items()})
    templates = Templates()
    position = {id: at for at, id in enumerate(wiring.order)}
    nodes = tuple(
        _node(workflow, parts[id], wiring, position, templates, catalog) for id in wiring.order
    )
    graph = Graph(
        id=workflow.id,
        nodes=nodes,
        index=position,
        entrances=tuple(node.index for node in nodes if not node.needs),
        ends=tuple(node.id for node in nodes if not any(not e.error for e in node.out)),
        needs=tuple(node.needs for node in nodes),
        timeout=workflow.timeout,
        digest=_digest(workflow, parts),
        flow=digest(workflow.text.encode()) if workflow.text else "",
        components=_components(parts, nodes),
    )
    prove(workflow, graph, {id: part.shape for id, part in parts.items()})
    return graph


def _part(workflow: Workflow, spec: AgentSpec, catalog: Catalog) -> Part:
    kind = catalog.get(spec.type)
    if kind is None:
        raise ConfigError(
            f"agent {spec.id!r} has the unknown type {spec.type!r}",
            where=workflow.where(spec.id, "type"),
            fix=nearest(spec.type, catalog),
            code="config.unknown_type",
        )
    config = _config(workflow, spec, kind)
    if kind.check and (problem := kind.check(config)):
        raise ConfigError(f"agent {spec.id!r}: {problem}", where=workflow.where(spec.id))
    return Part(spec, kind, config, kind.shape(config) if kind.shape else Shape())


def _config(workflow: Workflow, spec: AgentSpec, kind: AgentType) -> msgspec.Struct:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind.config)}
    options = {name: item for name, item in workflow.defaults.items() if name in fields}
    options |= spec.options
    for name in options:
        if name not in fields and name != "params":
            known = [*fields, "id", "type", "next", "depends_on", "when", "retries", "timeout"]
            raise ConfigError(
                f"agent {spec.id!r} (type {spec.type!r}) has the unknown key {name!r}",
                where=workflow.where(spec.id, name),
                fix=nearest(name, known),
                code="config.unknown_key",
            )
    try:
        return msgspec.convert(
            {name: item for name, item in options.items() if name in fields}, kind.config
        )
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        keys = [key for key in path.rstrip("`").replace("[", ".[").split(".") if key]
        raise ConfigError(
            f"agent {spec.id!r}: {message}" + (f" at {'.'.join(keys)}" if keys else ""),
            where=workflow.where(spec.id, *[k for k in keys if not k.startswith("[")][:1]),
            code="config.missing_key" if "missing required" in message else "config.type",
        ) from None


def _node(
    workflow: Workflow,
    part: Part,
    wiring: Wiring,
    position: Mapping[str, int],
    templates: Templates,
    catalog: Catalog,
) -> Node:
    spec = part.spec
    edges = wiring.out(spec.id, position)
    return Node(
        index=position[spec.id],
        id=spec.id,
        type=spec.type,
        function=part.type.function,
        config=part.config,
        templates=_templates(workflow, part, templates),
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
        where = workflow.where(part.spec.id, name)
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


def _digest(workflow: Workflow, parts: Mapping[str, Part]) -> str:
    """The digest of what the author wrote, without spelling, comments or order of keys."""
    return digest(
        canonical(
            {
                "id": workflow.id,
                "strategy": workflow.strategy,
                "order": workflow.order,
                "timeout": workflow.timeout,
                "defaults": workflow.defaults,
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
