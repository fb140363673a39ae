"""The code on the pages runs, and links lead somewhere. Workflows: see test_runs.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flows import PAGES, Block, blocks, programs

from orka.spec.load import load
from orka.testing.script import Refusal, script_from

HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")


@pytest.mark.parametrize("code", [pytest.param(block, id=block.place) for block in programs()])
def test_python_blocks_run(code: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flow.yml").write_text(
        "orchestrator: {id: flow, agents: [a]}\nagents: [{id: a, type: wait, seconds: 0}]\n"
    )
    program = compile(code.text, code.place, "exec", dont_inherit=True)
    exec(program, {"__name__": "docs"})


@pytest.mark.parametrize(
    "code",
    [pytest.param(block, id=block.place) for block in blocks("yaml") if block.info == "fragment"],
)
def test_fragments_are_parts_of_workflows(code: Block) -> None:
    assert load(f"orchestrator: {{id: x}}\n{code.text}").agents


@pytest.mark.parametrize(
    "code",
    [pytest.param(block, id=block.place) for block in blocks("yaml") if block.info == "script"],
)
def test_scripts_are_scripts(code: Block, tmp_path: Path) -> None:
    path = tmp_path / "script.yml"
    path.write_text(code.text, encoding="utf-8")
    script = script_from(path)
    assert script.left == {"draft": 2, "judge": 4}
    assert script.take("draft").error == Refusal(status=503)
    assert script.take("draft").words == "Rain falls."


def slugs(page: Path) -> set[str]:
    """What the headings of a page are called in links."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, heading in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        there = page.parent / target if target else page
        assert there.exists(), f"{page.name} links to {target}"
        if heading:
            assert heading in slugs(there), f"{page.name} links to {target}#{heading}"
