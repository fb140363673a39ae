"""The tools: a record that only grows, and files that stay in their folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from orka.agent.tool import FunctionTool
from orka.errors import ToolError
from orka.value import Json

from orka_spec_driven.changelog import changelog
from orka_spec_driven.manifest import MANIFEST
from orka_spec_driven.workspace import workspace_write


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tools write below the working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "spec_driven"


def log(entry: Json, key: str, session: str = "tea") -> Json:
    return changelog.call({"session": session, "entry": entry, "at": "now"}, key)


def refused(tool: FunctionTool, key: str = "k", **args: Json) -> str:
    with pytest.raises(ToolError) as caught:
        tool.call(args, key)
    assert not caught.value.retryable
    return caught.value.code


def test_each_entry_is_a_line_that_names_the_one_before(home: Path) -> None:
    first, second = log({"n": 1}, "a"), log({"n": 2}, "b")
    assert (first["line"], second["line"], second["file"]) == (1, 2, "changelog/tea.jsonl")
    lines = (home / "changelog" / "tea.jsonl").read_text().splitlines()
    assert len(lines) == 2 and first["digest"] in lines[1]


def test_the_same_effect_is_written_once(home: Path) -> None:
    first = log({"n": 1}, "a")
    log({"n": 2}, "b")
    assert log({"n": 1}, "a") == first
    assert len((home / "changelog" / "tea.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("old", "new"), [('"n":1', '"n":7'), ("\n", "\nfoo\n"), ('"previous":""', '"previous":"x"')]
)
def test_a_record_that_was_changed_is_not_gone_on_with(home: Path, old: str, new: str) -> None:
    log({"n": 1}, "a")
    log({"n": 2}, "b")
    path = home / "changelog" / "tea.jsonl"
    text = path.read_text()
    path.write_text(text.replace(old, new, 1))
    assert refused(changelog, "c", session="tea", entry={}) == "changelog.altered"
    path.write_text(text[:-5])
    assert refused(changelog, "c", session="tea", entry={}) == "changelog.altered"


@pytest.mark.parametrize("session", ["", "../tea", "a/b", ".hidden", "x" * 101])
def test_a_session_is_a_plain_name(session: str) -> None:
    assert refused(changelog, session=session, entry={}) == "changelog.session"


@pytest.mark.parametrize("path", ["", "..", "../out.txt", "a/../../out.txt", "/etc/passwd", "a/.."])
def test_a_file_outside_the_folder_is_not_written(home: Path, path: str) -> None:
    assert refused(workspace_write, path=path, text="x") == "workspace.outside"
    assert not (home.parent / "out.txt").exists()


def test_a_link_does_not_lead_out(home: Path) -> None:
    (home / "work").mkdir(parents=True)
    (home / "work" / "away").symlink_to(home.parent)
    assert refused(workspace_write, path="away/out.txt", text="x") == "workspace.outside"


def test_a_folder_in_the_folder_is_fine(home: Path) -> None:
    found: Json = workspace_write.call({"path": "docs/tea.txt", "text": "leaf"}, "k")
    assert (found["path"], found["bytes"]) == ("docs/tea.txt", 4)
    assert (home / "work" / "docs" / "tea.txt").read_text() == "leaf"


def test_a_file_has_a_limit() -> None:
    assert refused(workspace_write, path="big.txt", text="x" * 100_001) == "tool.too_large"


def test_the_manifest_names_the_folder_and_nothing_else() -> None:
    assert MANIFEST.files == ("write:spec_driven/**",)
    assert (MANIFEST.hosts, MANIFEST.memory, MANIFEST.subprocess) == ((), (), False)
