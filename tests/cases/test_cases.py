"""Each case, by its operation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cases.language import Case
from cases.ops_cli import cli
from cases.ops_gate import gate
from cases.ops_injection import detect_injection
from cases.ops_load import load_workflow
from cases.ops_many import run_many
from cases.ops_memory import memory
from cases.ops_read import parse_json, validate_output
from cases.ops_redact import redact, redact_object, redact_restore
from cases.ops_render import render
from cases.ops_replay import replay
from cases.ops_run import run
from cases.ops_scores import score_paths
from cases.ops_steps import run_steps

OPERATIONS: dict[str, Callable[[Case, Path], None]] = {
    "cli": cli,
    "gate": gate,
    "detect_injection": detect_injection,
    "load_workflow": load_workflow,
    "memory": memory,
    "parse_json": parse_json,
    "redact": redact,
    "redact_object": redact_object,
    "redact_restore": redact_restore,
    "render": render,
    "replay": replay,
    "run": run,
    "run_many": run_many,
    "run_steps": run_steps,
    "score_paths": score_paths,
    "validate_output": validate_output,
}


def test_what_is_expected_holds(case: Case, tmp_path: Path) -> None:
    OPERATIONS[case.op](case, tmp_path)
