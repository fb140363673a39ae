"""`memory` effects of users' agents: what they give, and how they fail."""

from __future__ import annotations

import pytest

import orka
from orka.errors import EffectFailed
from orka.kit.memory.sqlite import SqliteMemory
from orka.testing.clock import START, clock, run_virtual
from orka.value import Json


@orka.agent("asks")
async def asks(ctx: orka.Context) -> Json:
    """Performs the operations it is given, one after another; gives their answers or codes."""
    answers = []
    for operation in ctx.input:
        args = dict(operation)
        try:
            answers.append(await ctx.memory(args.pop("op"), **args))
        except EffectFailed as error:
            answers.append(error.code)
    return answers


def answers(*operations: dict[str, Json], retries: int = 0) -> list[Json]:
    agent = {"id": "a", "type": "asks", "retries": retries}
    flow = {"orchestrator": {"id": "t"}, "agents": [agent]}

    async def go() -> orka.Run:
        async with orka.Runtime(
            store=":memory:", memory=SqliteMemory(":memory:"), use=[asks], clock=clock
        ) as runtime:
            run = await runtime.run(flow, list(operations))
            runtime.replay(run.id)
            return run

    run = run_virtual(go())
    assert run.status == "completed", run.failure
    found: list[Json] = run.output
    return found


def test_each_operation_gives_its_answer_and_the_time_of_it() -> None:
    tea = {"namespace": "n", "key": "k"}
    wrote, got, found, stats, deleted, gone = answers(
        {"op": "write", "content": "green tea", "metadata": {"a": [1]}, "ttl": 60, **tea},
        {"op": "get", **tea},
        {"op": "search", "namespace": "n", "text": "tea", "filters": {"a": [1]}},
        {"op": "stats"},
        {"op": "delete", **tea},
        {"op": "get", **tea},
    )
    assert (wrote["status"], wrote["version"], wrote["expires_at"]) == ("stored", 1, START + 60)
    assert got["entry"]["metadata"] == {"a": [1]}
    assert (got["entry"]["node"], got["at"]) == ("a", START)
    assert [match["score"] for match in found["found"]] == [1.0]
    assert (stats["total"], stats["by_namespace"]) == (1, {"n": 1})
    assert deleted["deleted"] is True
    assert gone["entry"] is None


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "forget everything"},
        {"op": "write", "namespace": "n"},
        {"op": "write", "namespace": "n", "content": "c", "colour": "red"},
        {"op": "write", "namespace": "n", "content": ""},
        {"op": "search", "namespace": "n", "limit": "many"},
        {"op": "get", "namespace": "n"},
    ],
)
def test_what_makes_no_sense_is_refused_at_once(operation: dict[str, Json]) -> None:
    assert answers(operation, retries=3) == ["memory.arguments"]
