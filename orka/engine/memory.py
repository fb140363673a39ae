"""Performs `memory` effects: opens the memory when it is first asked, and asks it in a thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from orka.errors import RecallError, nearest
from orka.port.handler import Answer, Spent
from orka.port.memory import Draft, Matches, Memory, Query
from orka.port.model import Call
from orka.value import Json

T = TypeVar("T")


class _Address(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `get` and `delete`."""

    namespace: str
    key: str
    user: str = ""


class _Scope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `stats`."""

    namespace: str = ""


class MemoryHandler:
    """The clock of an operation is the call's, and stands in its answer as `at`. What changes the
    memory does so once for each effect key, however often it is performed."""

    def __init__(self, open: Callable[[], Memory], clock: Callable[[], float]) -> None:
        self._open, self._clock = open, clock
        self._memory: Memory | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="orka-memory")

    async def __call__(self, payload: Json, call: Call) -> Answer:
        loop = asyncio.get_running_loop()
        now, started = round(self._clock(), 6), time.perf_counter()
        value = await loop.run_in_executor(self._thread, self._perform, payload, call, now)
        spent = Spent(seconds=round(time.perf_counter() - started, 6))
        return Answer({**value, "at": now}, spent)

    @property
    def memory(self) -> Memory:
        """Raises `RecallError` if it cannot be opened."""
        if self._memory is None:
            self._memory = self._open()
        return self._memory

    async def close(self) -> None:
        """Give back the memory."""
        self._thread.shutdown()
        if self._memory is not None:
            self._memory.close()

    def _perform(self, payload: Json, call: Call, now: float) -> dict[str, Json]:
        operations: dict[str, Callable[[Mapping[str, Json], Call, float], dict[str, Json]]] = {
            "write": self._write,
            "search": self._search,
            "get": self._get,
            "delete": self._delete,
            "stats": self._stats,
        }
        args = dict(payload)
        name = args.pop("op", "")
        if name not in operations:
            raise _refused(f"a memory cannot {name!r}", nearest(str(name), operations))
        return operations[name](args, call, now)

    def _write(self, args: Mapping[str, Json], call: Call, now: float) -> dict[str, Json]:
        draft = _read({"node": call.node, "run": call.run, **args}, Draft)
        return _told(self.memory.write(draft, now=now, once=call.key))

    def _search(self, args: Mapping[str, Json], call: Call, now: float) -> dict[str, Json]:
        found: Matches = self.memory.search(_read(args, Query), now=now)
        return {**_told(found), "backend": self.memory.backend}

    def _get(self, args: Mapping[str, Json], call: Call, now: float) -> dict[str, Json]:
        at = _read(args, _Address)
        entry = self.memory.get(at.namespace, at.key, user=at.user, now=now)
        return {"entry": msgspec.to_builtins(entry)}

    def _delete(self, args: Mapping[str, Json], call: Call, now: float) -> dict[str, Json]:
        at = _read(args, _Address)
        gone = self.memory.delete(at.namespace, at.key, user=at.user, now=now, once=call.key)
        return {"deleted": gone}

    def _stats(self, args: Mapping[str, Json], call: Call, now: float) -> dict[str, Json]:
        return _told(self.memory.stats(now=now, namespace=_read(args, _Scope).namespace))


def _read(args: Mapping[str, Json], kind: type[T]) -> T:
    try:
        return msgspec.convert(dict(args), kind)
    except msgspec.ValidationError as error:
        raise _refused(f"a memory was asked what it cannot do: {error}") from None


def _refused(what: str, fix: str = "see `ctx.memory` in docs/memory.md") -> RecallError:
    return RecallError(what, fix=fix, code="memory.arguments", retryable=False)


def _told(answer: msgspec.Struct) -> dict[str, Json]:
    built: dict[str, Json] = msgspec.to_builtins(answer)
    return built
