"""With the package, without it, and again: the core does not know its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from orka_support_triage.manifest import manifest
from triage import ROOT

GOLDEN = ROOT / "tests" / "golden"
_REPLAYED = """
import sys
from pathlib import Path
from orka.testing.replay import check_replay
from orka.testing.trace import read
for path in sorted(Path(sys.argv[1]).glob("*.jsonl")):
    trace = read(path)
    print(path.stem, check_replay(trace.graph(), trace.lines, trace.blob, path.stem))
"""
OWN = "orka-support-triage"
# Where the package was installed, apart from the core.
PLACE = Path(str(metadata.distribution("orka-support-triage").locate_file(""))).resolve()


def python(*arguments: str, plugged: bool) -> str:
    """What a process of its own prints, with the package or without it."""
    paths = [each for each in sys.path if each and (plugged or Path(each).resolve() != PLACE)]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def kinds(*, plugged: bool) -> set[str]:
    """The types of agents that are on offer, but for those of other packages."""
    rows = json.loads(python("-m", "orka", "plugins", "--format", "json", plugged=plugged))
    own = [row for row in rows if row["from"].partition(" ")[0] in ("orka", OWN)]
    assert not [row for row in own if row["problem"]]
    return {row["name"] for row in own if row["kind"] == "agent"}


def replayed(*, plugged: bool) -> str:
    """What the golden traces of the core come to: a line for each, with what is wrong with it."""
    return python("-c", _REPLAYED, str(GOLDEN), plugged=plugged)


@pytest.mark.skipif(
    Path(str(metadata.distribution("orka").locate_file(""))).resolve() == PLACE,
    reason="the package is installed beside the core, and cannot be taken out",
)
def test_its_types_come_and_go_and_the_traces_of_the_core_stay() -> None:
    before, traces = kinds(plugged=False), replayed(plugged=False)
    assert before.isdisjoint(manifest.agents)
    assert kinds(plugged=True) - before == set(manifest.agents) and len(manifest.agents) == 7
    assert replayed(plugged=True) == traces
    assert kinds(plugged=False) == before and replayed(plugged=False) == traces
    if GOLDEN.is_dir():
        assert len(traces.splitlines()) >= 12
        assert all(line.endswith((" []", " None", " ()")) for line in traces.splitlines())


def test_the_core_does_not_name_the_package() -> None:
    folder = ROOT / "orka"
    if not folder.is_dir():
        pytest.skip("the source of the core is not beside the package")
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "orka_support_triage" not in text and "orka-support-triage" not in text, path
