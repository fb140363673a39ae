"""One server that runs: started when it is first called, ended with the runtime."""

from __future__ import annotations

import asyncio
import importlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import IO, Any

from orka.errors import ToolError, nearest
from orka.kit.tools.mcp.answer import value_of
from orka.kit.tools.mcp.declared import Declared, filled
from orka.value import Json

START, ANSWER, END = 30.0, 300.0, 10.0
_TOLD = 300
_INVALID_PARAMS = -32602


class Connection:
    """A server by name. Calls come from any task; one task of its own opens and closes what the
    SDK opens, since that must be done in one place."""

    def __init__(self, name: str, server: Declared) -> None:
        self.name, self._server = name, server
        self.tools: dict[str, Any] = {}
        self._open: Open | None = None
        self._opening = asyncio.Lock()

    async def call(self, tool: str, args: Mapping[str, Json]) -> Json:
        """What a tool of the server answers. Raises `ToolError`."""
        sdk = _sdk()
        opened = await self._opened(sdk)
        self._known(tool)
        try:
            result = await opened.client.call_tool(tool, dict(args))
        except sdk.MCPError as error:
            raise await self._failed(tool, opened, error) from None
        return value_of(self.name, tool, result)

    async def ready(self, tool: str) -> None:
        """Start the server, so that it is known what `tool` takes. Raises `ToolError`."""
        await self._opened(_sdk())
        self._known(tool)

    def _known(self, tool: str) -> None:
        if tool not in self.tools:
            raise ToolError(
                f"MCP server {self.name!r} has no tool {tool!r}",
                fix=nearest(tool, self.tools),
                code="tool.unknown",
                retryable=False,
            )

    async def close(self) -> None:
        """End the server, if this loop has started it."""
        opened, self._open = self._open, None
        if opened is not None:
            await opened.close()

    async def _opened(self, sdk: Any) -> Open:
        async with self._opening:
            if self._open is None or not self._open.usable:
                self._open = Open(self.name, filled(self._server, self.name), sdk)
                self.tools = await self._open.start()
            return self._open

    async def _failed(self, tool: str, opened: Open, error: Any) -> ToolError:
        closed, slow = _closings()
        told = f"tool {tool!r} of MCP server {self.name!r}: {error.message}"
        if error.code == closed:
            said = opened.last_words()
            if self._open is opened:
                self._open = None  # the next attempt starts it anew
            await opened.close()
            return ToolError(f"{told}{said}", fix="see what it says", code="tool.unreachable")
        if error.code == slow:
            return ToolError(told, fix="ask for less", code="tool.timeout")
        code = "tool.arguments" if error.code == _INVALID_PARAMS else "tool.failed"
        return ToolError(told, fix="correct the arguments", code=code, retryable=False)


class Open:
    """A started server and the task that holds it open."""

    def __init__(self, name: str, server: Declared, sdk: Any) -> None:
        self._name, self._server, self._sdk = name, server, sdk
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._stop = asyncio.Event()
        self._said: IO[str] = tempfile.TemporaryFile(  # noqa: SIM115  # `close` closes it
            "w+", encoding="utf-8", errors="replace"
        )
        self._task: asyncio.Task[None] | None = None
        self.client: Any = None

    @property
    def usable(self) -> bool:
        running = self._task is not None and not self._task.done()
        return running and self._loop is asyncio.get_running_loop()

    async def start(self) -> dict[str, Any]:
        """Start the server; gives its tools by name. Raises `ToolError` if it does not come up."""
        task = self._task = self._loop.create_task(self._hold())
        either: set[asyncio.Future[Any]] = {task, self._ready}
        await asyncio.wait(either, timeout=START, return_when=asyncio.FIRST_COMPLETED)
        if self._ready.done():
            return self._ready.result()
        why = _innermost(task.exception()) if task.done() else f"no answer within {START:g} s"
        words = self.last_words()
        await self.close()
        raise ToolError(
            f"MCP server {self._name!r} does not start: {why}{words}",
            fix="run its command by hand, or correct its declaration",
            code="tool.unreachable",
        )

    async def close(self) -> None:
        """End the server and wait until it has ended."""
        if self._task is None or self._loop is not asyncio.get_running_loop():
            return
        self._stop.set()
        _, late = await asyncio.wait({self._task}, timeout=END if self._ready.done() else 0.0)
        for task in late:
            task.cancel()
            await asyncio.wait({task}, timeout=END)
        if self._task.done() and not self._task.cancelled():
            self._task.exception()  # it has ended, whatever it said in the end
        self._said.close()

    def last_words(self) -> str:
        """The end of what the server wrote to its standard error."""
        if self._said.closed:
            return ""
        self._said.seek(0)
        said = " ".join(self._said.read().split())
        return f"; it said: {said[-_TOLD:]}" if said else ""

    async def _hold(self) -> None:
        async with self._transport() as transport:
            client = self._sdk.Client(transport, read_timeout_seconds=ANSWER)
            async with client:
                tools, cursor = dict[str, Any](), None
                while True:
                    page = await client.list_tools(cursor=cursor)
                    tools |= {tool.name: tool for tool in page.tools}
                    cursor = page.next_cursor
                    if not cursor:
                        break
                self.client = client
                self._ready.set_result(tools)
                await self._stop.wait()

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[Any]:
        server = self._server
        if not server.url:
            parameters = self._sdk.StdioServerParameters(
                command=server.command, args=server.args, env=server.env, cwd=server.cwd
            )
            yield self._sdk.stdio_client(parameters, errlog=self._said)
            return
        http = importlib.import_module("mcp.client.streamable_http")
        library = importlib.import_module("httpx2")
        async with library.AsyncClient(headers=server.headers, timeout=ANSWER) as client:
            yield http.streamable_http_client(server.url, http_client=client)


def _innermost(error: BaseException | None) -> str:
    """The first cause in groups of errors, which is what a reader needs."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}" if error else "it ended"


def _closings() -> tuple[int, int]:
    types = importlib.import_module("mcp_types")
    return types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT


def _sdk() -> Any:
    try:
        return importlib.import_module("mcp")
    except ImportError as error:
        raise ToolError(
            f"the MCP SDK cannot be imported: {error}",
            fix="run `pip install 'orka[mcp]'`",
            code="tool.not_installed",
            retryable=False,
        ) from error
