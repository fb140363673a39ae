"""The judge of traces is itself judged: it must see what is broken on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

from orka.event.codec import Chain, decode
from orka.event.event import (
    EffectAnswered,
    EffectRequested,
    Event,
    NodeFailed,
    NodeFinished,
    NodeSkipped,
    NodeStarted,
    RunFinished,
    ScopeClosed,
    ScopeOpened,
)
from orka.graph.graph import Graph
from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import run_virtual
from orka.testing.replay import record
from orka.testing.soundness import complaints
from orka.testing.trace import read

SEEDS = range(30)
# Each event of a run is a trace to judge: long runs would take long.
LONGEST = 45
# A run that is kept, in which tries are given answers of earlier ones.
WITH_TRIES = Path(__file__).parents[1] / "golden" / "seed-2.jsonl"


def recorded(seed: int) -> tuple[Graph, list[Event]]:
    store = MemoryStore()
    run = run_virtual(record(seed, store))
    return run.graph, [decode(line, store.blob) for line in store.read(run.run)]


def judged(graph: Graph, events: Sequence[Event]) -> list[str]:
    """The trace of `events`, its chain in order."""
    blobs: dict[str, bytes] = {}
    chain = Chain()
    lines = [chain.add(event, blobs) for event in events]
    return complaints(graph, lines, blobs.__getitem__)


RUNS = [run for run in map(recorded, SEEDS) if len(run[1]) <= LONGEST]


@pytest.mark.parametrize(
    "kind",
    [NodeStarted, NodeFinished, NodeFailed, EffectRequested, EffectAnswered, ScopeOpened,
     ScopeClosed, RunFinished],
)  # fmt: skip
def test_an_event_that_is_missing_is_seen(kind: type[Event]) -> None:
    seen = total = 0
    for graph, events in RUNS:
        for at, event in enumerate(events):
            if type(event) is kind:
                total += 1
                seen += bool(judged(graph, [*events[:at], *events[at + 1 :]]))
    # An answer that its node does nothing with, stopped or left behind, leaves no mark.
    assert total
    assert seen >= 0.8 * total


@pytest.mark.parametrize(
    "kind",
    [NodeStarted, NodeSkipped, NodeFinished, NodeFailed, EffectRequested, EffectAnswered,
     ScopeOpened, ScopeClosed, RunFinished],
)  # fmt: skip
def test_an_event_that_happens_twice_is_seen(kind: type[Event]) -> None:
    for graph, events in RUNS:
        for at, event in enumerate(events):
            if type(event) is kind:
                assert judged(graph, [*events[:at], event, *events[at:]]), event


def test_a_changed_value_route_or_status_is_seen() -> None:
    for graph, events in RUNS:
        for at, event in enumerate(events):
            for wrong in _wrong(event):
                assert judged(graph, [*events[:at], wrong, *events[at + 1 :]]), wrong


def _wrong(event: Event) -> list[Event]:
    match event:
        case RunFinished(status="completed"):
            return [
                structs.replace(event, value="another"),
                structs.replace(event, status="failed"),
            ]
        case RunFinished():
            return [structs.replace(event, status="completed", failure=None)]
        case NodeFinished(taken=tuple() as taken) if taken:
            return [structs.replace(event, taken=())]
        case NodeFinished() | NodeStarted():
            return [structs.replace(event, node="nobody"), structs.replace(event, scope="no#0")]
        case NodeSkipped(reason="dead_path"):
            return [structs.replace(event, reason="when")]
        case EffectRequested():
            return [
                structs.replace(event, attempt=event.attempt + 1),
                structs.replace(event, retried=event.retried + 7),
                structs.replace(event, wait=77.5),
                structs.replace(event, timeout=77.5),
                structs.replace(event, answer="" if event.answer else "nobody#0"),
                structs.replace(event, id=f"{event.id.rpartition('#')[0]}#999.x"),
            ]
        case EffectAnswered():
            return [
                structs.replace(event, attempt=event.attempt + 1),
                structs.replace(event, at=0.0),
            ]
        case ScopeClosed(failure=None):
            return [structs.replace(event, value="another")]
    return []


def test_an_answer_of_an_earlier_try_that_is_not_due_is_seen() -> None:
    trace = read(WITH_TRIES)
    graph, events = trace.graph(), [decode(line, trace.blob) for line in trace.lines]
    given = [at for at, event in enumerate(events) if getattr(event, "id", "") and _given(event)]
    assert len(given) > 2
    for at in given:
        event = events[at]
        assert isinstance(event, EffectRequested)
        others = {events[other].answer for other in given} - {event.answer}  # type: ignore[union-attr]  # requests
        for wrong in ("", event.id, *sorted(others)):
            changed = structs.replace(event, answer=wrong)
            assert judged(graph, [*events[:at], changed, *events[at + 1 :]]), wrong


def _given(event: Event) -> bool:
    return isinstance(event, EffectRequested) and bool(event.answer)


def test_a_cut_trace_is_sound_as_far_as_it_goes() -> None:
    for graph, events in RUNS:
        for at in range(1, len(events), 3):
            blobs: dict[str, bytes] = {}
            chain = Chain()
            lines = [chain.add(event, blobs) for event in events[:at]]
            assert not complaints(graph, lines, blobs.__getitem__, cut=True)


def test_a_broken_chain_is_seen() -> None:
    graph, events = RUNS[0]
    lines = [Chain().add(event, {}) for event in events[:3]]
    assert "cannot be read" in complaints(graph, lines, lambda name: b"")[0]
