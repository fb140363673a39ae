"""`workspace_write`: a file of the work that a plan asks for."""

from __future__ import annotations

from orka.agent.tool import tool
from orka.errors import ToolError
from orka.value import Json, digest

from orka_spec_driven.folder import place

_MOST = 100_000


@tool(idempotent=True, gives={"type": "object", "required": ["path", "bytes", "digest"]})
def workspace_write(path: str, text: str) -> dict[str, Json]:
    """Write a text file in the work folder; a file that is there is replaced."""
    data = text.encode()
    if len(data) > _MOST:
        raise ToolError(
            f"{path!r} would have {len(data)} bytes, and a file of the work has at most {_MOST}",
            fix="write several files",
            code="tool.too_large",
            retryable=False,
        )
    place("work", path).write_bytes(data)
    return {"path": path, "bytes": len(data), "digest": digest(data)}
