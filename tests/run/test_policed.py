"""Random graphs under random policies: no call but what they let pass, whatever happens."""

from __future__ import annotations

import pytest

from orka.event.codec import decode
from orka.event.event import EffectRequested, Gated
from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import START, run_virtual
from orka.testing.policed import policed_graph
from orka.testing.replay import Recorded, SeededHandler, check_replay, record, resume
from orka.testing.soundness import complaints
from orka.testing.trace import blobs_of

SEEDS = (60, 600)
# A longer trace is cut at this many of its events, unless `--whole` is given.
CUTS = 12
pytestmark = pytest.mark.slow

Run = tuple[Recorded, MemoryStore]


def _recorded(seed: int) -> Run:
    store = MemoryStore()
    return run_virtual(record(seed, store, policed_graph(seed))), store


def test_runs_under_policies_are_sound_and_replay_byte_for_byte(block: range) -> None:
    for seed in block:
        run, store = _recorded(seed)
        lines = store.read(run.run)
        assert not complaints(run.graph, lines, store.blob), f"seed {seed}"
        assert not check_replay(run.graph, lines, store.blob, run.run), f"seed {seed}"
        events = [decode(line, store.blob) for line in lines]
        ruled = {event.effect for event in events if isinstance(event, Gated)}
        ran = {e.id for e in events if isinstance(e, EffectRequested) and e.kind == "tool"}
        shared = {e.id for e in events if isinstance(e, EffectRequested) and e.answer}
        assert ran - shared <= ruled, f"seed {seed}"


def test_the_random_policies_give_each_verdict() -> None:
    verdicts = set()
    for seed in range(40):
        run, store = _recorded(seed)
        events = [decode(line, store.blob) for line in store.read(run.run)]
        verdicts |= {event.verdict for event in events if isinstance(event, Gated)}
    assert verdicts == {"auto", "ask", "deny"}


def test_a_run_under_policies_cut_at_any_event_goes_on(block: range, whole: bool) -> None:
    for seed in block[: len(block) // 3]:
        recorded, store = _recorded(seed)
        size = len(store.read(recorded.run))
        step = 1 if whole else 1 + size // CUTS
        for cut in range(1 + seed % step, size + 1, step):
            _cut(recorded, store, cut)


def _cut(recorded: Recorded, before: MemoryStore, cut: int) -> None:
    """Keep the first `cut` events; whoever takes the run up asks people what they have not said."""
    graph, run, where = recorded.graph, recorded.run, f"seed {recorded.seed}, cut at {cut}"
    kept, store, handler = before.read(run)[:cut], MemoryStore(), SeededHandler(1_000_000 + cut)

    async def resumed() -> None:
        await store.append(run, 0, kept, blobs_of(kept, before.blob))
        await resume(graph, run, store, handler)

    run_virtual(resumed(), start=START + 50)
    after = store.read(run)
    assert after[:cut] == kept, f"{where}: history was rewritten"
    assert not complaints(graph, after, store.blob), where
    assert not check_replay(graph, after, store.blob, run), where
