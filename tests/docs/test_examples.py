"""Every workflow in examples/ passes its checks."""

from __future__ import annotations

from pathlib import Path

import pytest

import orka

ROOT = Path(__file__).resolve().parents[2]
FLOWS = sorted((ROOT / "examples").rglob("*.yml"))


@pytest.mark.parametrize("path", FLOWS, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_pass_their_checks(path: Path) -> None:
    plugins = sorted(path.parent.glob("*.py"))
    assert orka.Runtime(store=":memory:", plugins=plugins).check(path).nodes
