"""Random graphs against an independent judge, and replayed after every run."""

from __future__ import annotations

from functools import cache

import pytest

from orka.event.codec import decode
from orka.event.event import (
    EffectAnswered,
    EffectRequested,
    Event,
    NodeFailed,
    NodeFinished,
    RunStarted,
    ScopeClosed,
)
from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import run_virtual
from orka.testing.graphs import random_graph, random_input, workflow
from orka.testing.replay import Recorded, check_replay, record
from orka.testing.soundness import complaints
from orka.value import Json, canonical

SEEDS = (200, 1000)
pytestmark = pytest.mark.slow

Run = tuple[Recorded, MemoryStore]


@cache
def recorded(seed: int) -> Run:
    store = MemoryStore()
    return run_virtual(record(seed, store)), store


def events(run: Run) -> list[Event]:
    return [decode(line, run[1].blob) for line in run[1].read(run[0].run)]


def test_runs_are_sound_and_replay_byte_for_byte(block: range) -> None:
    for seed in block:
        run, store = recorded(seed)
        lines = store.read(run.run)
        assert not complaints(run.graph, lines, store.blob), f"seed {seed}"
        assert not check_replay(run.graph, lines, store.blob, run.run), f"seed {seed}"
        assert run.state.status != "running", f"seed {seed}"


def test_what_agents_and_handlers_write_into_is_nobody_elses(block: range) -> None:
    for seed in block:
        for event in events(recorded(seed)):
            match event:
                case RunStarted(input=value):
                    assert value == random_input(seed), f"seed {seed}"
                case EffectAnswered(value=value):
                    assert b"spoilt" not in canonical(value), f"seed {seed}, {event.id}"
                case EffectRequested(payload=value):
                    assert b"by its handler" not in canonical(value), f"seed {seed}, {event.id}"


def test_a_reopened_agent_asks_what_it_asked_before(block: range) -> None:
    for seed in block:
        for event in events(recorded(seed)):
            if isinstance(event, NodeFailed):
                assert event.failure.code != "agent.nondeterministic", f"seed {seed}, {event.node}"


def test_joins_give_what_branches_came_to_in_the_order_written(block: range) -> None:
    for seed in block:
        run = recorded(seed)
        nodes = run[0].graph.nodes
        values: dict[str, Json] = {}
        answers: dict[str, Json] = {}
        for event in events(run):
            if isinstance(event, EffectAnswered):
                answers[event.id] = event.value
            elif isinstance(event, ScopeClosed):
                answers[event.scope] = event.value
            if not isinstance(event, NodeFinished) or event.scope:
                continue
            node = nodes[run[0].graph.index[event.node]]
            if node.type == "meet":
                met = event.value["met"]
                assert [id for id, _ in met] == list(node.config.ends)
                assert all(values.get(id, value) == value for id, value in met), f"seed {seed}"
            values[event.node] = answers[event.answer] if event.answer else event.value


def test_a_seed_always_makes_the_same_graph() -> None:
    for seed in range(50):
        assert canonical(workflow(seed)) == canonical(workflow(seed))
        assert random_graph(seed).digest == random_graph(seed).digest
