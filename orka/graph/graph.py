"""A compiled graph: arrays and counters, so that finishing a node touches only its successors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orka.agent.agent import AgentFunction
from orka.graph.guard import Guard
from orka.graph.template import Template
from orka.value import Json

# A templated option, compiled: a template, a constant, or lists and maps of them.
Rendered = Template | Json


@dataclass(frozen=True, slots=True)
class Edge:
    """`case`: taken when the source's value has `route` equal to it. `error`: taken when the source
    failed. Neither: taken when the source finished."""

    target: int
    case: str | None = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One agent of the graph. `needs` counts the edges that lead here, from `sources`. `constants`
    are the options without a template in them. `plain` says that all of `out` is taken whenever
    the node finishes. `retries`, `backoff` (initial, factor, limit in
    seconds) and `timeout` (seconds) hold for each effect the agent asks for."""

    index: int
    id: str
    type: str
    function: AgentFunction
    config: Json
    templates: Mapping[str, Rendered]
    constants: frozenset[str]
    params: Mapping[str, Json]
    when: Guard | None
    retries: int
    backoff: tuple[float, float, float]
    timeout: float | None
    out: tuple[Edge, ...]
    needs: int
    sources: tuple[str, ...]
    plain: bool
    catches: bool
    where: str = ""
    tools: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    inner: Mapping[str, Graph] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Graph:
    """`digest` names what the graph does: same digest, same decisions for the same facts."""

    id: str
    nodes: tuple[Node, ...]
    index: Mapping[str, int]
    entrances: tuple[int, ...]
    ends: tuple[str, ...]
    needs: tuple[int, ...]
    timeout: float | None
    digest: str
    flow: str = ""
    components: Mapping[str, str] = field(default_factory=dict)


def found(value: Rendered) -> list[Template]:
    """The templates inside an option, in order."""
    if isinstance(value, Template):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [template for item in inside for template in found(item)]
