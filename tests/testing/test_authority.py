"""The judge sees a call that nobody allowed, however the trace came to hold it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from msgspec import structs

from orka.event.codec import Chain, decode
from orka.event.event import EffectAnswered, EffectRequested, Event, Gated
from orka.graph.graph import Graph
from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import run_virtual
from orka.testing.policed import policed_graph
from orka.testing.replay import record
from orka.testing.soundness import complaints
from orka.value import Json

SEEDS = range(60)
GATE = ".gate"


def judged(graph: Graph, events: Sequence[Event]) -> list[str]:
    blobs: dict[str, bytes] = {}
    chain = Chain()
    lines = [chain.add(event, blobs) for event in events]
    return complaints(graph, lines, blobs.__getitem__)


@cache
def runs() -> list[tuple[Graph, list[Event]]]:
    """Those in which a person said yes and the call ran."""
    found = []
    for seed in SEEDS:
        store = MemoryStore()
        run = run_virtual(record(seed, store, policed_graph(seed)))
        events = [decode(line, store.blob) for line in store.read(run.run)]
        if any(isinstance(event, EffectRequested) and approved(event, events) for event in events):
            found.append((run.graph, events))
    return found


def approved(event: EffectRequested, events: Sequence[Event]) -> bool:
    gates = [e for e in events if isinstance(e, EffectAnswered) and e.id == f"{event.id}{GATE}"]
    return event.kind == "tool" and bool(gates)


def without_verdicts(event: Event, events: Sequence[Event]) -> Event | None:
    return None if isinstance(event, Gated) else event


def denied(event: Event, events: Sequence[Event]) -> Event:
    return structs.replace(event, verdict="deny") if isinstance(event, Gated) else event


def other_arguments(event: Event, events: Sequence[Event]) -> Event:
    if not isinstance(event, EffectRequested) or not approved(event, events):
        return event
    return structs.replace(event, payload={**event.payload, "args": {"amount": 5000}})


def said(change: Json) -> Callable[[Event, Sequence[Event]], Event]:
    def changed(event: Event, events: Sequence[Event]) -> Event:
        if not isinstance(event, EffectAnswered) or not event.id.endswith(GATE):
            return event
        return structs.replace(event, value={**event.value, **change})

    return changed


@pytest.mark.parametrize(
    "broken",
    [
        without_verdicts,
        denied,
        other_arguments,
        said({"approved": False}),
        said({"approved": "yes"}),
        said({"seal": "a" * 40}),
    ],
    ids=["no verdict", "denied", "other arguments", "a no", "no yes", "another seal"],
)
def test_a_call_that_nobody_allowed_is_seen(
    broken: Callable[[Event, Sequence[Event]], Event | None],
) -> None:
    assert len(runs()) > 5
    for graph, events in runs():
        assert not judged(graph, events)
        changed = [new for event in events if (new := broken(event, events)) is not None]
        assert judged(graph, changed)
