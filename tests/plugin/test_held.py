"""The engine holds modules to their manifests: what they ask for, and what their code touches."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import orka
from orka.errors import PluginError
from orka.testing.scripted import scripted

HEAD = """
import asyncio, os, socket, sqlite3, subprocess, threading, urllib.request
from pathlib import Path
import orka
from orka.plugin.manifest import Manifest
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def plugin(code: str, manifest: str) -> Path:
    path = Path("plug/mine.py").resolve()
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{HEAD}\n{code}\nmanifest = Manifest(name='mod', {manifest})\n")
    return path


def ran(path: Path, agents: str, **settings: object) -> orka.Run:
    flow = f"orchestrator: {{id: w, model: scripted}}\nagents: {agents}\n"
    return orka.run_sync(flow, plugins=[path], store=":memory:", **settings)


def refused(run: orka.Run, *named: str) -> None:
    assert run.failure is not None, run
    assert run.failure.code == "plugin.undeclared", run.failure
    told = f"{run.failure.message} {run.failure.fix}"
    assert all(name in told for name in ("'mod'", *named)), told


# ---- what agents ask for

ASKS = """
@orka.agent("asks")
async def asks(ctx):
    return await {what}
"""


@pytest.mark.parametrize(
    ("what", "declared", "named"),
    [
        ("ctx.tool('http', url='x')", "uses_tools=('http',)", 'uses_tools=("http",)'),
        ("ctx.llm('p', model='scripted')", "models=('scripted',)", 'models=("scripted",)'),
        ("ctx.memory('get', namespace='n', key='k')", "memory=('n*',)", 'memory=("n",)'),
        ("ctx.memory('stats')", "memory=('*',)", 'memory=("*",)'),
    ],
)
def test_an_agent_asks_only_what_its_manifest_names(what: str, declared: str, named: str) -> None:
    code, agents = ASKS.format(what=what), "[{id: a, type: asks}]"
    models = {"scripted": scripted({"a": ["yes"]})}
    held = ran(plugin(code, "agents=('asks',)"), agents, models=models)
    refused(held, "'a'", named)
    free = ran(plugin(code, f"agents=('asks',), {declared}"), agents, models=models)
    assert not free.failure or free.failure.code != "plugin.undeclared"


def test_what_stands_in_the_shape_is_found_before_a_run() -> None:
    code = """
from orka.agent.agent import Shape
import msgspec
class Options(msgspec.Struct):
    tool: str
@orka.agent("asks", config=Options, shape=lambda options: Shape(tools=(options.tool,)))
async def asks(ctx): ...
"""
    path = plugin(code, "agents=('asks',)")
    with pytest.raises(PluginError) as raised:
        ran(path, "[{id: a, type: asks, tool: web_search}]")
    assert raised.value.code == "plugin.undeclared" and "line 2" in raised.value.where
    assert 'uses_tools=("web_search",)' in raised.value.fix


def test_a_refusal_replays(tmp_path: Path) -> None:
    path = plugin(ASKS.format(what="ctx.tool('http', url='x')"), "agents=('asks',)")
    flow = "orchestrator: {id: w}\nagents: [{id: a, type: asks}]\n"
    run = orka.run_sync(flow, plugins=[path], store=tmp_path / "runs")
    refused(orka.replay(run.id, store=tmp_path / "runs"))


def test_agents_without_a_manifest_ask_what_they_like() -> None:
    path = Path("free.py")
    path.write_text(HEAD + ASKS.format(what="ctx.memory('st')"))
    run = ran(path, "[{id: a, type: asks}]")
    assert run.failure is not None and run.failure.code == "memory.arguments"


# ---- what tools touch

TOOL = """
@orka.tool
def act() -> str:
    {what}
    return "done"
"""
ACT = "[{id: a, type: tool, tool: act}]"
TOUCHES = [
    ("open('secret.txt').close()", "files=('secret.txt',)", "secret.txt"),
    ("Path('secret.txt').read_text()", "files=('*.txt',)", "secret.txt"),
    ("os.open('secret.txt', os.O_RDONLY)", "files=('**',)", "secret.txt"),
    ("os.listdir('secrets')", "files=('secrets/**',)", "secrets"),
    ("open('out.txt', 'w').close()", "files=('write:out.txt',)", "out.txt"),
    ("os.mkdir('made')", "files=('write:made/**',)", "made"),
    ("os.remove('secret.txt')", "files=('write:*',)", "secret.txt"),
    ("os.rename('secret.txt', 'b.txt')", "files=('write:*.txt',)", "secret.txt"),
    ("sqlite3.connect('x.db').close()", "files=('write:x.db',)", "x.db"),
    ("subprocess.run(['true'])", "subprocess=True", "true"),
    ("os.system('true')", "subprocess=True", "true"),
    ("os.environ.__setitem__('ORKA_TRY', '1')", "env=('ORKA_TRY',)", "ORKA_TRY"),
    ("__import__('ctypes').CDLL('libc.so.6')", "subprocess=True", "libc.so.6"),
]


@pytest.fixture
def _there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORKA_TRY", "0")
    Path("secret.txt").write_text("secret")
    Path("secrets").mkdir()
    Path("x.db").touch()


@pytest.mark.usefixtures("_there")
@pytest.mark.parametrize(("what", "declared", "named"), TOUCHES)
def test_a_tool_touches_only_what_its_manifest_names(what: str, declared: str, named: str) -> None:
    path = plugin(TOOL.format(what=what), "tools=('act',)")
    refused(ran(path, ACT), "'act'", named)
    path = plugin(TOOL.format(what=what), f"tools=('act',), {declared}")
    assert ran(path, ACT).output == "done"


