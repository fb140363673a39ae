"""`memory` nodes through whole runs: what one run writes, another finds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import orka
from orka.errors import ConfigError
from orka.event.event import Noted
from orka.testing.clock import clock, run_virtual
from orka.value import Json


def flow(**options: Json) -> dict[str, Json]:
    agent = {"id": "m", "type": "memory", "namespace": "facts", **options}
    return {"orchestrator": {"id": "t", "agents": ["m"]}, "agents": [agent]}


def write(**options: Json) -> dict[str, Json]:
    return flow(operation="write", **options)


Step = tuple[dict[str, Json], Json] | float


def runs(*steps: Step, store: str | Path = ":memory:") -> list[orka.Run]:
    """One run after another on one memory, each replayed; a number is seconds that pass."""

    async def go() -> list[orka.Run]:
        found = []
        async with orka.Runtime(store=store, clock=clock) as runtime:
            for step in steps:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    continue
                run = await runtime.run(*step)
                runtime.replay(run.id)
                found.append(run)
        return found

    return run_virtual(go())


def contents(run: orka.Run) -> list[str]:
    return [memory["content"] for memory in run.output["memories"]]


def test_what_is_written_is_found_by_its_words() -> None:
    wrote, read = runs(
        (write(metadata={"by": "{{ input | length }}"}), "tea is hot"), (flow(), "hot tea")
    )
    assert (wrote.output["status"], wrote.output["outcome"]) == ("success", "stored")
    assert wrote.output["content_length"] == 10
    assert wrote.output["stored_metadata"] == {"by": 10, "category": "stored"}
    assert wrote.output["expires_at"] is None
    (memory,) = read.output["memories"]
    assert memory["content"] == "tea is hot"
    assert memory["key"] == wrote.output["memory_key"]
    assert memory["score"] == memory["similarity_score"] == 0.95
    assert (memory["node_id"], memory["trace_id"]) == ("m", wrote.id)
    assert (read.output["query"], read.output["num_results"]) == ("hot tea", 1)
    assert (read.output["search_type"], read.output["backend"]) == ("keyword", "sqlite")


def test_nothing_found_is_an_empty_list() -> None:
    for query in ("coffee", "", "?!"):
        (run,) = runs((flow(), query))
        assert run.status == "completed"
        assert run.output["memories"] == []


def test_a_prompt_that_renders_to_nothing_is_an_error_not_an_empty_memory() -> None:
    failed, read = runs((write(prompt="{{ input.text }}  "), {"text": "\n"}), (flow(), "m"))
    assert failed.failure and failed.failure.code == "memory.empty"
    assert read.output["num_results"] == 0


def test_the_same_key_updates_and_the_same_words_are_kept_once() -> None:
    keyed = write(key_template="{{ input.k }}", prompt="{{ input.text }}")
    first, second, third, fourth, read = runs(
        (keyed, {"k": "a", "text": "tea one"}),
        (keyed, {"k": "a", "text": "tea two"}),
        (write(), "Tea three."),
        (write(), "tea  THREE. "),
        (flow(), "tea"),
    )
    said = [run.output["outcome"] for run in (first, second, third, fourth)]
    assert said == ["stored", "updated", "stored", "duplicate"]
    assert contents(read) == ["Tea three.", "tea two"]


def test_namespaces_and_users_are_exact() -> None:
    mine = {"namespace": "Knowledge Base", "user": "{{ input.user }}", "prompt": "{{ input.q }}"}
    given = {"user": "u1", "q": "lives in Lyon"}
    _, same, other, nobody, folded = runs(
        (write(**mine), given),
        (flow(**mine), given),
        (flow(**mine), {**given, "user": "u2"}),
        (flow(**{**mine, "user": ""}), given),
        (flow(**{**mine, "namespace": "knowledge_base"}), given),
    )
    assert contents(same) == ["lives in Lyon"]
    assert contents(other) == contents(nobody) == contents(folded) == []


def test_limit_threshold_category_type_and_filters_choose() -> None:
    notes = [
        ("red tea", "a", "long_term"),
        ("red cup", "b", "short_term"),
        ("tea", "a", "short_term"),
    ]
    written: list[Step] = [
        (write(config={"category": c, "memory_type": t}, metadata={"n": n}), text)
        for n, (text, c, t) in enumerate(notes)
    ]

    def found(**options: Json) -> list[str]:
        return contents(runs(*written, (flow(**options), "red tea"))[-1])

    assert found() == ["red tea", "tea", "red cup"]
    assert found(config={"limit": 1}) == ["red tea"]
    assert found(config={"similarity_threshold": 0.9}) == ["red tea"]
    assert found(config={"memory_category_filter": "b"}) == ["red cup"]
    assert found(config={"memory_type_filter": "short_term"}) == ["tea", "red cup"]
    assert found(filters={"n": 2}) == ["tea"]


@pytest.mark.parametrize(
    ("options", "hours"),
    [
        ({"config": {"ttl": 90}}, 0.025),
        ({"config": {"ttl": "2h"}, "memory_preset": "meta"}, 2),
        ({"decay": {}}, 24),
        ({"decay": {"short_term_hours": 3}, "config": {"category": "chat"}}, 3),
        ({"decay": {"default_long_term_hours": 5}}, 5),
        ({"memory_preset": "working"}, 8),
        ({"memory_preset": "working", "metadata": {"category": "chat"}}, 2),
        ({"memory_preset": "working", "decay": {"long_term_hours": 7}}, 7),
    ],
)
def test_an_entry_is_gone_at_its_instant_and_not_before(
    options: dict[str, Json], hours: float
) -> None:
    life = hours * 3600.0
    wrote, before, after = runs(
        (write(**options), "tea"), life - 1, (flow(), "tea"), 1.0, (flow(), "tea")
    )
    assert wrote.output["expires_at"] == pytest.approx(1_700_000_000 + life)
    assert contents(before) == ["tea"]
    assert before.output["memories"][0]["ttl_seconds"] == 1
    assert contents(after) == []


@pytest.mark.parametrize(
    "options",
    [{}, {"decay": {"enabled": False}}, {"memory_preset": "sensory", "decay": {"enabled": False}}],
)
def test_without_a_declared_life_an_entry_stays(options: dict[str, Json]) -> None:
    _, read = runs((write(**options), "tea"), 1e9, (flow(), "tea"))
    assert contents(read) == ["tea"]
    assert read.output["memories"][0]["ttl_formatted"] == "N/A"


def test_a_preset_brings_its_limit_threshold_and_category() -> None:
    texts = [f"tea number {word}" for word in ("one", "two", "three", "four")]
    written: list[Step] = [(write(), text) for text in texts]
    chat: Step = (write(config={"category": "chat"}), "tea chat")

    def found(preset: str, query: str) -> int:
        return len(contents(runs(*written, chat, (flow(memory_preset=preset), query))[-1]))

    assert found("sensory", "tea") == 3
    assert found("sensory", "tea cup") == 0
    assert found("working", "tea") == 5
    assert found("semantic", "tea") == 4


def test_age_counts_in_the_order_when_asked() -> None:
    ranking = {"enable_temporal_ranking": True, "temporal_weight": 1, "temporal_decay_hours": 1}
    _, _, plain, aged = runs(
        (write(), "red tea"),
        7200.0,
        (write(), "tea"),
        (flow(), "red tea"),
        (flow(config=ranking), "red tea"),
    )
    assert contents(plain) == ["red tea", "tea"]
    assert contents(aged) == ["tea", "red tea"]


def test_options_without_effect_are_told_in_the_trace() -> None:
    (run,) = runs((flow(config={"ef_runtime": 9, "vector_weight": 0.5}), "tea"))
    (note,) = run.nodes[0].remarks
    assert isinstance(note, Noted)
    assert note.kind == "memory.no_embedder"
    assert "ef_runtime" in note.message


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"config": {"limit": 0}}, "limit"),
        ({"config": {"similarity_threshold": 2}}, "similarity_threshold"),
        ({"config": {"tll": 5}}, "tll"),
        ({"config": {"ttl": "soon"}}, "ttl"),
        ({"memory_preset": "olfactory"}, "olfactory"),
        ({"decay": {"long_term_hours": -1}}, "hours"),
        ({"metadata": {"a": "b"}}, "metadata"),
        ({"key_template": "k"}, "key_template"),
        ({"decay": {"enabled": True}}, "decay"),
        ({"config": {"ttl": 5}}, "config.ttl"),
        ({"config": {"importance": 0.5}}, "config.importance"),
        ({"operation": "write", "config": {"limit": 5}}, "config.limit"),
        ({"operation": "write", "config": {"temporal_decay_hours": 24}}, "temporal_decay_hours"),
        ({"operation": "write", "filters": {"a": "b"}}, "filters"),
    ],
)
def test_options_that_make_no_sense_are_told_before_a_run(
    options: dict[str, Json], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        orka.Runtime(store=":memory:").check(flow(**options))


def test_a_memory_outlives_the_runtime_beside_the_runs(tmp_path: Path) -> None:
    runs((write(), "tea"), store=tmp_path)
    assert contents(runs((flow(), "tea"), store=tmp_path)[0]) == ["tea"]
    assert (tmp_path / "memory.db").exists()


def test_a_replay_and_a_fork_make_no_memory_access(tmp_path: Path) -> None:
    (run,) = runs((write(), "tea"), store=tmp_path)
    (tmp_path / "memory.db").unlink()

    async def again() -> orka.Run:
        async with orka.Runtime(store=tmp_path, clock=clock) as runtime:
            runtime.replay(run.id)
            return await runtime.fork(run.id)

    assert run_virtual(again()).output == run.output
    assert not (tmp_path / "memory.db").exists()
