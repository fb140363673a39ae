"""One file may bring a thing of each kind, and each can be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from installed import install

import orka
from orka.cli.main import call
from orka.cli.plugins import plugins
from orka.cli.schema import schema
from orka.errors import PluginError
from orka.plugin.registry import Registry
from orka.port.view import view

FILE = '''
import click, orka
from orka.plugin.registry import Registry
from orka.port.factory import command, memory, model, store
from orka.port.guard import Screened, guard
from orka.port.model import ModelReply
from orka.port.view import view
from orka.score.criterion import criterion
from orka.score.strategy import commit, strategy

@orka.agent("an")
async def an(ctx):
    return "an"

@orka.tool
def to() -> str:
    return "to"

@guard("gu")
class Gu:
    reach = 0
    def __init__(self, options): ...
    def screen(self, text, /):
        return Screened(text=text)

@model("mo")
class Mo:
    async def complete(self, request, call, emit):
        return ModelReply(text=f"{request.name} says hello", finish_reason="stop")

@store("st")
def st(place):
    return Registry().stores["sqlite"](place)

@memory("me")
def me(place):
    return Registry().memories["sqlite"](place)

@criterion("cr")
def cr(candidate, state):
    return 1.0

@strategy("sr")
def sr(situation):
    return commit(situation)

@view("vi")
def vi(run):
    """How many events."""
    return {"events": len(run.events)}

@view("bad")
def bad(run):
    return run.nodes[99]

@command("co")
@click.command()
@click.argument("who")
def co(who):
    """Greet."""
    click.echo(f"hello {1 / len(who):.0f} {who}")
'''


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "all.py"
    path.write_text(FILE)
    return str(path)


def test_a_file_brings_each_kind(file: str) -> None:
    registry = Registry()
    registry.load_file(file)
    brought = {
        kind: sorted(name for name in offers if offers.origin.get(name) == file)
        for kind, offers in registry.kinds.items()
    }
    assert brought == {
        "agent": ["an"],
        "tool": ["to"],
        "model": ["mo"],
        "store": ["st"],
        "memory": ["me"],
        "command": ["co"],
        "criterion": ["cr"],
        "strategy": ["sr"],
        "guard": ["gu"],
        "view": ["bad", "vi"],
    }


def test_a_model_a_store_and_a_memory_are_used_by_name(file: str, tmp_path: Path) -> None:
    flow = "orchestrator: {id: w, model: mo/big}\nagents: [{id: a, type: llm, prompt: p}]\n"
    place = f"st:{tmp_path / 'here'}"
    run = orka.run_sync(flow, plugins=[file], store=place, memory=f"me:{tmp_path / 'there'}")
    assert run.output == "big says hello"
    assert orka.open_run(run.id, plugins=[file], store=place).output == run.output
    registry = Registry()
    registry.load_file(file)
    kept = registry.memory(f"me:{tmp_path / 'other'}", ":memory:")
    assert kept.stats(now=0.0).total == 0
    kept.close()


def test_a_view_is_shown(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "runs")
    flow = "orchestrator: {id: w}\nagents: [{id: a, type: an}]\n"
    run = orka.run_sync(flow, plugins=[file], store=store)
    args = ["show", run.id, "--store", store, "--plugin", file, "--view"]
    assert call([*args, "vi"]) == 0
    assert json.loads(capsys.readouterr().out) == {"events": len(run.events)}
    assert call([*args, "vii"]) == 2
    assert "did you mean 'vi'" in capsys.readouterr().err
    assert call([*args, "bad"]) == 2
    told = capsys.readouterr().err
    assert "plugin.view" in told and "'bad'" in told and "IndexError" in told


def test_a_command_of_a_file_is_run(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["--plugin", file, "co", "Bob"]) == 0
    assert capsys.readouterr().out == "hello 0 Bob\n"
    assert call(["--plugin", file, "co", ""]) == 1
    assert "[plugin.raised] command 'co' raised ZeroDivisionError" in capsys.readouterr().err
    assert call(["--plugin", file, "--help"]) == 0
    assert "Commands of plugins:\n  co  from" in capsys.readouterr().out
    assert call(["co", "Bob"]) == 2
    assert call(["--plugin", file, "plugins"]) == 0
    assert "co" in capsys.readouterr().out


def test_a_command_of_a_package_is_run(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "import click\n@click.command()\ndef hey():\n    click.echo('hey')\nodd = 5\n"
    points = "[orka.commands]\nhey = hey:hey\nodd = hey:odd\n"
    install(site, "orka-hey", {"hey.py": code}, points)
    assert call(["hey"]) == 0 and capsys.readouterr().out == "hey\n"
    assert call(["odd"]) == 2 and "'odd' of orka-hey" in capsys.readouterr().err


def test_a_view_is_a_plain_function_of_a_run() -> None:
    async def later(run: orka.Run) -> str:
        return ""

    for wrong in (later, lambda: ""):
        with pytest.raises(PluginError, match="view 'v'"):
            view("v")(wrong)  # type: ignore[arg-type]  # wrong on purpose


# ---- the list


def test_the_list_says_whence_and_what_is_wrong(site: Path, file: str, tmp_path: Path) -> None:
    good = (
        "import orka\nfrom orka.plugin.manifest import Manifest\n"
        "@orka.tool\ndef fine() -> int: ...\n"
        "manifest = Manifest(name='good', tools=('fine',))\n"
    )
    install(
        site, "orka-good", {"good.py": good}, "[orka.modules]\ngood = good:manifest\n"
        "[orka.tools]\nfine = good:fine\n", "2.5",
    )  # fmt: skip
    install(site, "bad", {"bad.py": "1 / 0"}, "[orka.tools]\nbroken = bad:t\nhttp = bad:t\n")
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0")
    args = ["--plugin", file, "--plugin", str(broken), "--format", "json"]
    done = CliRunner().invoke(plugins, args)
    assert done.exit_code == 0
    rows = {(row["kind"], row["name"], row["from"]): row for row in json.loads(done.output)}
    fine = rows["tool", "fine", "orka-good"]
    assert (fine["version"], fine["module"], fine["manifest"]) == ("2.5", "good", "yes")
    assert fine["problem"] == ""
    assert rows["module", "good", "orka-good"]["version"] == "2.5"
    assert "ZeroDivisionError" in rows["tool", "broken", "bad"]["problem"]
    assert "plugin.name_clash" in rows["tool", "http", "bad"]["problem"]
    assert rows["tool", "http", "orka"]["problem"] == ""
    assert rows["agent", "an", file]["manifest"] == "no manifest"
    assert "plugin.raised" in rows["file", "broken.py", str(broken)]["problem"]
    install(site, "worse", {"worse.py": "1 / 0"}, "[orka.agents]\nbroken = worse:a\n")
    written = CliRunner().invoke(schema, [])
    assert written.exit_code == 0 and '"broken"' not in written.stdout
    assert "broken" in written.stderr and "ZeroDivisionError" in written.stderr
    told = CliRunner().invoke(plugins, ["--plugin", file]).output
    assert "orka-good 2.5" in told and "no manifest" in told
