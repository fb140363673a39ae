"""What a node decides by: the criteria and strategies that its shape names, found by name."""

from __future__ import annotations

from collections.abc import Collection

from orka.agent.deciding import Criteria, Strategies
from orka.errors import ConfigError, nearest
from orka.graph.graph import Node
from orka.graph.part import Part
from orka.spec.workflow import Workflow

_LOAD = "load the file that defines it with --plugin FILE; "


def criteria_of(workflow: Workflow, part: Part, known: Criteria) -> Criteria:
    """Raises `ConfigError` for a name that does not exist."""
    for name in part.shape.criteria:
        if name not in known:
            raise ConfigError(
                f"agent {part.spec.id!r} decides by the criterion {name!r}, which does not exist",
                where=_where(workflow, part, name),
                fix=_LOAD + nearest(name, known),
                code="config.unknown_criterion",
            )
    return {name: known[name] for name in part.shape.criteria}


def strategies_of(workflow: Workflow, part: Part, known: Strategies) -> Strategies:
    """Raises `ConfigError` for a name that does not exist."""
    for name in part.shape.strategies:
        if name not in known:
            raise ConfigError(
                f"agent {part.spec.id!r} decides by the strategy {name!r}, which does not exist",
                where=_where(workflow, part, name),
                fix=_LOAD + nearest(name, known),
                code="config.unknown_strategy",
            )
    return {name: known[name] for name in part.shape.strategies}


def check_named(workflow: Workflow, part: Part, pool: Collection[str]) -> None:
    """Raises `ConfigError` for an option that names an agent which cannot be opened from here."""
    for option, ids in part.shape.named.items():
        for id in ids:
            if id not in pool:
                there = any(agent.id == id for agent in workflow.agents)
                why = "something else leads to" if there else "does not exist"
                raise ConfigError(
                    f"agent {part.spec.id!r} names {id!r} in `{option}`, which {why}",
                    where=workflow.where(part.spec.id, option),
                    fix=nearest(id, pool) if pool else "define agents that nothing leads to",
                    code="config.unknown_agent",
                )


def _where(workflow: Workflow, part: Part, name: str) -> str:
    """The line of the option that names it: the value itself, or a list or map that holds it."""
    for option, value in part.spec.options.items():
        if value == name:
            return workflow.where(part.spec.id, option)
        if isinstance(value, dict) and name in value:
            return workflow.where(part.spec.id, option, name)
        if isinstance(value, list) and name in value:
            return workflow.where(part.spec.id, option, value.index(name))
    return workflow.where(part.spec.id)


def versions_of(node: Node) -> dict[str, str]:
    """The plugins among what a node decides by, with their versions."""
    criteria = {f"criterion:{name}": each.version for name, each in node.criteria.items()}
    strategies = {f"strategy:{name}": each.version for name, each in node.strategies.items()}
    return {name: version for name, version in (criteria | strategies).items() if version}
