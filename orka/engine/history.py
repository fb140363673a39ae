"""Performs `history` effects: reads the last runs of the same workflow, each of them once."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Generic, TypeVar

import msgspec

from orka.engine.prices import Prices
from orka.errors import HandlerError, OrkaError
from orka.event.codec import link, verify
from orka.port.handler import Answer, Spent
from orka.port.model import Call
from orka.port.store import Store
from orka.value import Json

# Runs of which the reading is kept.
_KEPT = 1_000
# Runs of any workflow, the newest ones, among which those that are asked about are looked for.
_LOOKED_AT = 2_000
_PAGE = 100
# The last line of a run that ended, or of one of which it cannot be read.
_ENDS = ("run_finished", "")

T = TypeVar("T")


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload of a `history` effect."""

    agents: list[str]
    paths: list[list[str]] = []
    tenant: str = ""
    domain: str = ""
    runs: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 50


class _Event(msgspec.Struct, frozen=True):
    type: str
    workflow: str = ""


class _Line(msgspec.Struct, frozen=True):
    """What of a line says whose run it is, or that it ended."""

    event: _Event


_decode = msgspec.json.Decoder(_Line).decode
_Listed = tuple[str, bytes, bytes]


class HistoryHandler(Generic[T]):
    """What the last runs say that ended. `read` makes of a run, its id and its lines, what it says;
    `tell` the answer, from what runs say (the newest first), what was asked, and the currency of
    `prices`. A run that cannot be read is named in the answer, and fails nothing."""

    def __init__(
        self,
        store: Store,
        read: Callable[[str, Sequence[bytes]], T],
        tell: Callable[[Sequence[T], Mapping[str, Json], str], dict[str, Json]],
        prices: Prices,
    ) -> None:
        self._store, self._read, self._tell, self._prices = store, read, tell, prices
        self._known: OrderedDict[str, tuple[str, T]] = OrderedDict()
        self._workflows: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, payload: Json, call: Call) -> Answer:
        started, asked = time.perf_counter(), _asked(payload)
        found: list[T] = []
        unreadable: list[str] = []
        for run, first, last in await self._ended(self._workflow(call.run), call.run, asked.runs):
            told = self._told(run, first, last)
            if told is None:
                unreadable.append(run)
            else:
                found.append(told)
            await asyncio.sleep(0)  # other runs go on between two that are read
        value = {
            "runs": len(found),
            **self._tell(found, msgspec.to_builtins(asked), self._prices.currency),
            "currency": self._prices.currency,
            "prices": msgspec.to_builtins(dict(self._prices.models)),
            "unreadable": unreadable,
        }
        return Answer(value, Spent(seconds=round(time.perf_counter() - started, 6)))

    def _workflow(self, run: str) -> str:
        """Of which workflow the asking run is, "" if that is not to be found."""
        if run not in self._workflows:
            lines = self._store.salvage(run)
            _keep(self._workflows, run, _event(lines[0]).workflow if lines else "")
        return self._workflows[run]

    async def _ended(self, workflow: str, asking: str, most: int) -> list[_Listed]:
        """The newest `most` that ended, and among them those of which nothing can be read."""
        found, before, left = list[_Listed](), "", most
        for _ in range(_LOOKED_AT // _PAGE):
            page = self._store.runs(_PAGE, before)
            for run, first, last in page:
                begun = _event(first)
                if begun.type != "run_started":
                    found.append((run, b"", b""))
                elif run != asking and begun.workflow == workflow and _event(last).type in _ENDS:
                    found.append((run, first, last))
                    left -= 1
                if not left:
                    return found
            if len(page) < _PAGE:
                return found
            before = page[-1][0]
            await asyncio.sleep(0)
        return found

    def _told(self, run: str, first: bytes, last: bytes) -> T | None:
        """What a run says, None if it cannot be read. One that was taken up since it was read ends
        in another line."""
        if not first:
            return None
        end = link(first + last)
        known = self._known.get(run)
        if known is not None and known[0] == end:
            self._known.move_to_end(run)
            return known[1]
        try:
            lines = self._store.read(run)
            verify(lines, run)
            told = self._read(run, lines)
        except (OrkaError, msgspec.DecodeError, LookupError, TypeError, ValueError):
            return None
        _keep(self._known, run, (end, told))
        return told


K = TypeVar("K")


def _keep(kept: OrderedDict[str, K], run: str, value: K) -> None:
    kept[run] = value
    if len(kept) > _KEPT:
        kept.popitem(last=False)


def _event(line: bytes) -> _Event:
    """The event of a line as far as it can be read; its type is "" if it cannot."""
    try:
        return _decode(line).event
    except msgspec.DecodeError:
        return _Event("")


def _asked(payload: Json) -> Asked:
    try:
        return msgspec.convert(payload, Asked)
    except msgspec.ValidationError as error:
        raise HandlerError(
            f"a history was asked for what there is not: {error}",
            fix="see `ctx.history` in docs/traces.md",
            code="history.arguments",
            retryable=False,
        ) from None
