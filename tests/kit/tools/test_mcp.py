"""MCP servers as tools: a real server, started through the official SDK."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import orka
from orka.errors import ConfigError
from orka.event.event import EffectAnswered
from orka.port.model import Call, Emit, ModelReply, ModelRequest
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json

SERVER = Path(__file__).with_name("mcp_server.py")
SMALL = {"command": sys.executable, "args": [str(SERVER)], "env": {"WORD": "${ORKA_TEST_WORD}"}}


@pytest.fixture(autouse=True)
def word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORKA_TEST_WORD", "hello")


def flow(tool: str, args: Json, more: str = "") -> str:
    return (
        "orchestrator: {id: t, agents: [a]}\nagents:\n"
        f"  - {{id: a, type: tool, tool: '{tool}', args: {json.dumps(args)}{more}}}\n"
    )


def run(tool: str, args: Json, more: str = "", servers: Json = None) -> orka.Run:
    declared = {"mcpServers": servers or {"small": SMALL}}
    return orka.run_sync(flow(tool, args, more), store=":memory:", mcp=declared)


def test_a_tool_of_a_server_is_called_with_its_arguments() -> None:
    assert run("mcp:small/add", {"a": 2, "b": 3}).output == {"result": 5}


def test_variables_of_the_declaration_are_put_in() -> None:
    assert run("mcp:small/env", {"name": "WORD"}).output == {"result": "hello"}


def test_one_server_serves_all_calls_of_a_runtime_and_ends_with_it(tmp_path: Path) -> None:
    async def go() -> list[Json]:
        declared = {"mcpServers": {"small": SMALL}}
        async with orka.Runtime(store=":memory:", mcp=declared) as runtime:
            text = flow("mcp:small/add", {"a": 1, "b": "{{ input }}"})
            return [run.output async for run in runtime.map(text, range(5), limit=5)]

    assert sorted(one["result"] for one in asyncio.run(go())) == [1, 2, 3, 4, 5]


def test_a_tool_that_fails_fails_the_node_with_its_words() -> None:
    failed = run("mcp:small/fail", {"why": "too dark"})
    assert failed.failure and failed.failure.code == "tool.failed"
    assert "too dark" in failed.failure.message and "small" in failed.failure.message


def test_arguments_that_do_not_fit_are_told() -> None:
    failed = run("mcp:small/add", {"a": "x"})
    assert failed.failure and failed.failure.code.startswith("tool.")


def test_an_unknown_tool_is_told_with_those_there_are() -> None:
    failed = run("mcp:small/ad", {})
    assert failed.failure and failed.failure.code == "tool.unknown"
    assert "'add'" in failed.failure.fix


def test_a_server_that_leaves_is_started_anew_by_a_retry() -> None:
    failed = run("mcp:small/leave", {}, ", retries: 1, backoff: {initial: 0}")
    assert failed.failure and failed.failure.code == "tool.unreachable"
    assert "the server leaves" in failed.failure.message
    answers = [event for event in failed.events if isinstance(event, EffectAnswered)]
    assert [answer.attempt for answer in answers] == [1, 2]


def test_a_command_that_does_not_exist_is_told() -> None:
    failed = run("mcp:small/add", {}, servers={"small": {"command": "/no/such/program"}})
    assert failed.failure and failed.failure.code == "tool.unreachable"
    assert "small" in failed.failure.message


def test_a_program_that_is_no_server_is_told_with_what_it_said() -> None:
    said = [sys.executable, "-c", "import sys; sys.exit('no such option')"]
    servers = {"small": {"command": said[0], "args": said[1:]}}
    failed = run("mcp:small/add", {}, servers=servers)
    assert failed.failure and failed.failure.code == "tool.unreachable"
    assert "no such option" in failed.failure.message


def test_a_server_that_is_not_declared_is_found_before_the_run() -> None:
    with pytest.raises(ConfigError) as caught:
        run("mcp:big/add", {})
    assert caught.value.code == "config.unknown_tool" and "--mcp" in caught.value.fix


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("{", "JSON"),
        ("[]", "map"),
        ("{}", "mcpServers"),
        ('{"mcpServers": {"a": {}}}', "command"),
        ('{"mcpServers": {"a": {"command": "x", "url": "y"}}}', "command"),
        ('{"mcpServers": {"a": {"command": 1}}}', "command"),
        ('{"mcpServers": {"a/b": {"command": "x"}}}', "a/b"),
    ],
)
def test_a_file_that_declares_nothing_readable_is_told(
    tmp_path: Path, content: str, names: str
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(content)
    with pytest.raises(ConfigError) as caught:
        orka.Runtime(store=":memory:", mcp=file)
    assert caught.value.code == "config.mcp" and names in str(caught.value)


def test_a_missing_file_and_a_missing_variable_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        orka.Runtime(store=":memory:", mcp=tmp_path / "none.json")
    servers = {"small": {**SMALL, "env": {"A": "${ORKA_TEST_NOWHERE}"}}}
    failed = run("mcp:small/add", {}, servers=servers)
    assert failed.failure and "ORKA_TEST_NOWHERE" in failed.failure.message


def test_a_recorded_run_finds_its_servers_again(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"small": SMALL}}))
    store = str(tmp_path / "runs")
    done = orka.run_sync(flow("mcp:small/add", {"a": 1, "b": 1}), store=store, mcp=file)
    assert orka.replay(done.id, store=store).output == {"result": 2}
    assert any(name.startswith("mcp:") for name in done.started.components)


def test_a_server_ends_with_the_runtime() -> None:
    process = run("mcp:small/pid", {}).output["result"]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_call_that_takes_too_long_is_left() -> None:
    failed = run("mcp:small/slow", {}, ", timeout: 2")
    assert failed.failure and failed.failure.code == "timeout"


@pytest.fixture
def port() -> Iterator[int]:
    """A server that runs already, spoken to over HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        number: int = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(SERVER), str(number)], stderr=subprocess.DEVNULL
    )
    for _ in range(200):
        with suppress(OSError), socket.create_connection(("127.0.0.1", number), timeout=1):
            break
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    yield number
    process.kill()
    process.wait()


