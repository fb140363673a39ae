"""`close_ticket`: a ticket is closed."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def close_ticket(ticket_id: str, reason: str = "", *, effect_key: str) -> dict[str, Json]:
    """Close a ticket."""
    return act("close_ticket", effect_key, ticket_id, {"reason": reason})
