"""`send_reply`: an answer goes to the customer."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def send_reply(ticket_id: str, subject: str, body: str, effect_key: str) -> dict[str, Json]:
    """Send the customer a reply."""
    return act("send_reply", effect_key, ticket_id, {"subject": subject, "body": body})
