"""The command as a process of its own: what it imports, code pages, signals, pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Write
from orka.cli.main import COMMANDS, orka

ORKA = [sys.executable, "-m", "orka"]
HEAVY = ("rich", "minijinja", "jsonschema_rs", "openai", "numpy", "llama_cpp", "yaml", "asyncio")
PLUG = ("--plugin", "tools.py")


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from orka.cli.main import call; call(['--help']); "
        f"print('heavy:', [name for name in {HEAVY} if name in sys.modules])"
    )
    assert "heavy: []" in _python(code)


def test_a_run_in_a_pipe_does_without_rich(write: Write, folder: Path) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    code = (
        "import sys; from orka.cli.main import call; "
        "call(['run', 'fine.yml', '--plugin', 'tools.py']); print('rich' in sys.modules)"
    )
    assert _python(code).splitlines() == ["shipped", "False"]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_says_in_help_what_the_list_says(name: str) -> None:
    command = orka.get_command(orka.make_context("orka", [name]), name)
    assert command is not None and command.name == name
    assert command.help


def test_an_old_code_page_costs_no_answer(write: Write, folder: Path) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input }}'}}")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    for words, shown in {
        ("--output", "out.txt"): b"DONE ? ?",
        ("--format", "json"): b'"DONE \\ud83d\\ude80 \\u2713"',
    }.items():
        done = subprocess.run(
            [*ORKA, "run", "loud.yml", "done 🚀 ✓", *PLUG, *words],
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0 and shown in done.stdout
        assert b"Traceback" not in done.stderr
    assert (folder / "out.txt").read_text(encoding="utf-8") == "DONE 🚀 ✓\n"


def test_standard_input_is_an_input(write: Write) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input }}'}}")
    for words, given in {("-",): b"hello\n", ("--json", "-"): b'"hello"'}.items():
        done = subprocess.run(
            [*ORKA, "run", "loud.yml", *words, *PLUG], input=given, capture_output=True, check=True
        )
        assert done.stdout == b"HELLO\n"


def test_what_a_tools_program_prints_stays_out_of_the_answer(write: Write, folder: Path) -> None:
    (folder / "os_tools.py").write_text(
        "import orka, os\n@orka.tool\ndef noisy() -> str:\n"
        "    os.system('echo noise')\n    return 'quiet'\n"
    )
    write("noisy", "{id: a, type: tool, tool: noisy}")
    done = subprocess.run(
        [*ORKA, "run", "noisy.yml", "--plugin", "os_tools.py"], capture_output=True, check=True
    )
    assert done.stdout == b"quiet\n" and b"noise" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_cancels_the_run_and_says_how_to_go_on(write: Write, folder: Path) -> None:
    write("slow", "{id: a, type: tool, tool: forever}")
    with _started("slow.yml") as process:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "orka resume" in err and "Traceback" not in err
    status = subprocess.run([*ORKA, "runs"], capture_output=True, text=True, check=True).stdout
    assert "cancelled" in status


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_second_ctrl_c_leaves_at_once(write: Write, folder: Path) -> None:
    (folder / "deaf.py").write_text(
        "import orka, asyncio\n@orka.tool\nasync def forever() -> str:\n"
        "    while True:\n        try:\n            await asyncio.Event().wait()\n"
        "        except asyncio.CancelledError:\n            pass\n"
    )
    write("slow", "{id: a, type: tool, tool: forever}")
    with _started("slow.yml", "deaf.py") as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert any("cancelled" in line or "stopped" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_tool_that_hangs_in_a_thread_does_not_hold_the_process(
    write: Write, folder: Path
) -> None:
    (folder / "hang.py").write_text(
        "import orka, threading\n@orka.tool\ndef forever() -> str:\n"
        "    threading.Event().wait()\n    return ''\n"
    )
    write("slow", "{id: a, type: tool, tool: forever}")
    with _started("slow.yml", "hang.py") as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_goes_away_gets_no_traceback(write: Write, folder: Path) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    subprocess.run([*ORKA, "run", "fine.yml", *PLUG], capture_output=True, check=True)
    reading, writing = os.pipe()
    os.close(reading)
    for words in (("trace", "last"), ("--help",), ("trace", "--help")):
        done = subprocess.run([*ORKA, *words], stdout=writing, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (141, b""), words
    os.close(writing)


def test_an_unexpected_error_is_one_line_and_a_traceback_only_on_demand(folder: Path) -> None:
    code = "from orka.cli.main import call; call(['graph', 'wf\\0.yml'{}])"
    quiet = subprocess.run(
        [sys.executable, "-c", code.format("")], capture_output=True, text=True, check=True
    )
    assert "Traceback" not in quiet.stderr and "please report" in quiet.stderr
    loud = subprocess.run(
        [sys.executable, "-c", code.format(", '--debug'")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Traceback" in loud.stderr


def _started(flow: str, plugin: str = "tools.py") -> subprocess.Popen[str]:
    """A process whose run has begun its only node."""
    process = subprocess.Popen(
        [*ORKA, "run", flow, "--plugin", plugin],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert any("started" in line for line in process.stderr)
    return process
