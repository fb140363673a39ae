"""All declared servers, as a box of tools."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from pathlib import Path

from orka.kit.tools.mcp.connection import Connection
from orka.kit.tools.mcp.declared import declared
from orka.value import Json

PREFIX = "mcp:"
_ANY: Json = {"type": "object"}


class McpTool:
    """A `Tool` of a server. What it takes is known once its server has been called."""

    blocking = False

    def __init__(self, connection: Connection, tool: str) -> None:
        self._connection, self._tool = connection, tool
        self.name = f"{PREFIX}{connection.name}/{tool}"

    @property
    def description(self) -> str:
        known = self._connection.tools.get(self._tool)
        return (known.description or "") if known else ""

    @property
    def schema(self) -> Json:
        known = self._connection.tools.get(self._tool)
        return known.input_schema if known else _ANY

    @property
    def idempotent(self) -> bool:
        known = self._connection.tools.get(self._tool)
        return bool(known and known.annotations and known.annotations.idempotent_hint)

    async def ready(self) -> None:
        """Let description and schema be known. Raises `ToolError`."""
        await self._connection.ready(self._tool)

    def call(self, args: Mapping[str, Json], key: str) -> Coroutine[None, None, Json]:
        return self._connection.call(self._tool, args)


class McpServers:
    """The tools of the servers that a file declares. `version` is the digest of the file."""

    def __init__(self, source: str | Path | Mapping[str, Json]) -> None:
        servers, self.version = declared(source)
        self._connections = {name: Connection(name, server) for name, server in servers.items()}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._named(name) is not None

    def __getitem__(self, name: str) -> McpTool:
        """Raises `KeyError` for a tool of a server that is not declared."""
        found = self._named(name)
        if found is None:
            raise KeyError(name)
        return McpTool(*found)

    async def close(self) -> None:
        """End every server that was started."""
        for connection in self._connections.values():
            await connection.close()

    def _named(self, name: str) -> tuple[Connection, str] | None:
        server, slash, tool = name.removeprefix(PREFIX).partition("/")
        connection = self._connections.get(server) if name.startswith(PREFIX) else None
        return (connection, tool) if connection and slash and tool else None
