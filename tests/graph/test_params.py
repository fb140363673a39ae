"""`params` of the orchestrator are values for templates; they are no options of agents."""

from __future__ import annotations

import orka


@orka.tool
def add(a: int, b: int = 1) -> int:
    """Adds two numbers."""
    return a + b


FLOW = """
orchestrator: {id: sums, params: {much: 3}}
agents:
  - {id: usual, type: tool, tool: add, args: {a: "{{ params.much }}"}}
  - id: safe
    type: failover
    children: [{id: child, type: tool, tool: add, args: {a: "{{ params.much }}"}}]
  - {id: bare, type: invariant_validator}
"""


def test_agents_without_params_have_those_of_the_orchestrator() -> None:
    run = orka.run_sync(FLOW, store=":memory:", use=[add])
    assert run.status == "completed", run.failure
    assert run.outputs["usual"] == run.outputs["safe"] == 4
