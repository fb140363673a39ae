"""Random workflows under random policies, in which texts are quarantined on the way."""

from __future__ import annotations

import random

from orka.graph.compile import compile
from orka.graph.graph import Graph
from orka.spec.load import load
from orka.testing.agents import CATALOG
from orka.testing.graphs import workflow
from orka.value import Json, copied

# The tool that all agents of random workflows call.
TOOL = "seeded"


def policed_graph(seed: int) -> Graph:
    """The workflow of `seed` with policies around some or all of its nodes, compiled."""
    rng = random.Random(f"policy/{seed}")
    flow = copied(dict(workflow(seed)))
    _policed(flow, rng, always=True)
    return compile(load(flow, f"policed seed {seed}"), CATALOG)


def _policed(flow: Json, rng: random.Random, *, always: bool) -> None:
    if always or rng.random() < 0.3:
        flow["orchestrator"]["policy"] = _policy(rng)
    for agent in flow["agents"]:
        _agent(agent, rng)


def _agent(agent: Json, rng: random.Random) -> None:
    steps = agent.get("steps")
    if steps is not None and rng.random() < 0.15:
        steps.insert(rng.randint(0, len(steps)), {"do": "quarantine"})
    for name in ("one", "two"):
        if name in agent:
            _policed(agent[name], rng, always=False)
    for child in agent.get("children", ()):
        _agent(child, rng)


def _policy(rng: random.Random) -> Json:
    draw = rng.random()
    listed = "ask" if draw < 0.6 else "allow" if draw < 0.9 else "deny" if draw < 0.95 else ""
    policy: dict[str, Json] = {listed: [TOOL]} if listed else {}
    if rng.random() < 0.4:
        policy["approval_timeout"] = round(rng.uniform(1, 20), 3)
    if rng.random() < 0.4:
        policy["approvers"] = rng.sample(["ada", "bob", "cy"], 2)
    if listed != "deny" and rng.random() < 0.3:
        policy["when_tainted"] = [TOOL]
    return policy
