"""Each example in README and docs is executed; what exists is documented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import orka
from orka.spec.load import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> Iterator[tuple[str, str, str]]:
    for page in PAGES:
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            if match.group(1) == language:
                line = page.read_text(encoding="utf-8")[: match.start()].count("\n") + 1
                yield f"{page.name}:{line}", match.group(2).strip(), match.group(3)


def cases(language: str) -> list[object]:
    return [pytest.param(info, text, id=name) for name, info, text in blocks(language)]


@pytest.mark.parametrize(("info", "source"), cases("python"))
def test_python_blocks_run(
    info: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flow.yml").write_text(
        "orchestrator: {id: flow, agents: [a]}\nagents: [{id: a, type: wait, seconds: 0}]\n"
    )
    exec(compile(source, "block", "exec"), {"__name__": "docs"})


@pytest.mark.parametrize(("info", "source"), cases("yaml"))
def test_yaml_blocks_are_workflows_that_pass_their_checks(info: str, source: str) -> None:
    if info == "fragment":
        assert load(f"orchestrator: {{id: x}}\n{source}").agents
        return
    orka.Runtime(store=":memory:", use=[add]).check(source)


@orka.tool
def add(a: int, b: int = 1) -> int:
    """The tool that examples call."""
    return a + b


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
