"""The research example: what its page shows is what the recorded run says; and it runs for real."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import orka
from orka.cli.main import call
from orka.event.event import Decided, EffectRequested
from orka.kit.models.local import weights
from orka.testing.script import Reply, Script
from orka.testing.scripted import ScriptedModel
from orka.view.decisions import decisions
from research.desk import QUESTION, RECORDED, ROOT, desk
from research.record import RUN

SMALLEST = "smollm2-135m-instruct"
SHOWN = re.compile(r"^```text (\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = ROOT / "docs" / "decisions.md"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with the recorded run."""

    async def keep() -> None:
        lines = RECORDED.read_bytes().splitlines()
        blobs = {each.name: each.read_bytes() for each in (RECORDED.parent / "blobs").iterdir()}
        async with orka.Runtime(store=tmp_path) as runtime:
            await runtime.store.append(RUN, 0, lines, blobs)

    asyncio.run(keep())
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], kept: Path) -> dict[str, str]:
    """What the commands of the page print about the recorded run."""

    def said(command: str) -> list[str]:
        assert call([command, RUN, "--store", str(kept)]) == 0
        return [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    steps = said("show")
    found = {
        "why": said("why"),
        "flips": said("flips"),
        "tried": steps[: steps.index("answer")],
    }
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def test_the_page_shows_what_the_recorded_run_says(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = {name: text.strip() for name, text in SHOWN.findall(PAGE.read_text(encoding="utf-8"))}
    assert page == shown(capsys, kept)


def test_the_recorded_run_replays(kept: Path) -> None:
    _, tools = desk()
    orka.Runtime(store=kept, use=tools).replay(RUN)


def test_the_note_that_is_not_there_makes_the_next_path_run_without_a_second_search() -> None:
    run = asyncio.run(_scripted())
    assert run.status == "completed", run.failure
    assert run.output["executed_path"] == ["search", "answer"]
    assert run.output["given_up"][0]["agent"] == "read"
    calls = [e for e in run.events if isinstance(e, EffectRequested) and e.kind == "tool"]
    assert [call.payload["name"] for call in calls] == ["search_library", "read_note"]


async def _scripted() -> orka.Run:
    flow, tools = desk("scripted")
    yes = Reply(text="yes", probabilities={"yes": 0.6, "no": 0.4}, mass=1.0)
    script = Script({"scout": [yes] * 8, "answer": ["It twisted in the wind."]})
    models = {"scripted": ScriptedModel(script)}
    async with orka.Runtime(store=":memory:", use=tools, models=models) as runtime:
        run = await runtime.run(flow, QUESTION)
        runtime.replay(run.id)
        return run


def test_the_real_local_model_decides_the_same_twice() -> None:
    weights.pull(SMALLEST)
    first, second = asyncio.run(_real())
    assert first.status == second.status == "completed", first.failure
    ours, theirs = ([e for e in run.events if isinstance(e, Decided)] for run in (first, second))
    assert ours[0].value == theirs[0].value
    ledger = decisions(first)[0].ledger
    opinions = [candidate.factors["llm"] for candidate in ledger.candidates]
    assert len({getattr(each, "value", None) for each in opinions}) > 1
    assert first.output["executed_path"] == second.output["executed_path"]


async def _real() -> list[orka.Run]:
    flow, tools = desk(f"local/{SMALLEST}", longest=12)
    found = []
    async with orka.Runtime(store=":memory:", use=tools) as runtime:
        for _ in range(2):
            run = await runtime.run(flow, "How are bridges inspected?")
            runtime.replay(run.id)
            found.append(run)
    return found
