"""What a server's tool answers, as a value."""

from __future__ import annotations

from typing import Any

from orka.errors import ToolError
from orka.value import Json


def value_of(server: str, tool: str, result: Any) -> Json:
    """The structured answer if there is one; else its text; else its parts as maps.

    Raises `ToolError` for an answer that says it is an error."""
    texts = [part.text for part in result.content if part.type == "text"]
    if result.is_error:
        said = " ".join(texts) or "it does not say why"
        raise ToolError(
            f"tool {tool!r} of MCP server {server!r} failed: {said}",
            fix="correct what it is asked, or see the server's own log",
        )
    if result.structured_content is not None:
        return result.structured_content
    if len(texts) == len(result.content):
        return "\n".join(texts)
    return [
        part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in result.content
    ]
