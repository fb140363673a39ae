"""`orka run`: what goes where, and the exit code of each kind of end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Orka, Write

PLUG = ("--plugin", "tools.py")


def test_the_answer_alone_goes_to_standard_output(orka: Orka, write: Write) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input }}'}}")
    ended = orka("run", "loud.yml", "hello", *PLUG)
    assert (ended.code, ended.out) == (0, "HELLO\n")
    assert "a started" in ended.err and "a done" in ended.err
    assert "noise of a tool" in ended.err


def test_a_map_is_printed_as_json(orka: Orka, write: Write) -> None:
    write("two", "{id: a, type: tool, tool: ship}\n{id: j, type: join}")
    ended = orka("run", "two.yml", *PLUG)
    assert json.loads(ended.out) == {"a": "shipped"}


def test_json_is_exactly_one_document(orka: Orka, write: Write) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input }}'}}")
    document = orka("run", "loud.yml", "hello", "--format", "json", *PLUG).json
    assert document["status"] == "completed" and document["output"] == "HELLO"
    assert document["usage"] == {
        "calls": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cost": 0.0,
        "currency": "",
    }


def test_json_without_a_file_asks_for_json_output(orka: Orka, write: Write) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input }}'}}")
    assert orka("run", "loud.yml", "hello", *PLUG, "--json").json["output"] == "HELLO"


def test_an_unknown_price_is_null_in_the_document(orka: Orka, write: Write) -> None:
    write("m", "{id: a, type: llm, model: scripted, prompt: hi}")
    reply = {"reply": "yes", "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    usage = orka("run", "m.yml", "--format", "json", script={"a": [reply]}).json["usage"]
    assert usage["calls"] == 1 and usage["prompt_tokens"] == 7
    assert usage["cost"] is None


def test_a_price_table_gives_the_cost(orka: Orka, write: Write, folder: Path) -> None:
    write("m", "{id: a, type: llm, model: scripted, prompt: hi}")
    table = '[models."scripted/*"]\nprompt = 1000000.0\ncompletion = 2000000.0\n'
    (folder / "prices.toml").write_text(table)
    reply = {"reply": "yes", "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    ended = orka(
        "run", "m.yml", "--format", "json", "--prices", "prices.toml", script={"a": [reply]}
    )
    assert ended.json["usage"]["cost"] == 11.0


def test_a_failed_run_names_the_node_and_the_cause_and_ends_with_1(
    orka: Orka, write: Write
) -> None:
    write("bad", "{id: a, type: tool, tool: refuse}\n{id: b, type: tool, tool: ship}")
    ended = orka("run", "bad.yml", *PLUG)
    assert (ended.code, ended.out) == (1, "")
    assert "agent 'a'" in ended.err and "the warehouse is closed" in ended.err
    assert "orka resume" in ended.err and "Traceback" not in ended.err


def test_a_failed_run_is_one_json_document_too(orka: Orka, write: Write) -> None:
    write("bad", "{id: a, type: tool, tool: refuse}")
    ended = orka("run", "bad.yml", "--format", "json", *PLUG)
    assert ended.code == 1 and ended.json["status"] == "failed"
    assert "the warehouse is closed" in ended.json["failure"]["message"]


def test_a_run_that_waits_ends_with_3_and_says_how_to_answer(
    orka: Orka, write: Write, last: Callable[[], str]
) -> None:
    write("ask", "{id: ok, type: approval, prompt: 'ship it?'}\n{id: t, type: tool, tool: ship}")
    ended = orka("run", "ask.yml", *PLUG)
    assert ended.code == 3
    assert "waiting" in ended.out and "ship it?" in ended.out
    assert f"orka answer {last()} ok --approve" in ended.out


def test_a_waiting_run_names_its_questions_in_json(orka: Orka, write: Write) -> None:
    write("ask", "{id: ok, type: approval, prompt: 'ship it?'}")
    ended = orka("run", "ask.yml", "--format", "json")
    assert ended.code == 3 and ended.json["status"] == "waiting"
    assert [w["node"] for w in ended.json["waiting"]] == ["ok"]


def test_a_run_out_of_time_is_cancelled_and_ends_with_130(orka: Orka, write: Write) -> None:
    write("slow", "{id: a, type: tool, tool: forever}")
    ended = orka("run", "slow.yml", "--timeout", "0.05", *PLUG)
    assert ended.code == 130
    assert "--timeout" in ended.err and "orka resume" in ended.err


def test_wrong_usage_files_and_input_end_with_2(orka: Orka, write: Write, folder: Path) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    (folder / "input.json").write_text('{"a": [1,\n 2,,]}')
    (folder / "latin.json").write_bytes('{"a": "é"}'.encode("latin-1"))
    for words, code in {
        ("run", "missing.yml"): "config.missing_file",
        ("run", "fine.yml"): "config.unknown_tool",
        ("run", "fine.yml", "--plugin", "missing.py"): "plugin.missing",
        ("run", "fine.yml", *PLUG, "--json", "input.json"): "line 2, column 4",
        ("run", "fine.yml", *PLUG, "--json", "latin.json"): "input.not_utf8",
        ("run", "fine.yml", *PLUG, "--json", "missing.json"): "input.missing_file",
        ("run", "fine.yml", *PLUG, "--output", "nowhere/x"): "input.output_file",
        ("run", "fine.yml", *PLUG, "--prices", "nowhere"): "config.prices",
        ("run", "fine.yml", *PLUG, "text", "--json", "input.json"): "exclude each other",
        ("run",): "Missing argument",
        ("rum",): "did you mean 'run'?",
        ("show", "last"): "no runs yet",
    }.items():
        ended = orka(*words)
        assert (ended.code, ended.out) == (2, ""), words
        assert code in ended.err, words


def test_a_refused_run_is_a_json_document_without_a_run(orka: Orka) -> None:
    ended = orka("run", "missing.yml", "--format", "json")
    assert ended.code == 2 and ended.json["run"] is None
    assert ended.json["failure"]["code"] == "config.missing_file"


def test_json_that_is_only_nearly_json_is_refused(orka: Orka, write: Write, folder: Path) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    for text, word in {
        '{"a": NaN}': "NaN",
        '{"a": 1, "a": 2}': "'a' stands twice",
        "[" * 100_000: "input.not_json",
        "": "line 1, column 1",
        '{"a": "\\ud800"}': "input.not_json",
    }.items():
        (folder / "input.json").write_text(text)
        ended = orka("run", "fine.yml", *PLUG, "--json", "input.json")
        assert ended.code == 2, text[:20]
        assert "input.not_json" in ended.err and word in ended.err


def test_a_byte_order_mark_before_json_is_no_mistake(
    orka: Orka, write: Write, folder: Path
) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input.t }}'}}")
    (folder / "input.json").write_bytes(b'\xef\xbb\xbf{"t": "x"}')
    assert orka("run", "loud.yml", *PLUG, "--json", "input.json").out == "X\n"


def test_the_output_file_holds_the_answer_in_utf8(orka: Orka, write: Write, folder: Path) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input }}'}}")
    assert orka("run", "loud.yml", "ü 🚀", *PLUG, "--output", "out.txt").code == 0
    assert (folder / "out.txt").read_bytes() == "Ü 🚀\n".encode()


def test_a_run_can_be_named(orka: Orka, write: Write, last: Callable[[], str]) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    orka("run", "fine.yml", *PLUG, "--run-id", "mine")
    assert last() == "mine"


@pytest.mark.parametrize("id", ["last", "../x", "a b", "a\n", "", ".a", "-a", "ü", "a" * 129])
def test_a_name_that_no_run_can_have_is_refused(orka: Orka, write: Write, id: str) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    ended = orka("run", "fine.yml", *PLUG, f"--run-id={id}")
    assert (ended.code, ended.out) == (2, "") and "input.run_id" in ended.err
    assert orka("runs", "--format", "json").json == []


@pytest.mark.parametrize("broken", ["sys.exit(3)", "raise SystemExit"])
def test_a_program_that_a_tool_or_plugin_ends_is_a_clear_error(
    orka: Orka, write: Write, folder: Path, broken: str
) -> None:
    (folder / "inside.py").write_text(
        f"import orka, sys\n@orka.tool\nasync def leave() -> str:\n    {broken}\n"
    )
    (folder / "outside.py").write_text(f"import sys\n{broken}\n")
    write("leaving", "{id: a, type: tool, tool: leave}")
    for plugin in ("inside.py", "outside.py"):
        ended = orka("run", "leaving.yml", "--plugin", plugin)
        assert ended.code in (1, 2), plugin
        assert "SystemExit" in ended.err and "to do" in ended.err
