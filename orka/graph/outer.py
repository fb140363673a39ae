"""What an inner workflow knows of the one around it, and the small workflows of single agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import structs

from orka.agent.deciding import BUILT_IN, Criteria, Strategies
from orka.graph.guards import Filter, Guards
from orka.graph.modules import Versions
from orka.graph.part import Catalog, Part, part_of
from orka.spec.load import alone, inner
from orka.spec.workflow import AgentSpec, Workflow
from orka.value import Json


@dataclass(frozen=True, slots=True)
class Outer:
    """`visible` are the ids whose outputs are seen from outside, `names` those that the opener
    lends to templates; `pool` the agents that may be
    opened by id, with the workflow each belongs to. `criteria`, `strategies` and `guards` are all
    there are, by name. `filters` look at what comes in from outside; None: nothing is outside."""

    visible: frozenset[str] = frozenset()
    pool: tuple[tuple[Workflow, AgentSpec], ...] = ()
    names: frozenset[str] = frozenset()
    criteria: Criteria = field(default_factory=dict)
    strategies: Strategies = field(default_factory=lambda: BUILT_IN)
    modules: Versions | None = None
    guards: Guards = field(default_factory=dict)
    filters: tuple[Filter, ...] | None = None


def single(workflow: Workflow, spec: AgentSpec) -> Workflow:
    """One agent of a workflow as a workflow of its own."""
    alone = structs.replace(spec, next=None, depends_on=(), on_error=None, writes=None)
    return structs.replace(
        workflow, id=spec.id, order=(spec.id,), agents=(alone,), guards=(), policy=None, text=""
    )


def children(workflow: Workflow, part: Part) -> dict[str, Workflow]:
    """The agents written inside an agent's option, each as a workflow, by id."""
    option = part.shape.children
    path = (*part.spec.path, option)
    written = part.spec.options.get(option) or []
    found = [alone(workflow, item, (*path, at)) for at, item in enumerate(written)]
    return {each.id: each for each in found}


def described(pool: Sequence[tuple[Workflow, AgentSpec]]) -> dict[str, Json]:
    """What a node with a pool is told of it."""
    return {
        spec.id: {
            "type": spec.type,
            "options": msgspec.to_builtins(dict(spec.options)),
            "capabilities": list(spec.capabilities),
            "description": spec.description,
        }
        for _, spec in pool
    }


def wants_pool(workflow: Workflow, parts: Mapping[str, Part], catalog: Catalog) -> bool:
    """True if an agent, here or in an inner workflow, opens agents that nothing leads to."""
    for part in parts.values():
        if part.shape.pool:
            return True
        for option in part.shape.inner.values():
            path = (*part.spec.path, option)
            below = inner(workflow, part.spec.options[option], path)
            found = {spec.id: part_of(below, spec, catalog) for spec in below.agents}
            if wants_pool(below, found, catalog):
                return True
    return False
