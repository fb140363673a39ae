"""MCP servers as tools: `mcp:SERVER/TOOL` is a tool of a server that a file declares."""

from orka.kit.tools.mcp.servers import McpServers

__all__ = ["McpServers"]
