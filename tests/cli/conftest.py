"""The command line in this process: a folder with a plugin, a script, and a way to call `orka`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from orka.cli.main import call
from orka.value import Json

PLUGIN = """
import orka

@orka.tool
def shout(text: str) -> str:
    print("noise of a tool")
    return text.upper()

@orka.tool
def ship() -> str:
    return "shipped"

@orka.tool
def refuse() -> str:
    raise ValueError("the warehouse is closed")

@orka.tool
async def forever() -> str:
    import asyncio
    await asyncio.Event().wait()
    return "never"
"""


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Json:
        return json.loads(self.out)


Orka = Callable[..., Ended]
Write = Callable[[str, str], Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with `tools.py` in it; no store and no script from outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORKA_STORE", raising=False)
    monkeypatch.setenv("ORKA_SCRIPT", "script.json")
    (tmp_path / "tools.py").write_text(PLUGIN)
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Write a workflow `NAME.yml`: its agents, one after another."""

    def written(name: str, agents: str) -> Path:
        file = folder / f"{name}.yml"
        lines = "\n".join(f"  - {line.strip()}" for line in agents.strip().splitlines())
        file.write_text(f"orchestrator: {{id: {name}}}\nagents:\n{lines}\n")
        return file

    return written


@pytest.fixture
def orka(folder: Path, capfd: pytest.CaptureFixture[str]) -> Orka:
    """Call `orka` with words; `script` holds the replies of the scripted model."""

    def called(*words: str, script: Json = None) -> Ended:
        if script is not None:
            (folder / "script.json").write_text(json.dumps(script))
        capfd.readouterr()
        code = call(words)
        sys.stdout.flush()
        return Ended(code, *capfd.readouterr())

    return called


@pytest.fixture
def last(orka: Orka) -> Callable[[], str]:
    """The id of the newest run."""
    return lambda: str(orka("runs", "--limit", "1", "--format", "json").json[0]["run"])
