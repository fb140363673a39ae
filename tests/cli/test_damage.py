"""A damaged or full store: located, nothing lost, exit code 5."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Orka, Write
from orka.api import Runtime
from orka.event.codec import Chain
from orka.event.event import NodeSkipped

PLUG = ("--plugin", "tools.py")


@pytest.fixture
def damaged(orka: Orka, write: Write, folder: Path, last: Callable[[], str]) -> str:
    """The id of a run of which the end of node `a` has a flipped bit."""
    write("two", "{id: a, type: tool, tool: ship}\n{id: b, type: tool, tool: ship}")
    orka("run", "two.yml", *PLUG)
    name = last()
    file = folder / ".orka" / "runs.db"
    data = bytearray(file.read_bytes())
    at = data.index(b'"node":"a","type":"node_finished"')
    data[at + 8] ^= 1
    file.write_bytes(data)
    return name


def test_show_gives_the_intact_part_of_a_damaged_run(orka: Orka, damaged: str) -> None:
    ended = orka("show", damaged)
    assert ended.code == 5
    assert "damaged" in ended.out and "a" in ended.out
    assert "store.salvage" in ended.err and "event 4" in ended.err and "--salvage" in ended.err


def test_trace_gives_the_intact_part_of_a_damaged_run(orka: Orka, damaged: str) -> None:
    ended = orka("trace", damaged)
    assert ended.code == 5 and len(ended.out.splitlines()) == 4


@pytest.mark.parametrize("command", ["replay", "resume", "fork"])
def test_nothing_is_done_with_a_damaged_run(orka: Orka, damaged: str, command: str) -> None:
    ended = orka(command, damaged)
    assert ended.code == 5 and "store.corrupt" in ended.err and "Traceback" not in ended.err


def test_a_salvaged_run_goes_on_from_the_last_intact_event(orka: Orka, damaged: str) -> None:
    ended = orka("resume", damaged, "--salvage")
    assert (ended.code, ended.out) == (0, "shipped\n")
    assert f"{damaged}-salvaged-1" in ended.err
    assert orka("replay", "last").code == 0
    reports = {row["run"]: row["status"] for row in orka("runs", "--format", "json").json}
    assert reports == {f"{damaged}-salvaged-1": "completed", damaged: "damaged"}


def test_doctor_finds_a_damaged_run_and_says_what_to_do(orka: Orka, damaged: str) -> None:
    ended = orka("doctor")
    assert ended.code == 1
    assert damaged in ended.out and "--salvage" in ended.out


def test_a_list_with_a_damaged_run_is_printed_and_the_exit_code_is_5(
    orka: Orka, damaged: str
) -> None:
    ended = orka("runs")
    assert ended.code == 5
    assert damaged in ended.out and "damaged" in ended.out and f"orka show {damaged}" in ended.err


def test_a_store_that_was_cut_never_passes_for_a_whole_one(
    orka: Orka, write: Write, folder: Path, last: Callable[[], str]
) -> None:
    write("two", "{id: a, type: tool, tool: ship}\n{id: b, type: tool, tool: ship}")
    names = []
    for _ in range(2):
        orka("run", "two.yml", *PLUG)
        names.append(last())
    file = folder / ".orka" / "runs.db"
    data = file.read_bytes()
    for size in (1, 99, *range(500, len(data), 2_711), len(data) - 1):
        file.write_bytes(data[:size])
        ended = orka("runs")
        assert ended.code == 5 and "store.corrupt" in ended.err, size
        assert "no runs" not in ended.err
        assert size < 8192 or all(name in ended.out for name in names), size
        assert orka("runs", "--format", "json").code == 5
        assert orka("show", "last").code == orka("show", "unknown").code == 5
        codes = {orka(command, name).code for name in names for command in ("show", "replay")}
        assert codes <= {0, 5} and (codes == {5} or size > 8192), size
        looked = orka("doctor")
        assert looked.code == 1 and "broken" in looked.out and "runs.db" in looked.out


def test_a_strange_run_is_listed_as_damaged_beside_the_others(orka: Orka, damaged: str) -> None:
    async def strange() -> None:
        runtime = Runtime(store=".orka")
        line = Chain().add(NodeSkipped("a"), {})
        await runtime.store.append("strange", 0, [line], {})
        await runtime.store.append("nonsense", 0, [b"nonsense"], {})
        await runtime.close()

    asyncio.run(strange())
    ended = orka("runs", "--format", "json")
    assert ended.code == 5
    reports = {row["run"]: row["status"] for row in ended.json}
    assert reports == dict.fromkeys(("strange", "nonsense", damaged), "damaged")
    looked = orka("doctor")
    assert looked.code == 1 and "run strange" in looked.out
