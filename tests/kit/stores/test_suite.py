"""The published suite passes on our stores and fails on stores that are broken on purpose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from orka.errors import Conflict, StoreError
from orka.kit.stores.memory import MemoryStore
from orka.kit.stores.sqlite import SqliteStore
from orka.kit.stores.sqlite.store import Durability
from orka.port.store import Store
from orka.testing import store_suite
from orka.testing.store_suite import CHECKS, DURABLE, Check

IN_MEMORY = [check for check in CHECKS if check not in DURABLE]


@pytest.mark.parametrize("durability", ["buffered", "process", "power"])
@pytest.mark.parametrize("check", CHECKS, ids=store_suite.name)
def test_sqlite_passes(check: Check, durability: Durability, tmp_path: Path) -> None:
    asyncio.run(check(lambda place: SqliteStore(str(place / "s"), durability), tmp_path))


@pytest.mark.parametrize("check", IN_MEMORY, ids=store_suite.name)
def test_memory_passes(check: Check, tmp_path: Path) -> None:
    asyncio.run(check(lambda _: MemoryStore(), tmp_path))


class Trusting(MemoryStore):
    """Appends without comparing."""

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        self._blobs.update(blobs)
        self._lines.setdefault(run, []).extend(lines)


class Halfway(MemoryStore):
    """Writes line by line, and notices a conflict only afterwards."""

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        length = len(self._lines.get(run, []))
        await super().append(run, length, lines[: len(lines) // 2 + 1], blobs)
        if length != expected:
            raise Conflict("too late")
        await super().append(run, length + len(lines) // 2 + 1, lines[len(lines) // 2 + 1 :], {})


class Generous(MemoryStore):
    """Lets everybody claim."""

    def claim(self, run: str) -> AbstractContextManager[None]:
        return nullcontext()


class Regretful(MemoryStore):
    """A cancelled caller takes its lines back."""

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        await asyncio.sleep(0)
        await super().append(run, expected, lines, blobs)


class Forgetful(MemoryStore):
    """Lists the oldest first."""

    def runs(self, limit: int, before: str = "") -> list[tuple[str, bytes, bytes]]:
        return super().runs(limit, before)[::-1]


@pytest.mark.parametrize(
    ("broken", "noticed_by"),
    [
        (Trusting, "refuses_an_append_to_a_run_that_is_longer"),
        (Trusting, "refuses_an_append_that_would_leave_a_gap"),
        (Trusting, "lets_one_of_several_writers_win"),
        (Halfway, "refuses_an_append_to_a_run_that_is_longer"),
        (Halfway, "lets_one_of_several_writers_win"),
        (Generous, "lets_one_claim_a_run"),
        (Generous, "holds_a_thousand_claims"),
        (Regretful, "a_cancelled_append_is_not_taken_back"),
        (Forgetful, "lists_runs_newest_first"),
        (MemoryStore, "finds_everything_after_it_was_closed"),
        (MemoryStore, "is_shared_by_two_that_open_it"),
    ],
)
def test_a_broken_store_fails(broken: Callable[[], Store], noticed_by: str, tmp_path: Path) -> None:
    check = next(check for check in CHECKS if store_suite.name(check) == noticed_by)
    with pytest.raises((AssertionError, StoreError)):
        asyncio.run(check(lambda _: broken(), tmp_path))
