"""Random runs whose process is really killed after each of its appends, and taken up by another."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from orka.event.codec import decode
from orka.event.event import EffectAnswered
from orka.kit.stores.memory import MemoryStore
from orka.kit.stores.sqlite import SqliteStore
from orka.port.store import Store
from orka.testing.clock import START, run_virtual
from orka.testing.graphs import random_graph
from orka.testing.replay import SeededHandler, check_replay, record, resume
from orka.testing.soundness import complaints

SEEDS = (4, 200)
pytestmark = pytest.mark.slow


class Dying:
    """A store whose process dies as soon as append number `at` is down; 0: it lives and counts."""

    def __init__(self, store: Store, at: int = 0) -> None:
        self._store, self._at, self.appends = store, at, 0

    async def append(
        self, run: str, expected: int, lines: Sequence[bytes], blobs: Mapping[str, bytes]
    ) -> None:
        await self._store.append(run, expected, lines, blobs)
        self.appends += 1
        if self.appends == self._at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def keep(self, blobs: Mapping[str, bytes]) -> None:
        await self._store.keep(blobs)

    def read(self, run: str, start: int = 0) -> list[bytes]:
        return self._store.read(run, start)

    def salvage(self, run: str) -> list[bytes]:
        return self._store.salvage(run)

    def blob(self, digest: str) -> bytes:
        return self._store.blob(digest)

    def runs(self, limit: int, before: str = "") -> list[tuple[str, bytes, bytes]]:
        return self._store.runs(limit, before)

    def claim(self, run: str) -> AbstractContextManager[None]:
        return self._store.claim(run)

    async def close(self) -> None:
        await self._store.close()


def test_a_random_run_killed_after_any_append_goes_on(block: range, tmp_path: Path) -> None:
    for seed in block:
        whole = MemoryStore()
        counting = Dying(whole)
        random.seed(seed)  # the world's own dice, the same in the process that is killed
        recorded = run_virtual(record(seed, counting))
        for at in range(1, counting.appends + 1):
            place = tmp_path / f"{seed}-{at}"
            _killed(seed, place, at)
            _taken_up(seed, place, whole.read(recorded.run))


def _killed(seed: int, place: Path, at: int) -> None:
    """Run the graph of `seed` in a process of its own that is killed after append `at`."""
    child = os.fork()
    if not child:
        random.seed(seed)
        run_virtual(record(seed, Dying(SqliteStore(str(place)), at)))
        os._exit(1)  # it should have been killed
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, f"seed {seed}, append {at}"


def _taken_up(seed: int, place: Path, lines: Sequence[bytes]) -> None:
    run, where = f"seed-{seed}", f"seed {seed}, {place.name}"
    store, handler = SqliteStore(str(place)), SeededHandler(1_000_000 + seed)
    before = store.read(run)
    assert before == list(lines[: len(before)]), f"{where}: what was stored is not what was decided"
    graph = random_graph(seed)
    run_virtual(resume(graph, run, store, handler), start=START + 50)
    after = store.read(run)
    assert after[: len(before)] == before, f"{where}: history was rewritten"
    assert not complaints(graph, after, store.blob), where
    assert not check_replay(graph, after, store.blob, run), where
    done = Counter(handler.calls)
    assert max(done.values(), default=1) == 1, f"{where}: an attempt was made twice"
    known = [decode(line, store.blob) for line in before]
    answered = {(e.id, e.attempt) for e in known if isinstance(e, EffectAnswered)}
    assert not answered & set(done), f"{where}: an answer that was recorded is asked again"
    asyncio.run(store.close())
