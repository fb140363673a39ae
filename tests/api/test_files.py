"""Workflows that name other files: read beside them, checked, stored whole."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import orka
from orka.errors import ConfigError

OUTER = """
orchestrator: {id: outer, agents: [first, sub]}
agents:
  - {id: first, type: tool, tool: add, args: {a: 1}}
  - {id: sub, type: workflow, file: parts/inner.yml, input: "{{ previous_outputs.first }}"}
"""
INNER = """
orchestrator: {id: inner}
agents:
  - {id: more, type: tool, tool: add, args: {a: "{{ input }}", b: 10}}
"""


@orka.tool
def add(a: int | str, b: int = 0) -> int:
    """A sum."""
    return int(a) + b


def write(folder: Path, **files: str) -> str:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yml", ".yml")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return str(folder / "outer.yml")


def test_an_inner_file_runs_and_is_kept_with_the_run(tmp_path: Path) -> None:
    flow = write(tmp_path, outer_yml=OUTER, parts__inner_yml=INNER)
    runtime = orka.Runtime(store=tmp_path / "runs", use=[add])
    run = asyncio.run(runtime.run(flow))
    assert run.output == 11, run.failure
    (tmp_path / "parts" / "inner.yml").unlink()
    assert not orka.Runtime(store=tmp_path / "runs", use=[add]).replay(run.id).unwritten


def test_it_sees_its_input_only(tmp_path: Path) -> None:
    inner = INNER.replace("{{ input }}", "{{ previous_outputs.first }}")
    flow = write(tmp_path, outer_yml=OUTER, parts__inner_yml=inner)
    with pytest.raises(ConfigError, match="'first', which does not exist"):
        orka.Runtime(store=":memory:", use=[add]).check(flow)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "'parts/inner.yml' does not exist"),
        ({"parts__inner_yml": "agents: [}"}, "inner.yml, line 1"),
        ({"parts__inner_yml": OUTER.replace("parts/inner.yml", "../outer.yml")}, "leads back"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, files: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        orka.load(write(tmp_path, outer_yml=OUTER, **files))
    assert told in str(raised.value)


def test_what_is_wrong_in_an_inner_file_is_told_of_that_file(tmp_path: Path) -> None:
    inner = INNER.replace("tool: add", "tol: add")
    flow = write(tmp_path, outer_yml="\n\n" + OUTER, parts__inner_yml=inner)
    with pytest.raises(ConfigError) as raised:
        orka.Runtime(store=":memory:", use=[add]).check(flow)
    assert f"{tmp_path / 'parts' / 'inner.yml'}, line 4" in raised.value.where


def test_what_has_no_effect_in_an_inner_file_of_0_9_is_noted(tmp_path: Path) -> None:
    inner = INNER.replace("id: inner", "id: inner, queue: q, agents: [more]")
    flow = write(tmp_path, outer_yml=OUTER, parts__inner_yml=inner)
    (note,) = [note for note in orka.load(flow).notes if note.warning]
    assert "inner.yml, line 2" in note.where
    assert "queue" in note.does
