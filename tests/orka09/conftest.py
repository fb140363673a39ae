"""The example files of OrKa 0.9, where they are, and a runtime that asks a server on this machine.

Nothing of those files is in the project. They are looked for in the folder that the variable
ORKA09_EXAMPLES names, else beside the project; without them these tests are skipped.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import orka
from orka.value import Json
from orka09.server import Respond, Served, serving

ROOT = Path(__file__).resolve().parents[2]
NAME = "ORKA09_EXAMPLES"
BESIDE = ROOT.parent / "shared" / "reference" / "orka09" / "examples"


def folder() -> Path | None:
    found = Path(os.environ[NAME]) if os.environ.get(NAME) else BESIDE
    return found if found.is_dir() else None


def files() -> list[str]:
    """The names of all example files."""
    where = folder()
    if where is None:
        return []
    found = [path for path in where.rglob("*.y*ml") if path.suffix in (".yml", ".yaml")]
    return sorted(str(path.relative_to(where)) for path in found)


def inputs() -> list[Path]:
    """The inputs that stand beside the examples."""
    where = folder()
    return sorted((where.parent / "inputs").glob("*.json")) if where else []


@pytest.fixture
def example() -> Callable[[str], Path]:
    """The path of an example file; skips the test without it."""

    def path(name: str) -> Path:
        where = folder()
        if where is None or not (where / name).is_file():
            pytest.skip(f"no {name}: set {NAME} to the folder of the example files of OrKa 0.9")
        return where / name

    return path


Ran = tuple[orka.Run, Served]


@pytest.fixture
def run(example: Callable[[str], Path], environment: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run an example file against a server that answers with `respond`."""

    def ran(name: str, respond: Respond, input: Json = "What is a good number?") -> Ran:
        path = example(name)
        with serving(respond) as server:
            environment.setenv("ORKA_OPENAI_BASE_URL", f"{server.url}/v1")
            environment.setenv("ORKA_SEARCH_URL", f"{server.url}/search")
            return asyncio.run(_once(path, input)), server

    return ran


async def _once(path: Path, input: Json) -> orka.Run:
    async with orka.Runtime(store=":memory:") as runtime:
        run = await runtime.run(path, input)
        runtime.replay(run.id)
        return run


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "ORKA_OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BASE_OPENAI_MODEL", "the-default")
    return monkeypatch
