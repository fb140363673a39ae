"""`request_info`: the customer is asked for what is missing."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def request_info(ticket_id: str, question: str, effect_key: str) -> dict[str, Json]:
    """Ask the customer something."""
    return act("request_info", effect_key, ticket_id, {"question": question})
