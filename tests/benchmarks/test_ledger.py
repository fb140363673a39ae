"""The questions of `benchmarks/ledger.py` still have answers: nothing is timed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LEDGER = Path(__file__).resolve().parents[2] / "benchmarks" / "ledger.py"


def test_each_question_is_answered_for_a_few_decisions() -> None:
    command = [sys.executable, str(LEDGER), "--decisions", "5", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {row["key"]: row["size"] for row in rows} == {
        "ledger_read": 5,
        "ledger_rescored": 5,
        "ledger_reweighed": 5,
        "ledger_flips": 5,
        "ledger_unknown": 5,
    }
