"""Recorded traces replay byte for byte in other processes: another hash seed, clock and time zone,
and no network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import run_virtual
from orka.testing.graphs import workflow
from orka.testing.replay import record
from orka.testing.trace import save

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow

# What a replay must not look at is taken away before orka is imported.
REPLAYER = """
import locale, random, socket, sys, time, uuid

def forbidden(*args, **kwargs):
    raise AssertionError("a replay has no business here")

class NoSocket:
    __init__ = forbidden

SHIFT = 4e9
shifted = {name: getattr(time, name) for name in ("time", "monotonic")}
for name, tell in shifted.items():
    setattr(time, name, lambda tell=tell: tell() + SHIFT)
socket.socket = socket.create_connection = NoSocket
random.random = random.choice = random.shuffle = forbidden
uuid.uuid4 = uuid.uuid1 = forbidden

from pathlib import Path
from orka.testing.replay import check_replay
from orka.testing.trace import read

replayed = 0
for path in sorted(Path(sys.argv[1]).glob("*.jsonl")):
    trace = read(path)
    wrong = check_replay(trace.graph(), trace.lines, trace.blob, path.stem)
    if wrong:
        sys.exit(f"{path.stem}: {wrong[0]}")
    replayed += 1
print(replayed)
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory, whole: bool) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    for seed in range(1000 if whole else 200):
        store = MemoryStore()
        run = run_virtual(record(seed, store)).run
        save(folder / f"{run}.jsonl", run, workflow(seed), store.read(run), store.blob)
    return folder


@pytest.mark.parametrize(
    ("hash_seed", "zone", "language"),
    [("0", "UTC", "C"), ("1", "Asia/Kathmandu", "C.UTF-8"), ("4242", "America/St_Johns", "tr_TR")],
)
def test_traces_replay_byte_for_byte_in_a_new_process(
    traces: Path, whole: bool, hash_seed: str, zone: str, language: str
) -> None:
    surroundings = {"PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": language}
    done = subprocess.run(
        [sys.executable, "-c", REPLAYER, str(traces)],
        env={**os.environ, **surroundings, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1000" if whole else "200"]
