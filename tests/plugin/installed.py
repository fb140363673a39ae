"""Packages that are installed for the length of a test: a folder with what pip would put there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import invalidate_caches
from pathlib import Path

import pytest


def install(
    site: Path, package: str, files: Mapping[str, str], entries: str, version: str = "1.0"
) -> None:
    """Write the files of a distribution and what it says of itself to `site`."""
    for name, text in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    told = site / f"{package.replace('-', '_')}-{version}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    (told / "entry_points.txt").write_text(entries)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose packages are installed; its modules are forgotten at the end."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = {*sys.modules}
    yield folder
    for name in {*sys.modules} - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    invalidate_caches()
