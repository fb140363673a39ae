"""The house rules of the core hold here too."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
FILES = sorted([*(HOME / "orka_support_triage").rglob("*.py"), *(HOME / "tests").rglob("*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_and_functions_are_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 40, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_error_is_swallowed_whole(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            names = (
                {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
                if node.type
                else {""}
            )
            assert not names & {"", "Exception", "BaseException"}, f"line {node.lineno}"
