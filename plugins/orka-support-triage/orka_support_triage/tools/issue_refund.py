"""`issue_refund`: money goes back to the customer."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def issue_refund(
    ticket_id: str, amount: float, reason: str = "", *, effect_key: str
) -> dict[str, Json]:
    """Pay an amount in EUR back."""
    return act("issue_refund", effect_key, ticket_id, {"amount": amount, "reason": reason})
