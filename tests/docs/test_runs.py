"""Every workflow on the pages runs to the end that its page tells."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from examplesite import served
from flows import TABLE, Block, Case, agents, examples, files, table

import orka
from orka.kit.models.local import weights
from orka.plugin.manifest import Manifest
from orka.score.criterion import Proposal, State, criterion
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Script, ScriptedModel

SMALLEST = "smollm2-135m-instruct"
# Examples that run with a real model too.
REAL = ("sorted", "contact")
PROVIDERS = ("scripted", "local", "openai")
# Types of agents that reach a server, and what servers on the pages are called.
REACHING = ("websearch", "http")
PUBLIC = re.compile(r"https://(?:api|search)\.example\.com")
VARIABLES = {"WEATHER_TOKEN": "a secret", "OLLAMA_KEY": "a key"}
# The module that examples name.
SUMS = Manifest(name="sums", version="1", tools=("add",))
CASES = table()
EXAMPLES = examples()


@orka.tool
def add(a: int, b: int = 1) -> int:
    """The tool that examples call."""
    return a + b


@orka.tool
def refund(order: str = "", amount: float = 0) -> str:
    """The tool that examples ask people about."""
    return f"{amount:g} for {order}"


@criterion("short")
def short(candidate: Proposal, state: State) -> float:
    """The criterion that examples measure with."""
    return 1 / len(candidate.path)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str) -> Path:
    """Where examples run: the files they name are there, and the variables they read are set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORKA_SEARCH_URL", f"{server}/search")
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    for block in files():
        (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    return tmp_path


async def played(
    flow: Path, case: Case, settings: dict[str, Any], later: Callable[[], float] | None = None
) -> orka.Run:
    """Run it, and answer what it asks people."""
    if later:
        settings["clock"] = later
    use = [add, refund, short, SUMS]
    async with orka.Runtime(store=flow.parent / "runs", use=use, **settings) as runtime:
        run = await runtime.run(orka.load(flow), case.input)
        while run.questions:
            asked = run.questions[0]
            said = case.answers[asked.id.split("#")[0]]
            seal = {"seal": asked.payload["seal"]} if "seal" in asked.payload else {}
            run = await runtime.answer(run.id, asked.id, {**said, **seal} if seal else said)
        return run


def done(example: Block, case: Case, folder: Path, server: str) -> tuple[orka.Run, Script]:
    """The example with a model that says what the table has for it. Where no server is asked,
    its time is a virtual one."""
    script = Script(case.replies)
    settings = {"models": dict.fromkeys(PROVIDERS, ScriptedModel(script))}
    flow = folder / "flow.yml"
    flow.write_text(PUBLIC.sub(server, example.text), encoding="utf-8")
    if any(agent["type"] in REACHING for agent in agents(example.value)):
        return asyncio.run(played(flow, case, settings)), script
    return run_virtual(played(flow, case, settings, clock)), script


def told(example: Block, run: orka.Run) -> str:
    """Why an example did not end as it should."""
    said = str(run.failure)
    if "script" in said:
        said += f"\nGive its agents replies under `{example.id}:` in {TABLE.name}."
    return f"{example.place} ({example.id}): {said}"


@pytest.mark.parametrize(
    ("example", "case"),
    [
        pytest.param(example, case, id=f"{example.place}-{example.id}-{number}")
        for example in EXAMPLES
        for number, case in enumerate(CASES.get(example.id, [Case()]))
    ],
)
def test_an_example_runs_to_its_end(example: Block, case: Case, folder: Path, server: str) -> None:
    run, script = done(example, case, folder, server)
    if example.fails:
        assert run.failure and run.failure.code == example.fails, told(example, run)
    else:
        assert run.status == "completed", told(example, run)
    if case.output is not msgspec.UNSET:
        assert run.output == case.output
    assert not any(script.left.values()), f"replies that nobody asked for: {script.left}"


@pytest.mark.local
@pytest.mark.parametrize("id", REAL)
def test_an_example_runs_with_a_real_model(
    id: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORKA_LOCAL_THREADS", "1")  # other tests are at work too
    weights.pull(SMALLEST)
    (example,) = (each for each in EXAMPLES if each.id == id)
    flow = folder / "flow.yml"
    text, count = re.subn(r"scripted|local/[\w.-]+", f"local/{SMALLEST}", example.text)
    flow.write_text(text, encoding="utf-8")
    run = asyncio.run(played(flow, CASES[id][0], {}))
    assert count and run.status == "completed", told(example, run)


def test_ids_of_examples_are_unique() -> None:
    ids = [example.id for example in EXAMPLES]
    assert len(set(ids)) == len(ids), sorted(id for id in set(ids) if ids.count(id) > 1)


def test_the_table_tells_of_nothing_else() -> None:
    assert CASES.keys() <= {example.id for example in EXAMPLES}
