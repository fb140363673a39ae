"""The workflow on the real local model, ending in an approval that is given by command."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from orka_support_triage.desk import done
from triage import FLOW, MODEL, called, noted, old_folder, sample

import orka
from orka.cli.main import call
from orka.kit.models.local import weights

WAITING = 3
FOLDER = old_folder()
NAMES = ("refund_with_injection", "account_lockout_urgent", "injection_variants")
OWN = ("refund", "lockout", "injection")

pytestmark = pytest.mark.local


def inputs(tmp_path: Path) -> list[Path]:
    """The three envelopes of the old module where they are, else those of the package."""
    if FOLDER is not None:
        return [FOLDER / f"{name}.json" for name in NAMES]
    paths = [tmp_path / f"{name}.json" for name in OWN]
    for path, name in zip(paths, OWN, strict=True):
        path.write_text(json.dumps(sample(name)))
    return paths


def test_tickets_end_with_an_approval_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, whole: bool
) -> None:
    """One of the three, and with `--whole` all of them: each takes minutes."""
    weights.pull(MODEL.partition("/")[2])
    for path in inputs(tmp_path)[: None if whole else 1]:
        name = path.stem
        code = call(["run", str(FLOW), "--json", str(path), "--run-id", name])
        while code == WAITING:
            code = call(["approvals", "approve", name, "--by", "pia", "--reason", "looked at"])
        capsys.readouterr()
        assert code == 0, name
        assert call(["show", name]) == 0
        shown = capsys.readouterr().out
        run = orka.open_run(name)
        assert run.status == "completed", run.failure
        assert called(run)[:2] == ["kb_search", "account_lookup"]
        decision = noted(run, "triage.decision")[0].data
        assert decision["decision_id"] in shown and noted(run, "triage.redactions")
        asked = [a for node in run.nodes for a in node.attempts if a.kind == "llm"]
        assert all(a.spent["seconds"] > 0 and a.spent["prompt_tokens"] > 0 for a in asked)
        assert all(a.spent["model"] for a in asked) and run.totals.calls >= 6
        for node in ("redact", "articles", "account", "evidence", "record"):
            assert node in shown, node
        assert asyncio.run(_replayed(name))
    assert {each["action"] for each in done()} <= {
        "send_reply",
        "request_info",
        "escalate",
        "file_outcome",
    }


async def _replayed(name: str) -> bool:
    async with orka.Runtime() as runtime:
        runtime.replay(name)
        return True
