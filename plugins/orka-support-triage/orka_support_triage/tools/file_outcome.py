"""`file_outcome`: what became of a ticket is put on file."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def file_outcome(
    ticket_id: str, status: str, decision_id: str, outcome: dict[str, Json], effect_key: str
) -> dict[str, Json]:
    """Put on file what became of a ticket."""
    return act(
        "file_outcome",
        effect_key,
        ticket_id,
        {"status": status, "decision_id": decision_id, "outcome": outcome},
    )
