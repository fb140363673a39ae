"""A run that dies at any event is taken up again: nothing recorded is lost or done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from orka.event.codec import decode
from orka.event.event import FACTS, EffectAnswered
from orka.graph.graph import Graph
from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import START, run_virtual
from orka.testing.replay import Recorded, SeededHandler, check_replay, record, resume
from orka.testing.soundness import complaints
from orka.testing.trace import blobs_of

SEEDS = (40, 200)
# A longer trace is cut at this many of its events, unless `--whole` is given.
CUTS = 40
pytestmark = pytest.mark.slow


def test_a_run_cut_at_any_event_goes_on(block: range, whole: bool) -> None:
    for seed in block:
        store = MemoryStore()
        recorded = run_virtual(record(seed, store))
        size = len(store.read(recorded.run))
        step = 1 if whole else 1 + size // CUTS
        for cut in range(1 + seed % step, size + 1, step):
            _cut(recorded, store, cut)


def _cut(recorded: Recorded, before: MemoryStore, cut: int) -> None:
    """Keep the first `cut` events, resume with handlers that answer otherwise, and look."""
    graph, run, where = recorded.graph, recorded.run, f"seed {recorded.seed}, cut at {cut}"
    lines, store, handler = before.read(run), MemoryStore(), SeededHandler(1_000_000 + cut)
    run_virtual(_resumed(graph, run, lines[:cut], before, store, handler), start=START + 50)
    after = store.read(run)
    assert after[:cut] == lines[:cut], f"{where}: history was rewritten"
    assert not complaints(graph, after, store.blob), where
    assert not check_replay(graph, after, store.blob, run), where
    rest = _decisions(lines, cut, before)
    assert after[cut : cut + len(rest)] == rest, f"{where}: other decisions for the same facts"
    known = Counter(_answers(lines[:cut], before))
    assert not known & Counter(handler.calls), (
        f"{where}: an answer that was recorded is asked again"
    )
    assert max(Counter(handler.calls).values(), default=1) == 1, f"{where}: an attempt made twice"


async def _resumed(
    graph: Graph,
    run: str,
    kept: Sequence[bytes],
    before: MemoryStore,
    store: MemoryStore,
    handler: SeededHandler,
) -> None:
    await store.append(run, 0, kept, blobs_of(kept, before.blob))
    await resume(graph, run, store, handler)


def _decisions(lines: Sequence[bytes], cut: int, store: MemoryStore) -> list[bytes]:
    """The lines from `cut` up to the next fact: they follow from what was kept."""
    rest = []
    for line in lines[cut:]:
        if isinstance(decode(line, store.blob), FACTS):
            break
        rest.append(line)
    return rest


def _answers(lines: Sequence[bytes], store: MemoryStore) -> list[tuple[str, int]]:
    events = [decode(line, store.blob) for line in lines]
    return [(event.id, event.attempt) for event in events if isinstance(event, EffectAnswered)]
