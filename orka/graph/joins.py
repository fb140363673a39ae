"""A join's policy, compiled: how many branches it needs, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping

from orka.agent.agent import Shape
from orka.graph.edges import Wiring
from orka.graph.graph import Rule
from orka.graph.order import Order
from orka.graph.part import Part


def rule_of(shape: Shape, order: Order, index: int) -> Rule | None:
    """The rule of a join, None for one that waits for all and tolerates no failure."""
    policy = shape.policy
    if policy is None or not policy.tolerant or not shape.joins:
        return None
    fork = order.ids.index(shape.joins)
    return Rule(policy.count, policy.deadline, order.between(fork, index), fork)


def arms_of(parts: Mapping[str, Part], wiring: Wiring, fork: str) -> tuple[tuple[int, float], ...]:
    """The joins whose deadline begins when `fork` has ended."""
    if not parts[fork].shape.branches:
        return ()
    return tuple(
        (wiring.position[id], part.shape.policy.deadline)
        for id, part in parts.items()
        if part.shape.joins == fork
        and id in wiring.position
        and part.shape.policy
        and part.shape.policy.deadline is not None
    )
