"""The doubles of the world: a model and tools that answer by script and log each call."""

from __future__ import annotations

import asyncio
import builtins
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from cases.log import Asked, Log, caller
from cases.script import Entry, Script
from orka.agent.tool import FunctionTool
from orka.errors import ToolError
from orka.testing.scripted import Refusal
from orka.value import Json

_FOR_EVER = 3600.0

Held = Callable[[str], None]
"""Called with the run's id when the agent that is held begins to work."""


class Beyond(AssertionError):
    """An agent called more often than its script has replies."""


class Doubles:
    """The world of one case. `scripts` are of single runs, by id. `hold` names an agent whose next
    call tells `held` and never ends. When it is not `live`, nobody may call at all. Each run has
    the script to itself, unless it is `shared`."""

    def __init__(
        self, script: Script, log: Log, *, live: bool = True, shared: bool = False
    ) -> None:
        self.script, self.log, self.live, self.shared = script, log, live, shared
        self.scripts: dict[str, Script] = {}
        self.hold, self.held = "", _nobody
        self._given: dict[str, Counter[str]] = {}

    async def next(self, asked: Asked) -> Entry:
        """The reply to a call. Raises `Beyond` if there is none."""
        entries = self.scripts.get(asked.run, self.script).get(asked.agent)
        entry = self._entry(asked, entries)
        self.log.add(msgspec.structs.replace(asked, beyond=entry is None))
        if entry is None:
            raise Beyond(f"the script of {asked.agent!r} has no reply left")
        if asked.agent == self.hold:
            self.hold = ""
            self.held(asked.run)
            await asyncio.sleep(_FOR_EVER)
        if entry.side_effect:
            named = msgspec.structs.replace(asked, kind="side_effect", name=entry.side_effect)
            self.log.add(named)
        return entry

    def _entry(self, asked: Asked, entries: Sequence[Entry] | None) -> Entry | None:
        if not self.live:
            return None
        if entries is None and asked.kind == "tool":
            return Entry(reply={"done": asked.name})
        reader = "" if self.shared else asked.run
        if reader not in self._given:
            self._given[reader] = self.log.calls(reader)
        given = self._given[reader]
        at = given[asked.agent]
        given[asked.agent] += 1
        return entries[at] if entries is not None and at < len(entries) else None

    def tool(self, name: str, arguments: Sequence[str]) -> FunctionTool:
        """A tool with these arguments that answers by the script of the agent that calls."""

        async def act(effect_key: str, **given: Json) -> object:
            call = caller(effect_key)
            asked = Asked(kind="tool", agent=call.node, run=call.run, key=effect_key, name=name)
            entry = await self.next(asked)
            await asyncio.sleep(entry.sleep_ms / 1000)
            if entry.raised is not None:
                raise _error(entry.raised)
            return given if entry.echo_prompt else entry.value()

        fields: list[Any] = [
            (argument, Json, None) for argument in arguments
        ]  # Any: as defstruct has it
        return FunctionTool(
            name=name,
            function=act,
            arguments=msgspec.defstruct(f"{name}_arguments", fields, kw_only=True),
            schema={"type": "object"},
            blocking=False,
            wants_key=True,
        )


def _nobody(run: str) -> None:
    raise AssertionError(f"nobody holds run {run!r}")


def tools_of(workflow: Json) -> dict[str, list[str]]:
    """The tools a workflow names, each with the arguments it is called with."""
    found: dict[str, list[str]] = {}
    seen: set[int] = set()

    def look(value: Json) -> None:
        if not isinstance(value, (Mapping, list)) or id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, list):
            for item in value:
                look(item)
            return
        if isinstance(value.get("tool"), str):
            names = found.setdefault(value["tool"], [])
            arguments = value.get("args") or value.get("params") or {}
            if isinstance(arguments, Mapping):
                names += [str(each) for each in arguments if str(each) not in names]
        if isinstance(value.get("tools"), list):
            for name in value["tools"]:
                found.setdefault(str(name), [])
        for item in value.values():
            look(item)

    look(workflow)
    return found


def _error(raised: Refusal) -> Exception:
    """With a status, what a tool says about a refusal; else a stranger's exception, by its type."""
    if raised.status is not None:
        wait = _seconds(raised.retry_after)
        return ToolError(raised.text, retryable=raised.may_retry, retry_after=wait)
    known = getattr(builtins, raised.type, None)
    if isinstance(known, type) and issubclass(known, Exception):
        return known(raised.message)
    made: type[Exception] = type(raised.type or "RemoteError", (Exception,), {})
    return made(raised.message)


def _seconds(retry_after: float | str | None) -> float | None:
    try:
        return None if retry_after is None else float(retry_after)
    except ValueError:  # a date: no number of seconds
        return None
