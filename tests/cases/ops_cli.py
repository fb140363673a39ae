"""`cli`: the `orka` command as a process of its own, with files, a script and an environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from cases import prose
from cases.checks import holds
from cases.doubles import tools_of
from cases.faults import names
from cases.language import Case, Fields, listed
from cases.log import Log
from cases.observed import Observed
from cases.plugin import plugin
from cases.script import script, scripted_file
from cases.stage import parsed
from orka.api import Runtime
from orka.value import Json

ORKA = [sys.executable, "-m", "orka"]
LIMIT = 120.0
_RUNTIME_COMMANDS = ("run", "resume", "fork", "answer")
# Their command or option -> ours.
_WORDS = {"validate": ["check"], "--json": ["--format", "json"], "--out": ["--output"]}
# What a case calls by a name that stands for a value.
_RUN_ID = "run id"


class Ended(NamedTuple):
    """A process that ended. Its output is read as UTF-8, with marks for what is not."""

    code: int
    stdout: str
    stderr: str


def cli(case: Case, folder: Path) -> None:
    """Call the command and look at what it wrote and how it ended."""
    with Fields(case.input, "input") as given:
        argv = [str(word) for word in given.need("argv")]
        files, env = given.take("files", {}), given.take("env", {})
        stdin, written = given.take("stdin"), given.take("script")
    tools = _write(folder, files)
    scripted_file(script(written), folder / "script.json")
    called = _translated(argv)
    if tools and called[0] in _RUNTIME_COMMANDS:
        called += ["--plugin", plugin(folder, tools, written)]
    ended = call(called, folder, env=env, stdin=stdin)
    _judge(case, ended, folder)


def _write(folder: Path, files: Mapping[str, Json]) -> dict[str, list[str]]:
    """Write the files of a case; gives the tools that their workflows name."""
    tools: dict[str, list[str]] = {}
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(
            bytes.fromhex(text["bytes_hex"]) if isinstance(text, dict) else text.encode()
        )
        if name.endswith((".yaml", ".yml")):
            tools |= tools_of(parsed(text))
    return tools


def _translated(argv: list[str]) -> list[str]:
    """The words of the cases in ours. `--json FILE` names an input and stays."""
    words: list[str] = []
    for at, word in enumerate(argv):
        if word == "--":  # what follows is no option, whatever it looks like
            return words + argv[at:]
        followed = at + 1 < len(argv) and not argv[at + 1].startswith("-")
        words += [word] if word == "--json" and followed else _WORDS.get(word, [word])
    return words


def call(
    argv: list[str], folder: Path, *, env: Mapping[str, str] | None = None, stdin: str | None = None
) -> Ended:
    """Run `orka` in a folder. `stdin` is text, `closed`, or nothing to read."""
    command = [*ORKA, *argv]
    if stdin == "closed":
        command = ["sh", "-c", 'exec "$@" <&-', "sh", *command]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**_environment(folder), **(env or {})},
        input=None if stdin in (None, "closed") else str(stdin).encode(),
        stdin=subprocess.DEVNULL if stdin in (None, "closed") else None,
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    return Ended(
        done.returncode, *(text.decode(errors="replace") for text in (done.stdout, done.stderr))
    )


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "ORKA_SCRIPT": str(folder / "script.json"), "PYTHONPATH": str(_TESTS)}


_TESTS = Path(__file__).parent.parent


def shown(store: Path, run_id: str) -> list[str]:
    """What the command line says about a recorded run: outline, trace and replay."""
    folder = store.parent
    shown = []
    for command in ("show", "trace", "replay"):
        ended = call([command, run_id, "--store", str(store)], folder)
        shown += [ended.stdout, ended.stderr]
    return shown


def _judge(case: Case, ended: Ended, folder: Path) -> None:
    said = f"exit {ended.code}\nstdout: {ended.stdout}\nstderr: {ended.stderr}"
    with Fields(case.expected, "expected") as expected:
        if "exit" in expected:
            wanted = listed(expected.take("exit"))
            assert ended.code in wanted, said
        assert ended.code not in expected.take("exit_not", []), said
        for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)):
            _judge_text(expected, name, text, folder, said)
        rest = dict(expected.rest())
    observed = _observed(folder)
    assert not any(asked.beyond for asked in observed.asked), "called beyond the script"
    observed.texts = [ended.stdout, ended.stderr]
    holds(observed, rest)


def _judge_text(expected: Fields, name: str, text: str, folder: Path, said: str) -> None:
    """`NAME` and `NAME_is` are prose; `NAME_must_name` and `NAME_must_not` are words."""
    for key in (name, f"{name}_is"):
        if key in expected:
            words = str(expected.take(key))
            assert prose.printed(text, words), f"{name} is not {words!r}: {said}"
    for word in expected.take(f"{name}_must_name", []):
        assert names(text, _meant(word, folder)), f"{word!r} is not named: {said}"
    for key in (f"{name}_must_not", f"{name}_must_not_contain"):
        for word in expected.take(key, []):
            assert str(word) not in text, f"{word!r} stands in {name}: {said}"


def _meant(word: Json, folder: Path) -> str:
    """The id of the only run, if that is what is meant."""
    if word != _RUN_ID:
        return str(word)
    (run_id,) = _runs(folder)
    return run_id


def _runs(folder: Path) -> list[str]:
    if not (folder / ".orka").is_dir():
        return []
    return [id for id, _, _ in Runtime(store=folder / ".orka").store.runs(100)]


def _observed(folder: Path) -> Observed:
    """The run the command left, if any, and what it asked the tools; it must replay."""
    asked = Log(folder / "calls.jsonl").read()
    runs = _runs(folder)
    if len(runs) != 1:
        return Observed(asked=asked)
    replayed = call(["replay", runs[0]], folder)
    assert replayed.code == 0, f"the run does not replay: {replayed}"
    runtime = Runtime(store=folder / ".orka")
    run = runtime.open(runs[0])
    assert run.events
    return Observed(run=run, asked=asked)
