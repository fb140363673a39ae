"""What a node decides by: the criteria and strategies that its shape names, found by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from orka.agent.deciding import Criteria, Strategies
from orka.errors import ConfigError, nearest
from orka.graph.graph import Node
from orka.graph.part import Part
from orka.spec.workflow import Workflow

T = TypeVar("T")

_LOAD = "load the file that defines it with --plugin FILE; "


def criteria_of(workflow: Workflow, part: Part, known: Criteria) -> Criteria:
    """Raises `ConfigError` for a name that does not exist."""
    found, missing = _found(part.shape.criteria, known)
    if missing:
        raise _unknown(workflow, part, "criterion", missing, known, "config.unknown_criterion")
    return found


def strategies_of(workflow: Workflow, part: Part, known: Strategies) -> Strategies:
    """Raises `ConfigError` for a name that does not exist."""
    found, missing = _found(part.shape.strategies, known)
    if missing:
        raise _unknown(workflow, part, "strategy", missing, known, "config.unknown_strategy")
    return found


def _found(names: Sequence[str], known: Mapping[str, T]) -> tuple[dict[str, T], str]:
    """What is there, and the first name that is not."""
    missing = next((name for name in names if name not in known), "")
    return {name: known[name] for name in names if name in known}, missing


def _unknown(
    workflow: Workflow, part: Part, kind: str, name: str, known: Collection[str], code: str
) -> ConfigError:
    return ConfigError(
        f"agent {part.spec.id!r} decides by the {kind} {name!r}, which does not exist",
        where=_where(workflow, part, name),
        fix=_LOAD + nearest(name, known),
        code=code,
    )


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
