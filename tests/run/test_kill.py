"""Processes that are really killed (SIGKILL), on a store that is really a file."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from orka.event.codec import decode
from orka.event.event import EffectAnswered
from orka.kit.stores.sqlite import SqliteStore
from orka.testing.replay import check_replay
from orka.testing.soundness import complaints
from run import dying

ROOT = Path(__file__).resolve().parents[2]
STEPS = {f"s{at}" for at in range(1, 11)} - {"s4"} | {"s4-left"}
pytestmark = pytest.mark.slow


def child(folder: Path, mode: str, at: int = 0) -> subprocess.CompletedProcess[str]:
    arguments = [str(folder / "db"), str(folder / "log"), mode, str(at)]
    return subprocess.run(
        [sys.executable, str(Path(dying.__file__)), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def lines(folder: Path) -> list[bytes]:
    store = SqliteStore(str(folder / "db"))
    try:
        return store.read(dying.RUN)
    finally:
        asyncio.run(store.close())


def executions(folder: Path) -> Counter[str]:
    return Counter((folder / "log").read_text(encoding="utf-8").split())


def judged(folder: Path) -> None:
    store = SqliteStore(str(folder / "db"))
    recorded = store.read(dying.RUN)
    assert not complaints(dying.ten_steps(), recorded, store.blob)
    assert not check_replay(dying.ten_steps(), recorded, store.blob, dying.RUN)
    asyncio.run(store.close())


def answered(recorded: list[bytes], folder: Path) -> set[str]:
    store = SqliteStore(str(folder / "db"))
    events = [decode(line, store.blob) for line in recorded]
    asyncio.run(store.close())
    return {event.id for event in events if isinstance(event, EffectAnswered)}


def test_a_run_killed_at_any_event_is_finished_by_another_process(
    tmp_path: Path, whole: bool
) -> None:
    events = range(45)
    some = events if whole else sorted(random.Random(9).sample(events, 6))
    for at in some:
        folder = tmp_path / str(at)
        folder.mkdir()
        died = child(folder, "event", at)
        assert died.returncode == -signal.SIGKILL, died.stderr
        before = lines(folder)
        assert len(before) > at
        resumed = child(folder, "resume")
        assert resumed.stdout.split() == ["completed"], resumed.stderr
        assert lines(folder)[: len(before)] == before, "history was rewritten"
        done = executions(folder)
        assert set(done) == STEPS
        recorded = {name.rpartition("/")[2].partition("#")[0] for name in answered(before, folder)}
        twice = {step.partition("-")[0] for step, times in done.items() if times > 1}
        assert not twice & recorded, f"killed at {at}: what was recorded was done again"
        assert len(twice) <= 1
        assert max(done.values()) <= 2
        judged(folder)


def test_a_kill_inside_step_six_of_ten_repeats_that_step_only(tmp_path: Path) -> None:
    died = child(tmp_path, "step", 6)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert executions(tmp_path) == Counter(["s1", "s2", "s3", "s4-left", "s5", "s6"])
    resumed = child(tmp_path, "resume")
    assert resumed.stdout.split() == ["completed"], resumed.stderr
    done = executions(tmp_path)
    assert done.pop("s6") == 2
    assert done == Counter(STEPS - {"s6"})
    judged(tmp_path)


def test_a_run_killed_while_it_is_resumed_is_resumed_again(tmp_path: Path) -> None:
    for at in (8, 19, 27, 36):
        mode = "event" if at == 8 else "resume-event"
        died = child(tmp_path, mode, at)
        assert died.returncode == -signal.SIGKILL, died.stderr
    resumed = child(tmp_path, "resume")
    assert resumed.stdout.split() == ["completed"], resumed.stderr
    assert set(executions(tmp_path)) == STEPS
    judged(tmp_path)
