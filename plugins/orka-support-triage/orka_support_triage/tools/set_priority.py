"""`set_priority`: a ticket gets another priority."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act
from orka_support_triage.schema.words import Priority


@tool(idempotent=True)
def set_priority(ticket_id: str, priority: Priority, effect_key: str) -> dict[str, Json]:
    """Change how urgent a ticket is."""
    return act("set_priority", effect_key, ticket_id, {"priority": priority})
