"""Plugins come in by file or entry point, and one that is wrong is an error that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

import orka
from orka.errors import PluginError
from orka.plugin.registry import Registry


def loaded(tmp_path: Path, source: str) -> Registry:
    path = tmp_path / "mine.py"
    path.write_text(source)
    registry = Registry()
    registry.load_file(str(path))
    return registry


def test_a_file_brings_its_tools_and_agents(tmp_path: Path) -> None:
    registry = loaded(
        tmp_path,
        "import orka\n@orka.tool\ndef t(a: int) -> int:\n    return a\n"
        "@orka.agent('mine')\nasync def m(ctx):\n    return 1\n",
    )
    assert "t" in registry.tools and "mine" in registry.agents
    assert registry.agents.origin["mine"].endswith("mine.py")


@pytest.mark.parametrize(
    ("source", "code", "named"),
    [
        ("1 / 0", "plugin.raised", "ZeroDivisionError"),
        ("import nothing_like_this", "plugin.raised", "nothing_like_this"),
        ("def (", "plugin.raised", "SyntaxError"),
        ("x = 1", "plugin.empty", "defines no"),
        ("import orka\n@orka.tool\ndef t(a): ...", "plugin.tool_signature", "'a'"),
        ("import orka\n@orka.tool\ndef t(*a: int): ...", "plugin.tool_signature", "a"),
        ("import orka\n@orka.agent('llm')\nasync def m(ctx): ...", "plugin.name_clash", "llm"),
    ],
)
def test_a_file_that_is_wrong_is_named(tmp_path: Path, source: str, code: str, named: str) -> None:
    with pytest.raises(PluginError) as raised:
        loaded(tmp_path, source)
    assert raised.value.code == code
    assert named in str(raised.value)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(PluginError, match="nowhere"):
        Registry().load_file("nowhere.py")


def test_things_that_are_no_plugins_are_refused() -> None:
    with pytest.raises(orka.OrkaError, match="neither"):
        orka.Runtime(store=":memory:", use=[object()])


def test_arguments_that_do_not_fit_are_refused_before_the_call() -> None:
    @orka.tool
    def never(a: int) -> None:
        raise AssertionError("called")

    flow = "orchestrator: {id: t}\nagents: [{id: a, type: tool, tool: never, args: {b: 1}}]\n"
    run = orka.run_sync(flow, use=[never], store=":memory:")
    assert run.failure and run.failure.code == "tool.arguments"
    assert "b" in run.failure.message
