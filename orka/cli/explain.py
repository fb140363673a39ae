"""What a workflow will do, read off its graph: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from orka.graph.draw import edges_of
from orka.graph.graph import BYPASS, Edge, Graph, Node
from orka.value import Json

# Options that bound what an agent does.
_LIMITS: tuple[str, ...] = (
    "max_loops",
    "score_threshold",
    "max_concurrency",
    "max_depth",
    "max_tokens",
)
_LIMITS += ("violation_retries", "limit", "policy", "on_failure", "on_violation")


def plan_of(graph: Graph) -> dict[str, Json]:
    """The agents in order, where each leads, what it asks, and its limits."""
    plan: dict[str, Json] = {"id": graph.id, "agents": [_agent(graph, n) for n in graph.nodes]}
    if graph.timeout is not None:
        plan["timeout"] = graph.timeout
    return plan


def _agent(graph: Graph, node: Node) -> dict[str, Json]:
    told: dict[str, Json] = {"id": node.id, "type": node.type}
    told["begins"] = node.index in graph.entrances
    told["then"] = [_edge(graph, edge) for edge in edges_of(graph, node)]
    if node.when is not None:
        told["when"] = node.when.text
    for name, names in (("models", node.models), ("tools", node.tools)):
        if names:
            told[name] = list(names)
    if base_url := getattr(node.config, "base_url", None):
        told["base_url"] = base_url
    told["limits"] = _limits(node)
    if node.pool:
        told["may_open"] = list(node.pool)
    inside = {name: plan_of(inner) for name, inner in node.inner.items() if name not in node.pool}
    return {**told, "inside": inside} if inside else told


def _edge(graph: Graph, edge: Edge) -> Json:
    told: dict[str, Json] = {"to": graph.nodes[edge.target].id}
    if edge.case is not None:
        told["if"] = "skipped" if edge.case == BYPASS else edge.case
    return {**told, "on_error": True} if edge.error else told


def _limits(node: Node) -> dict[str, Json]:
    limits: dict[str, Json] = {}
    if node.timeout is not None:
        limits["timeout"] = node.timeout
    if node.retries:
        limits["retries"] = node.retries
    for name in _LIMITS:
        value = msgspec.to_builtins(getattr(node.config, name, None))
        if value is not None:
            limits[name] = value
    return limits


def told(plan: Json, differences: Sequence[Json]) -> str:
    """The plan in lines, and what was different in OrKa 0.9."""
    lines = list(_lines(plan, "  "))
    if differences:
        lines.append("  where OrKa 0.9 did something else:")
    for each in differences:
        lines.append(f"    {each['where']}: {each['does']}")
        lines.append(f"      OrKa 0.9: {each['old']}")
    return "\n".join(lines)


def _lines(plan: Json, indent: str) -> Iterator[str]:
    for agent in plan["agents"]:
        yield f"{indent}{agent['id']} ({agent['type']}){_asks(agent)}"
        for name, value in agent["limits"].items():
            yield f"{indent}    {name} {value}"
        if "when" in agent:
            yield f"{indent}    when {agent['when']}"
        if agent["then"]:
            yield f"{indent}    → {', '.join(map(_then, agent['then']))}"
        if "may_open" in agent:
            yield f"{indent}    may open {', '.join(agent['may_open'])}"
        for name, inner in agent.get("inside", {}).items():
            yield f"{indent}    inside ({name}):"
            yield from _lines(inner, f"{indent}      ")


def _asks(agent: Json) -> str:
    asked = [*agent.get("models", ()), *(f"tool {name}" for name in agent.get("tools", ()))]
    where = f" at {agent['base_url']}" if "base_url" in agent else ""
    return f" asks {', '.join(asked)}{where}" if asked else ""


def _then(edge: Json) -> str:
    case = edge.get("if")
    word = f" if {case!r}" if case else " if no route fits" if case == "" else ""
    return f"{edge['to']}{word}{' on error' if edge.get('on_error') else ''}"
