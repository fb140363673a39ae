"""A manifest says what a module brings; what is there and not listed, or listed and not there, is
refused by name. What is built in cannot be taken, and what is broken disturbs only who needs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from installed import install

import orka
from orka.errors import PluginError
from orka.plugin.manifest import Manifest, checked
from orka.plugin.registry import Registry

AGENT = "import orka\n@orka.agent('mine')\nasync def mine(ctx):\n    return 'mine'\n"
POINTS = """
[orka.modules]
good = good.manifest:manifest
[orka.agents]
mine = good.mine:mine
"""
WAIT = "orchestrator: {id: w}\nagents: [{id: a, type: wait, seconds: 0}]\n"
MINE = "orchestrator: {id: w}\nagents: [{id: a, type: mine}]\n"


def manifest(text: str) -> str:
    return f"from orka.plugin.manifest import Manifest\nmanifest = Manifest({text})\n"


def good(site: Path, told: str, points: str = POINTS, agent: str = AGENT) -> None:
    files = {"good/__init__.py": "", "good/mine.py": agent, "good/manifest.py": manifest(told)}
    install(site, "orka-good", files, points, "2.5")


def test_each_thing_knows_its_module(site: Path) -> None:
    good(site, "name='good', agents=('mine',)")
    registry = Registry()
    found = registry.manifest_of("agent", "mine")
    assert found is not None and (found.name, found.version) == ("good", "2.5")
    assert registry.agents["mine"].version == "2.5"
    assert registry.manifest_of("agent", "llm") is None
    assert registry.manifest_of("agent", "nobody") is None


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ("name='good'", "'mine'"),
        ("name='good', agents=('mine', 'other')", "'other'"),
        ("name='good', agents=('mine',), tools=('t',)", "the tool 't'"),
        ("name='other', agents=('mine',)", "'other'"),
        ("name='good', agents='mine'", "agents"),
        ("name='good', agents=('mine',), hosts=('a', 5)", "hosts"),
        ("name='good', agents=('mine', 'mine')", "twice"),
    ],
)
def test_what_a_manifest_gets_wrong_is_told(site: Path, told: str, named: str) -> None:
    good(site, told)
    with pytest.raises(PluginError) as raised:
        Registry().agents["mine"]
    assert raised.value.code == "plugin.manifest" and named in str(raised.value)
    assert orka.run_sync(WAIT, store=":memory:").status == "completed"


@pytest.mark.parametrize("name", ["", "Good", "a-b", "9", "x y"])
def test_a_module_has_a_plain_name(name: str) -> None:
    with pytest.raises(PluginError, match="name"):
        checked(Manifest(name=name))


def test_a_file_may_have_a_manifest_too(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(AGENT + manifest("name='one', agents=('mine',)"))
    registry = Registry()
    registry.load_file(str(path))
    found = registry.manifest_of("agent", "mine")
    assert found is not None and found.version == registry.files[str(path)]
    path.write_text(AGENT + manifest("name='one'"))
    with pytest.raises(PluginError, match="does not list"):
        Registry().load_file(str(path))
    path.write_text(AGENT + manifest("name='one', agents=('mine',), guards=('g',)"))
    with pytest.raises(PluginError, match="guard 'g'"):
        Registry().load_file(str(path))


def test_python_may_hand_over_a_manifest() -> None:
    registry = Registry()

    @orka.tool
    def mine() -> None: ...

    @orka.tool
    def other() -> None: ...

    for thing in (mine, other, Manifest(name="here", tools=("mine",))):
        assert registry.add(thing)
    held = registry.manifest_of("tool", "mine")
    assert held is not None and held.name == "here"
    assert registry.manifest_of("tool", "other") is None


# ---- names that are taken


def test_what_is_built_in_cannot_be_taken(site: Path) -> None:
    agent = AGENT.replace("'mine'", "'wait'")
    points = POINTS.replace("mine = good", "wait = good")
    good(site, "name='good', agents=('wait',)", points, agent)
    registry = Registry()
    assert registry.agents.origin["wait"] == "orka"
    ((name, whose, error),) = registry.agents.refused
    assert (name, whose, error.code) == ("wait", "orka-good", "plugin.name_clash")
    assert "'orka-good'" in error.what and "'orka'" in error.what
    run = orka.run_sync(WAIT, store=":memory:")
    assert run.status == "completed" and run.output is None
    with pytest.raises(PluginError) as raised:
        orka.check(f"modules: [good]\n{WAIT}", store=":memory:")
    assert raised.value.code == "plugin.name_clash"


def test_a_strategy_that_is_built_in_cannot_be_taken(site: Path) -> None:
    code = "from orka.score.strategy import commit, strategy\ns = strategy('margin')(commit)\n"
    install(site, "sly", {"sly.py": code}, "[orka.strategies]\nmargin = sly:s\n")
    registry = Registry()
    assert registry.strategies.origin["margin"] == "orka"
    assert [whose for _, whose, _ in registry.strategies.refused] == ["sly"]


def test_of_two_that_want_one_name_neither_has_it(site: Path) -> None:
    for name in ("one", "two"):
        install(site, name, {f"{name}.py": AGENT}, f"[orka.agents]\nmine = {name}:mine\n")
    assert orka.run_sync(WAIT, store=":memory:").status == "completed"
    with pytest.raises(PluginError) as raised:
        orka.check(MINE, store=":memory:")
    assert raised.value.code == "plugin.name_clash"
    assert "'one'" in str(raised.value) and "'two'" in str(raised.value)


# ---- what is broken


@pytest.mark.parametrize("raises", ["1 / 0", "import nothing_here", "raise SystemExit(3)", "def ("])
def test_one_that_raises_is_told_to_those_who_need_it(site: Path, raises: str) -> None:
    install(site, "bad", {"bad.py": raises}, "[orka.agents]\nmine = bad:mine\n")
    assert orka.run_sync(WAIT, store=":memory:").status == "completed"
    with pytest.raises(PluginError) as raised:
        orka.check(MINE, store=":memory:")
    assert raised.value.code == "plugin.raised"
    assert "'mine'" in str(raised.value) and "bad" in str(raised.value)


class Plain:
    pass


@pytest.mark.parametrize("config", [Plain, int, dict])
def test_options_are_a_struct(config: Any) -> None:
    @orka.agent("mine", config=config)
    async def mine(ctx: orka.Context) -> None: ...

    with pytest.raises(PluginError) as raised:
        Registry().add(mine)
    assert raised.value.code == "plugin.config"


def test_options_are_what_json_can_say(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        "import msgspec, orka, threading\n"
        "class Options(msgspec.Struct):\n    lock: threading.Thread\n"
        "@orka.agent('mine', config=Options)\nasync def mine(ctx): ...\n"
    )
    with pytest.raises(PluginError) as raised:
        Registry().load_file(str(path))
    assert raised.value.code == "plugin.config"


def test_an_agent_takes_one_context() -> None:
    @orka.agent("mine")  # type: ignore[arg-type]  # wrong on purpose
    async def mine(ctx: orka.Context, more: int) -> None: ...

    with pytest.raises(PluginError) as raised:
        Registry().add(mine)
    assert raised.value.code == "plugin.signature" and "'mine'" in str(raised.value)
