"""Environments of their own, for what is only needed here: made when they are first used."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from injection_corpora import cache

ROOT = Path(__file__).resolve().parents[2]
TRAINING = ("scikit-learn==1.9.1", "pyarrow==26.0.1", "numpy==2.4.6", "regex")
_INSIDE = "GUARD_BENCH_INSIDE"


def python_of(name: str, *needs: str) -> Path:
    """The interpreter of an environment in which `needs` are installed."""
    folder = cache() / "venvs" / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.is_file() or ready.read_text() != " ".join(needs):
        print(f"installing {' '.join(needs)} into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *needs], check=True)
        ready.write_text(" ".join(needs))
    return python


def inside(name: str, *needs: str) -> bool:
    """True in the environment; elsewhere the script is run again there, with OrKa as it is here."""
    if os.environ.get(_INSIDE) == name:
        return True
    with (ROOT / "pyproject.toml").open("rb") as file:
        own = tomllib.load(file)["project"]["dependencies"]
    python = python_of(name, *needs, *own)
    environment = {**os.environ, _INSIDE: name, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([python, *sys.argv], env=environment, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
    return False
