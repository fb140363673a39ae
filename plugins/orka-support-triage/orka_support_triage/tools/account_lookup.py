"""`account_lookup`: what the desk knows of a customer."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.errors import ToolError
from orka.value import Json, digest
from orka_support_triage.desk import account_of
from orka_support_triage.schema.reading import builtins
from orka_support_triage.schema.record import Item, ToolResult

_SHOWN = ("plan", "region", "status", "renews_on", "last_payment", "open_invoices", "notes")


@tool(idempotent=True)
def account_lookup(customer_id: str) -> dict[str, Json]:
    """Look a customer up: a tool result with one item. Raises a ToolError for an unknown one."""
    account = account_of(customer_id)
    if account is None:
        raise ToolError(
            f"there is no customer {customer_id!r}",
            fix="check context.customer_profile.customer_id of the envelope",
            code="triage.no_account",
            retryable=False,
        )
    told = "; ".join(f"{name}: {account[name]}" for name in _SHOWN if account.get(name))
    item = Item(id=customer_id, title="Account", snippet=told, source="accounts")
    name = f"acct_{digest(customer_id.encode())[:8]}"
    result = ToolResult(
        result_id=name, tool_name="account_lookup", items=(item,), raw_response=account
    )
    found: dict[str, Json] = builtins(result)
    return found
