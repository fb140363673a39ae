"""The desk of a test is a folder of its own. The package has to be installed: see README.md."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from orka_support_triage.place import USUAL, VARIABLE


def pytest_configure() -> None:
    if not metadata.entry_points(group="orka.modules", name="support_triage"):
        raise pytest.UsageError(
            "the package is not installed: pip install --no-deps --no-build-isolation "
            "--target DIR plugins/orka-support-triage, and set PYTHONPATH=DIR"
        )


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the desk keeps its files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv("ORKA_STORE", raising=False)
    return tmp_path / USUAL
