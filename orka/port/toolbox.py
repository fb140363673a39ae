"""Tools that live elsewhere: in servers that are started when they are first called."""

from __future__ import annotations

from typing import Protocol

from orka.port.tool import Tool


class Toolbox(Protocol):
    """Says which names are its own without starting anything. `version` is the digest of what it
    was made of."""

    @property
    def version(self) -> str: ...

    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, name: str) -> Tool: ...

    async def close(self) -> None:
        """End what was started."""