@pytest.mark.usefixtures("_there")
def test_what_may_be_read_may_not_be_written() -> None:
    path = plugin(TOOL.format(what="open('secret.txt', 'a')"), "tools=('act',), files=('*',)")
    refused(ran(path, ACT), "writes", "secret.txt", "write:")
    assert Path("secret.txt").read_text() == "secret"


@pytest.mark.usefixtures("_there")
@pytest.mark.parametrize("name", ["../secret.txt", "data/../secret.txt", "data/link"])
def test_a_way_around_leads_nowhere(name: str) -> None:
    Path("data").mkdir()
    Path("data/link").symlink_to(Path("secret.txt").resolve())
    path = plugin(TOOL.format(what=f"open({name!r}).read()"), "tools=('act',), files=('data/*',)")
    run = ran(path, ACT)
    assert run.status == "failed"
    if Path(name).exists():
        refused(run, "secret.txt")


@pytest.mark.usefixtures("_there")
def test_one_that_swallows_the_refusal_has_failed_all_the_same() -> None:
    code = """
@orka.tool
def act() -> str:
    try:
        return open("secret.txt").read()
    except Exception:
        return "nothing happened"
"""
    refused(ran(plugin(code, "tools=('act',)"), ACT), "secret.txt")


THREADS = """
@orka.tool
def act() -> str:
    found = []
    thread = threading.Thread(target=lambda: found.append(Path("secret.txt").read_text()))
    thread.start()
    thread.join()
    return found[0] if found else "nothing"
"""
TASKS = """
@orka.tool
async def act() -> str:
    async def read():
        return await asyncio.get_running_loop().run_in_executor(None, Path("secret.txt").read_text)
    return await asyncio.create_task(read())
"""


@pytest.mark.usefixtures("_there")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("code", [THREADS, TASKS])
def test_threads_and_tasks_are_held_too(code: str) -> None:
    refused(ran(plugin(code, "tools=('act',)"), ACT), "secret.txt")
    free = plugin(code, "tools=('act',), files=('*.txt',)")
    assert ran(free, ACT).output == "secret"


@pytest.mark.usefixtures("_there")
def test_others_are_not_held_meanwhile() -> None:
    path = plugin(TOOL.format(what="pass"), "tools=('act',)")

    @orka.tool
    def reads() -> str:
        return Path("secret.txt").read_text()

    agents = "[{id: a, type: tool, tool: act}, {id: b, type: tool, tool: reads}]"
    assert ran(path, agents, use=[reads]).output == "secret"
    assert Path("secret.txt").read_text() == "secret"


def test_its_own_code_and_data_are_its_own(tmp_path: Path) -> None:
    code = "import json, mimetypes, zoneinfo\n" + TOOL.format(
        what="zoneinfo.ZoneInfo('Europe/Berlin'); Path(__file__).read_text(); import csv, wave"
    )
    assert ran(plugin(code, "tools=('act',)"), ACT).output == "done"


# ---- hosts


@pytest.fixture
def server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taking = threading.Thread(target=_take, args=(listening,), daemon=True)
        taking.start()
        yield listening.getsockname()[1]


def _take(listening: socket.socket) -> None:
    while True:
        try:
            listening.accept()[0].close()
        except OSError:
            return


@pytest.mark.parametrize(
    ("hosts", "allowed"),
    [
        ((), False),
        (("example.org",), False),
        (("127.0.0.1:1",), False),
        (("127.0.0.1",), True),
        (("127.0.0.1:{port}",), True),
        (("*",), True),
        (("*.0.0.1",), True),
    ],
)
def test_a_tool_reaches_only_hosts_that_are_named(
    server: int, hosts: tuple[str, ...], allowed: bool
) -> None:
    told = tuple(host.format(port=server) for host in hosts)
    what = f"socket.create_connection(('127.0.0.1', {server})).close()"
    run = ran(plugin(TOOL.format(what=what), f"tools=('act',), hosts={told}"), ACT)
    if allowed:
        assert run.output == "done"
    else:
        refused(run, "127.0.0.1", "hosts=")


def test_a_name_that_was_looked_up_may_be_connected_to(server: int) -> None:
    code = TOOL.format(what=f"socket.create_connection(('localhost', {server})).close()")
    assert ran(plugin(code, "tools=('act',), hosts=('localhost',)"), ACT).output == "done"
    refused(ran(plugin(code, "tools=('act',), hosts=('localhos',)"), ACT), "'localhost'")
    bare = f"""
    with socket.socket() as s:
        s.connect(('127.0.0.1', {server}))"""
    refused(
        ran(plugin(TOOL.format(what=bare), "tools=('act',), hosts=('localhost',)"), ACT),
        f"127.0.0.1:{server}",
    )


# ---- agents touch nothing themselves


@pytest.mark.usefixtures("_there")
@pytest.mark.parametrize("way", ["{read}", "(await ctx.all({inner}()))[0]"])
def test_an_agent_of_a_module_touches_nothing_itself(way: str) -> None:
    read = "open('secret.txt').read()"
    code = f"""
async def inner():
    return {read}
@orka.agent("asks")
async def asks(ctx):
    return {way.format(read=read, inner="inner")}
"""
    run = ran(plugin(code, "agents=('asks',), files=('**',)"), "[{id: a, type: asks}]")
    refused(run, "agents may only ask", "secret.txt", "tool")
