"""The handlers the engine brings: models by provider, tools by name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import msgspec

from orka.engine.confine import Confined
from orka.engine.guests import PATIENCE, Guests
from orka.engine.offers import in_words
from orka.engine.prices import Prices
from orka.engine.reach import Bounds
from orka.errors import ModelError, ToolError, nearest
from orka.port.handler import Answer, Spent
from orka.port.model import Call, Message, Model, ModelReply, ModelRequest, ToolOffer
from orka.port.tool import Tool
from orka.value import Json

# Calls to one provider at once, unless the user says otherwise.
CONCURRENCY = 16

Sink = Callable[[str, str, str], None]
"""Gets (run, effect, piece of text) while a model streams."""


class ModelHandler:
    """Performs `llm` effects. Each provider is made when it is first asked, and asked by at most
    `limits[provider]` calls at once; the rest wait in order."""

    def __init__(
        self,
        factories: Mapping[str, Callable[[], Model]],
        prices: Prices,
        sink: Sink | None = None,
        limits: Mapping[str, int] | None = None,
        tools: Mapping[str, Tool] | None = None,
    ) -> None:
        self._factories, self._prices, self._sink = factories, prices, sink
        self._tools = {} if tools is None else tools  # one that is empty may be filled later
        self._limits = limits or {}
        self._models: dict[str, Model] = {}
        self._gates: dict[str, asyncio.Semaphore] = {}

    async def __call__(self, payload: Json, call: Call) -> Answer:
        provider, _, name = payload["model"].partition("/")
        model = self._model(provider)
        request = await self._offering(model, _request(name, payload), payload.get("tools", ()))
        async with self._gates[provider]:
            started = time.perf_counter()
            reply = await model.complete(request, call, partial(self._emit, call))
            seconds = round(time.perf_counter() - started, 6)
        return Answer(_value(reply), self._spent(provider, name, reply, seconds))

    async def close(self) -> None:
        """Give back what the models hold (connections, weights)."""
        for model in self._models.values():
            close = getattr(model, "close", None)
            if close is not None:
                await close()

    def _model(self, provider: str) -> Model:
        if provider not in self._models:
            factory = self._factories.get(provider)
            if factory is None:
                raise ModelError(
                    f"no model provider is called {provider!r}",
                    fix=nearest(provider, self._factories),
                    code="model.unknown_provider",
                    retryable=False,
                )
            self._models[provider] = factory()
            self._gates[provider] = asyncio.Semaphore(self._limits.get(provider, CONCURRENCY))
        return self._models[provider]

    async def _offering(
        self, model: Model, request: ModelRequest, tools: Sequence[str]
    ) -> ModelRequest:
        """The request with the tools it may call: as offers, or as words for a model (or a way of
        asking) that takes none."""
        if not tools:
            return request
        if missing := [name for name in tools if name not in self._tools]:
            raise _no_tool(missing[0], self._tools)
        found = [self._tools[name] for name in tools]
        for each in found:
            if ready := getattr(each, "ready", None):
                await ready()  # a tool of a server: what it takes is known once that has started
        offers = tuple(ToolOffer(each.name, each.description, each.schema) for each in found)
        spoken = request.options.get("structured") == "prompt"
        if getattr(model, "takes_tools", False) and not spoken:
            return msgspec.structs.replace(request, tools=offers)
        return in_words(request, offers)

    def _emit(self, call: Call, piece: str) -> None:
        if self._sink:
            self._sink(call.run, call.effect, piece)

    def _spent(self, provider: str, name: str, reply: ModelReply, seconds: float) -> Spent:
        usage = reply.usage
        cost = self._prices.cost(provider, reply.model or name, usage)
        return Spent(
            seconds=seconds,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
            cost=cost,
            currency=self._prices.currency if cost is not None else "",
            model=f"{provider}/{reply.model or name}",
            build=reply.build,
            digest=reply.digest,
        )


def _request(name: str, payload: Mapping[str, Json]) -> ModelRequest:
    return ModelRequest(
        name=name,
        messages=tuple(msgspec.convert(payload["messages"], list[Message])),
        params=payload.get("params", {}),
        schema=payload.get("schema"),
        choices=tuple(payload.get("choices", ())),
        options=payload.get("options", {}),
    )


def _no_tool(name: str, tools: Mapping[str, Tool]) -> ToolError:
    return ToolError(
        f"no tool is called {name!r}",
        fix=nearest(name, tools),
        code="tool.unknown",
        retryable=False,
    )


def _value(reply: ModelReply) -> Json:
    value: dict[str, Json] = {"text": reply.text, "finish_reason": reply.finish_reason}
    if reply.probabilities is not None:
        value["probabilities"] = {k: round(p, 6) for k, p in reply.probabilities.items()}
        value["mass"] = round(reply.mass, 6) if reply.mass is not None else None
    if reply.tool_calls:
        value["tool_calls"] = msgspec.to_builtins(reply.tool_calls)
    return value


@dataclass(frozen=True, slots=True)
class Home:
    """Where a tool comes from: the plugin ("": OrKa itself, or the program that runs it), and what
    its code may reach (None: nobody says)."""

    plugin: str = ""
    bounds: Bounds | None = None


_HERE = Home()


class ToolHandler:
    """Performs `tool` effects: blocking tools in at most `threads` threads, off the event loop.
    Each plugin has threads and an event loop of its own, so that one that blocks keeps nobody
    else."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        threads: int = 32,
        home: Callable[[str], Home] = lambda name: _HERE,
        patience: float = PATIENCE,
    ) -> None:
        self._tools, self._home, self._most = tools, home, threads
        self._threads: dict[str, ThreadPoolExecutor] = {}
        self._guests = Guests(patience)

    async def __call__(self, payload: Json, call: Call) -> Answer:
        name = payload["name"]
        tool = self._tools.get(name)
        if tool is None:
            raise _no_tool(name, self._tools)
        started = time.perf_counter()
        value = await self._called(tool, payload["args"], call.key, self._home(name))
        return Answer(value, Spent(seconds=round(time.perf_counter() - started, 6)))

    async def close(self) -> None:
        """End the loops of plugins."""
        self._guests.close()

    async def _called(self, tool: Tool, args: Mapping[str, Json], key: str, home: Home) -> object:
        if tool.blocking:
            loop = asyncio.get_running_loop()
            threads = self._pool(home.plugin)
            return await loop.run_in_executor(threads, _in_thread, tool, args, key, home.bounds)
        if home.plugin:
            work = partial(_awaited, tool, args, key, home.bounds)
            return await self._guests.call(home.plugin, tool.name, work)
        return await _awaited(tool, args, key, home.bounds)

    def _pool(self, plugin: str) -> ThreadPoolExecutor:
        if plugin not in self._threads:
            prefix = f"orka-tool {plugin}".strip()
            self._threads[plugin] = ThreadPoolExecutor(self._most, thread_name_prefix=prefix)
        return self._threads[plugin]


async def _awaited(tool: Tool, args: Mapping[str, Json], key: str, bounds: Bounds | None) -> object:
    with Confined(f"tool {tool.name!r}", bounds):
        value = tool.call(args, key)
        return await value if isinstance(value, Awaitable) else value


def _in_thread(tool: Tool, args: Mapping[str, Json], key: str, bounds: Bounds | None) -> object:
    try:
        with Confined(f"tool {tool.name!r}", bounds):
            return tool.call(args, key)
    except StopIteration as error:  # a future cannot hold one: it would never be done
        raise ToolError(f"tool {tool.name!r} raised StopIteration: {error.value}") from None
