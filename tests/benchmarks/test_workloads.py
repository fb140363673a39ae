"""The workloads of `benchmarks/` still run on OrKa and give what they must: nothing is timed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = Path(__file__).resolve().parents[2] / "benchmarks" / "measure.py"
KEYS = {
    "chain10", "chain100", "chain1000", "fanout10", "fanout100", "fanout1000", "loop1000",
    "router10000", "fork100x50ms", "aligned150ms", "skewed150ms", "runs1000x5x20ms", "growth250",
    "growth400", "growth1000", "integer100", "integer400", "durable200", "decisions200",
    "durable1000x5x20ms", "replay1000", "replay_steps200",
}  # fmt: skip


@pytest.mark.parametrize("variant", ["trace", "durable", "power", "sleep"])
def test_each_workload_runs_at_a_tiny_size_with_the_right_result(variant: str) -> None:
    command = [sys.executable, str(MEASURE), "orka", variant, "all", "--tiny", "--budget", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    # A wrong result or a wrong number of visited nodes is reported as the row's error.
    assert {row["key"]: row["error"] for row in rows if "error" in row} == {}
    assert {row["key"] for row in rows} == KEYS


def test_a_wrong_result_is_an_error_of_its_row(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(MEASURE.parent)!r})\n"
        "import dataclasses, json, measure, workloads\n"
        "from peers.orka import Peer\n"
        "work = next(w for w in workloads.catalogue(tiny=True) if w.key == 'chain10')\n"
        "for wrong in ({'expected': lambda i: 4}, {'visits': 2}):\n"
        "    row = measure.safely(Peer, 'trace', dataclasses.replace(work, **wrong), 0.0)\n"
        "    print(row['error'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines() == [
        "WrongResult: chain10: '3', not 4",
        "WrongResult: chain10: 3 nodes ran, not 2",
    ]
