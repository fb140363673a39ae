"""Commands about workflow files and about this machine."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs

from cli.conftest import Orka, Write

PLUG = ("--plugin", "tools.py")


def test_check_has_a_line_for_each_file(orka: Orka, write: Write) -> None:
    write("one", "{id: a, type: tool, tool: ship}")
    write("two", "{id: a, type: approval, prompt: p}")
    ended = orka("check", "one.yml", "two.yml", *PLUG)
    assert ended.code == 0 and ended.out.count(": ok") == 2


def test_check_lists_the_problems_of_all_files(orka: Orka, write: Write) -> None:
    write("one", "{id: a, type: aproval, prompt: p}")
    write("two", "{id: a, type: approval, promt: p}\n{id: a, type: approval, prompt: p}")
    write("fine", "{id: a, type: approval, prompt: p}")
    ended = orka("check", "one.yml", "two.yml", "fine.yml")
    assert ended.code == 2 and ended.out.startswith("fine.yml: ok")
    assert "did you mean 'approval'" in ended.err and "two.yml" in ended.err


def test_check_makes_no_store(orka: Orka, write: Write, folder: Path) -> None:
    write("one", "{id: a, type: approval, prompt: p}")
    orka("check", "one.yml")
    assert not (folder / ".orka").exists()


def test_the_schema_accepts_what_runs_and_refuses_what_does_not(orka: Orka, folder: Path) -> None:
    validator = jsonschema_rs.validator_for(orka("schema").json)
    agent = {"id": "a", "type": "approval", "prompt": "p"}
    assert validator.is_valid({"orchestrator": {"id": "x"}, "agents": [agent]})
    wrong = {**agent, "promt": "p"}
    assert not validator.is_valid({"orchestrator": {"id": "x"}, "agents": [wrong]})


def test_a_workflow_is_drawn_in_three_ways(orka: Orka, write: Write) -> None:
    write("one", "{id: a, type: approval, prompt: p}\n{id: b, type: approval, prompt: p}")
    assert "● a (approval)\n● b (approval)" in orka("graph", "one.yml").out
    assert orka("graph", "one.yml", "--format", "mermaid").out.startswith("flowchart TD")
    assert orka("graph", "one.yml", "--format", "dot").out.startswith("digraph")


def test_what_init_writes_runs(orka: Orka) -> None:
    assert orka("init", "new").code == 0
    ended = orka("run", "new/workflow.yml", "--json", "new/input.json", "--plugin", "new/tools.py")
    assert ended.code == 0 and "long text: 16 words" in ended.out


def test_init_refuses_to_write_over(orka: Orka, folder: Path) -> None:
    orka("init", "new")
    before = (folder / "new" / "workflow.yml").read_bytes()
    ended = orka("init", "new")
    assert ended.code == 2 and "workflow.yml" in ended.err
    assert (folder / "new" / "workflow.yml").read_bytes() == before


def test_doctor_finds_nothing_broken_in_a_new_folder(orka: Orka, folder: Path) -> None:
    ended = orka("doctor")
    assert ended.code == 0, ended.out
    assert "python" in ended.out and "msgspec" in ended.out
    assert not (folder / ".orka").exists()


def test_doctor_says_that_a_store_is_no_folder(orka: Orka, folder: Path) -> None:
    (folder / "file").write_text("")
    ended = orka("doctor", "--store", "file")
    assert ended.code == 1 and "to do" in ended.out


def test_plugins_names_each_offer_and_its_origin(orka: Orka, folder: Path) -> None:
    rows = {
        (row["kind"], row["name"]): row["from"]
        for row in orka("plugins", "--format", "json", *PLUG).json
    }
    assert rows["agent", "llm"] == "orka"
    assert rows["tool", "ship"] == str((folder / "tools.py").resolve())


def test_models_are_listed_from_the_plugin_that_runs_them(orka: Orka) -> None:
    names = [model["name"] for model in orka("models", "list", "--format", "json").json]
    assert names and all(name in orka("models", "list").out for name in names)
    ended = orka("models", "remove", "no-such-model")
    assert ended.code == 1 and "no-such-model" in ended.err


def test_json_output_is_json(orka: Orka) -> None:
    for words in (["doctor"], ["plugins"], ["runs"], ["models", "list"]):
        assert isinstance(json.loads(orka(*words, "--format", "json").out), list)
