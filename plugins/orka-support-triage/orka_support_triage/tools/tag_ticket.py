"""`tag_ticket`: a ticket gets a tag."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def tag_ticket(ticket_id: str, tag: str, effect_key: str) -> dict[str, Json]:
    """Tag a ticket."""
    return act("tag_ticket", effect_key, ticket_id, {"tag": tag})
