"""The live view, drawn to a terminal that is a string."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from rich.console import Console

from orka.api import Runtime
from orka.cli.conduct import screen_for
from orka.cli.live import LiveView
from orka.cli.options import Settings
from orka.cli.report import finish
from orka.cli.screen import Lines
from orka.cli.session import Begun, Session
from orka.value import Json
from orka.view.run import Run

AGENTS: list[Mapping[str, Json]] = [
    {"id": "f", "type": "fork", "targets": ["history", "surgery", "skipped"]},
    {"id": "history", "type": "llm", "model": "scripted", "prompt": "h"},
    {"id": "surgery", "type": "llm", "model": "scripted", "prompt": "s", "on_error": "sorry"},
    {"id": "skipped", "type": "llm", "model": "scripted", "prompt": "x", "when": "false"},
    {"id": "sorry", "type": "approval", "prompt": "go on without surgery?"},
]
SCRIPT = {
    "history": [
        {
            "stream": ["a Border", " Collie"],
            "usage": {"prompt_tokens": 1200, "completion_tokens": 2},
        }
    ],
    "surgery": [{"raise": {"status": 400, "message": "no knife"}}],
}


class Terminal(io.StringIO):
    """A console of its own for a live view."""

    def __init__(self, width: int, height: int = 24) -> None:
        super().__init__()
        self.console = Console(
            file=self, force_terminal=True, width=width, height=height, color_system=None
        )


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    monkeypatch.setenv("ORKA_SCRIPT", str(script))
    yield None


def drawn(view: LiveView, agents: Sequence[Mapping[str, Json]] = AGENTS) -> Run:
    async def verb(runtime: Runtime, begun: Begun) -> Run:
        flow = {"orchestrator": {"id": "vet"}, "agents": list(agents)}
        return await runtime.run(flow, "x", begun=begun)

    return Session(Settings(":memory:"), view).drive(verb)


@pytest.mark.usefixtures("drive")
@pytest.mark.parametrize("width", [80, 120])
def test_each_node_has_a_row_that_fits_the_terminal(width: int) -> None:
    terminal = Terminal(width)
    drawn(LiveView(terminal.console))
    last = terminal.getvalue().rpartition("vet  waiting")[2]
    rows = {line.split()[1]: line for line in last.splitlines() if len(line.split()) > 1}
    assert "a Border Collie" in rows["history"] and "1,200+2" in rows["history"]
    assert "no knife" in rows["surgery"]
    assert "skipped (when)" in rows["skipped"]
    assert "go on without surgery?" in rows["sorry"]
    assert all(len(line) <= width for line in last.splitlines())


@pytest.mark.usefixtures("drive")
def test_a_large_graph_is_cut_to_the_height_of_the_terminal() -> None:
    terminal = Terminal(80, height=12)
    agents = [{"id": f"n{at}", "type": "join"} for at in range(40)]
    drawn(LiveView(terminal.console), agents)
    last = terminal.getvalue().rpartition("vet  completed")[2]
    assert "n39" in last and "n5 " not in last
    assert "more nodes: orka show" in last
    assert len(last.splitlines()) <= 12


@pytest.mark.usefixtures("drive")
def test_on_an_old_code_page_marks_are_plain_letters() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="cp1252", errors="replace", write_through=True)
    drawn(LiveView(Console(file=file, force_terminal=True, width=80, color_system=None)))
    assert "+  history" in raw.getvalue().decode("cp1252")


@pytest.mark.usefixtures("drive")
def test_after_the_view_comes_the_answer_and_then_the_run(
    capfd: pytest.CaptureFixture[str],
) -> None:
    run = drawn(LiveView(Terminal(80).console), [{"id": "j", "type": "join"}, AGENTS[1]])
    capfd.readouterr()
    assert finish(run, form="text", output=None, live=True) == 0
    shown = capfd.readouterr()
    assert shown.out == "\na Border Collie\n"
    assert shown.err.strip().startswith(f"run {run.id}")


def test_without_a_terminal_there_are_lines() -> None:
    assert isinstance(screen_for(form="text", verbose=False), Lines)
    assert isinstance(screen_for(form="json", verbose=False), Lines)
