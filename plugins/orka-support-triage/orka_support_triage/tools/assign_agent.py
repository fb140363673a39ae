"""`assign_agent`: a ticket goes to somebody."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def assign_agent(ticket_id: str, assignee: str, effect_key: str) -> dict[str, Json]:
    """Assign a ticket."""
    return act("assign_agent", effect_key, ticket_id, {"assignee": assignee})
