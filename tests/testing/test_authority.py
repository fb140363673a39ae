"""The judge sees a call that nobody allowed, however the trace came to hold it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from msgspec import structs

from orka.event.codec import Chain, decode
from orka.event.event import (
    EffectAnswered,
    EffectRequested,
    Event,
    Gated,
    NodeReopened,
    NodeStopped,
    RunResumed,
)
from orka.graph.graph import Graph
from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import START, run_virtual
from orka.testing.policed import policed_graph
from orka.testing.replay import SeededHandler, record, resume
from orka.testing.soundness import complaints
from orka.value import Json

SEEDS = range(60)
GATE = ".gate"
RUN = "taken-up"
AGAIN = [RunResumed, NodeStopped, NodeReopened]


def judged(graph: Graph, events: Sequence[Event]) -> list[str]:
    lines, blobs = _lines(events)
    return complaints(graph, lines, blobs.__getitem__)


def _lines(events: Sequence[Event]) -> tuple[list[bytes], dict[str, bytes]]:
    blobs: dict[str, bytes] = {}
    chain = Chain()
    return [chain.add(event, blobs) for event in events], blobs


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


@cache
def crashed() -> list[tuple[Graph, int, list[Event]]]:
    """Runs that died with an approved call under way, and were taken up when the yes was over."""
    found = []
    for graph, events in runs():
        at = next(n for n, event in enumerate(events) if _calls(event, events))
        kept, store = _lines(events[: at + 1]), MemoryStore()
        run_virtual(_taken_up(graph, *kept, store), start=START + 1_000_000)
        lines = store.read(RUN)
        seen = [decode(line, store.blob) for line in lines]
        if [type(event) for event in seen[at + 1 : at + 4]] == AGAIN:
            found.append((graph, at + 1, seen))
    return found


def _calls(event: Event, events: Sequence[Event]) -> bool:
    return isinstance(event, EffectRequested) and approved(event, events)


async def _taken_up(
    graph: Graph, lines: list[bytes], blobs: dict[str, bytes], store: MemoryStore
) -> None:
    await store.append(RUN, 0, lines, blobs)
    await resume(graph, RUN, store, SeededHandler(7))


@pytest.mark.parametrize("missing", [NodeStopped, NodeReopened, RunResumed, Gated])
def test_a_call_is_judged_again_as_a_whole_or_it_is_seen(missing: type[Event]) -> None:
    assert len(crashed()) > 2
    for graph, resumed, events in crashed():
        assert not judged(graph, events)
        at = next(n for n in range(resumed, len(events)) if isinstance(events[n], missing))
        assert judged(graph, [*events[:at], *events[at + 1 :]])


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
