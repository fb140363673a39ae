"""`kb_search`: full-text search over the knowledge base."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.value import Json, digest
from orka_support_triage.knowledge import search
from orka_support_triage.schema.reading import builtins
from orka_support_triage.schema.record import ToolResult


@tool(idempotent=True)
def kb_search(query: str, limit: int = 3) -> dict[str, Json]:
    """Look articles up: a tool result with the best ones, the best one first. Nothing found is an
    empty list."""
    items = search(query, limit)
    name = f"kb_{digest(query.encode())[:8]}"
    result = ToolResult(result_id=name, tool_name="kb_search", items=tuple(items))
    told: dict[str, Json] = builtins(result)
    return told
