"""Traces kept for ever: whatever changes in OrKa, they replay byte for byte under their rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from orka.event.codec import decode
from orka.event.event import EffectRequested, RunFinished, RunStarted
from orka.testing.replay import check_replay
from orka.testing.soundness import complaints
from orka.testing.trace import Trace, read

PATHS = sorted(Path(__file__).parent.glob("*.jsonl"))
EFFECTS = {"llm", "tool", "memory", "sleep", "random", "ask", "graph"}
DECISIONS = {
    "scope_opened", "node_started", "node_skipped", "effect_requested", "violation", "repaired",
    "noted", "decided",
    "node_finished", "node_failed", "node_stopped", "node_reopened", "scope_closed", "run_finished",
}  # fmt: skip
FACTS = {"run_started", "run_resumed", "effect_answered", "deadline_passed", "cancel_asked"}


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    return [read(path) for path in PATHS]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_golden_trace_replays_byte_for_byte(path: Path) -> None:
    trace = read(path)
    assert not check_replay(trace.graph(), trace.lines, trace.blob, path.stem)
    assert not complaints(trace.graph(), trace.lines, trace.blob)


def test_the_golden_traces_show_everything_that_can_happen(traces: list[Trace]) -> None:
    events = [decode(line, trace.blob) for trace in traces for line in trace.lines]
    assert {event.__struct_config__.tag for event in events} == DECISIONS | FACTS
    assert {event.kind for event in events if isinstance(event, EffectRequested)} == EFFECTS
    ends = {event.status for event in events if isinstance(event, RunFinished)}
    assert ends == {"completed", "failed", "cancelled"}
    assert any(event.attempt > 1 for event in events if isinstance(event, EffectRequested))
    assert any(trace.head.blobs for trace in traces)
    assert any(event.answer for event in events if isinstance(event, EffectRequested))


def test_there_are_as_many_as_there_were(traces: list[Trace]) -> None:
    assert len(traces) >= 12
    for trace in traces:
        first = decode(trace.lines[0], trace.blob)
        assert isinstance(first, RunStarted)
        assert first.graph == trace.graph().digest
