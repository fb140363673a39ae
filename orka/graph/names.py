"""What nodes name outside the graph, tools and model providers, must exist before a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from orka.errors import ConfigError, nearest
from orka.graph.graph import Graph, Node
from orka.graph.guards import Filter


def check_names(graph: Graph, tools: Collection[str], models: Collection[str]) -> None:
    """Raises `ConfigError` for the first name that does not exist, in inner workflows too."""
    _check_revealed(graph.filters, tools)
    for node in graph.nodes:
        _check_revealed(node.filters, tools)
        for tool in node.tools:
            if tool not in tools:
                raise _unknown(node, "tool", tool, tools)
        for model in node.models:
            provider = model.partition("/")[0]
            if provider not in models:
                raise _unknown(node, "model provider", provider, models)
        for inner in node.inner.values():
            check_names(inner, tools, models)


def _check_revealed(filters: Iterable[Filter], tools: Collection[str]) -> None:
    for each in filters:
        for tool in each.reveal_to:
            if tool not in tools:
                raise ConfigError(
                    f"guard {each.name!r} reveals to the tool {tool!r}, which does not exist",
                    where=each.where,
                    fix=nearest(tool, tools),
                    code="config.unknown_tool",
                )


def _unknown(node: Node, what: str, name: str, known: Collection[str]) -> ConfigError:
    hint = "load the file that defines it with --plugin FILE; " if what == "tool" else ""
    if name.startswith("mcp:"):
        hint = "give the file that declares its server with --mcp FILE; "
    return ConfigError(
        f"agent {node.id!r} names the {what} {name!r}, which does not exist",
        where=node.where,
        fix=hint + nearest(name, known),
        code=f"config.unknown_{what.partition(' ')[0]}",
    )
