"""`change_account_settings`: an account is changed."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json
from orka_support_triage.desk import act


@tool(idempotent=True)
def change_account_settings(
    ticket_id: str, customer_id: str, settings: dict[str, Json], effect_key: str
) -> dict[str, Json]:
    """Change settings of a customer's account."""
    return act(
        "change_account_settings",
        effect_key,
        ticket_id,
        {"customer_id": customer_id, "settings": settings},
    )