def test_a_server_that_runs_is_spoken_to_over_http(port: int) -> None:
    servers = {"small": {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"X-A": "b"}}}
    assert run("mcp:small/add", {"a": 2, "b": 3}, servers=servers).output == {"result": 5}


def test_nobody_at_the_url() -> None:
    failed = run("mcp:small/add", {}, servers={"small": {"url": "http://127.0.0.1:1/mcp"}})
    assert failed.failure and failed.failure.code == "tool.unreachable"


def test_a_model_is_offered_what_the_server_says_of_its_tools() -> None:
    model = ScriptedModel(Script({"a": ["no tool needed"]}))
    text = (
        "version: 1\norchestrator: {id: t, model: scripted, agents: [a]}\nagents:\n"
        "  - {id: a, type: llm, prompt: p, tools: ['mcp:small/add']}\n"
    )
    declared = {"mcpServers": {"small": SMALL}}
    offered: list[str] = []

    class Listening(ScriptedModel):
        async def complete(self, request: ModelRequest, call: Call, emit: Emit) -> ModelReply:
            offered.append(str(request))
            return await model.complete(request, call, emit)

    done = orka.run_sync(
        text, store=":memory:", mcp=declared, models={"scripted": Listening(Script({}))}
    )
    assert done.output == "no tool needed"
    assert "Add two numbers" in offered[0] and "integer" in offered[0]


def test_disabled_servers_are_left_out() -> None:
    with pytest.raises(ConfigError):
        run("mcp:small/add", {}, servers={"small": {**SMALL, "disabled": True}, "b": SMALL})
