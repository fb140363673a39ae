"""`escalate`: a person takes over."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def escalate(ticket_id: str, reason: str, effect_key: str) -> dict[str, Json]:
    """Hand the ticket to a person."""
    return act("escalate", effect_key, ticket_id, {"reason": reason})
