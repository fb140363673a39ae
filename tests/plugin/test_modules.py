"""A workflow names the modules it needs: one that is missing is told before anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import install

import orka
from orka.errors import ConfigError, PluginError
from orka.plugin.registry import FEATURES

AGENT = "import orka\n@orka.agent('mine')\nasync def mine(ctx):\n    return 'mine'\n"
MANIFEST = """
from orka.plugin.manifest import Manifest
manifest = Manifest(name="good", agents=("mine",))
"""
POINTS = "[orka.modules]\ngood = good:manifest\n[orka.agents]\nmine = good:mine\n"
FLOW = "orchestrator: {id: w}\nmodules: [good]\nagents: [{id: a, type: mine}]\n"
OLD = """
orchestrator: {id: w, queue: q, agents: [a]}
agents: [{id: a, type: mine}]
"""


def good(site: Path) -> None:
    install(site, "orka-good", {"good.py": AGENT + MANIFEST}, POINTS, "2.5")


def test_a_module_that_is_there_is_recorded(site: Path) -> None:
    good(site)
    run = orka.run_sync(FLOW, store=":memory:")
    assert run.output == "mine"
    assert run.started.components["module:good"] == "2.5"


def test_one_module_may_stand_without_a_list(site: Path) -> None:
    good(site)
    assert orka.check(FLOW.replace("[good]", "good"), store=":memory:").nodes


def test_a_module_that_is_missing_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "flow.yml"
    path.write_text(FLOW.replace("[good]", "\n  - also_good"))
    with pytest.raises(PluginError) as raised:
        orka.check(path, store=":memory:")
    told = str(raised.value)
    assert raised.value.code == "plugin.module_missing"
    assert "pip install orka-also-good" in told and "flow.yml, line 3" in told


def test_a_near_miss_is_suggested(site: Path) -> None:
    good(site)
    with pytest.raises(PluginError, match="did you mean 'good'"):
        orka.check(FLOW.replace("[good]", "[godo]"), store=":memory:")


@pytest.mark.parametrize("written", ["5", "[5]", "{a: b}", "[good, good]", '""', "[null]"])
def test_what_is_no_list_of_names_is_refused(written: str) -> None:
    with pytest.raises(ConfigError) as raised:
        orka.load(FLOW.replace("[good]", written))
    assert "modules" in str(raised.value) and "line 2" in str(raised.value)


def test_modules_of_inner_workflows_count_too(site: Path) -> None:
    good(site)
    inner = {
        "orchestrator": {"id": "in"},
        "modules": ["good"],
        "agents": [{"id": "a", "type": "mine"}],
    }
    outer = {
        "orchestrator": {"id": "out"},
        "agents": [{"id": "w", "type": "workflow", "workflow": inner}],
    }
    run = orka.run_sync(outer, store=":memory:")
    assert run.started.components["module:good"] == "2.5"
    with pytest.raises(PluginError, match="not installed"):
        inner["modules"] = ["gone"]
        orka.check(outer, store=":memory:")


def test_the_environment_names_modules_for_all(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good(site)
    monkeypatch.setenv(FEATURES, " good, good ,")
    run = orka.run_sync(OLD, store=":memory:")
    assert run.output == "mine"
    assert run.started.components["module:good"] == "2.5"
    monkeypatch.setenv(FEATURES, "good,gone")
    with pytest.raises(PluginError) as raised:
        orka.check(OLD, store=":memory:")
    assert raised.value.code == "plugin.module_missing" and raised.value.where == FEATURES
    assert orka.check(OLD, store=":memory:", features=()).nodes


def test_a_file_may_be_the_module(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(AGENT + MANIFEST)
    run = orka.run_sync(FLOW, store=tmp_path / "runs", plugins=[path])
    assert run.output == "mine"
    assert orka.replay(run.id, store=tmp_path / "runs").output == "mine"


def test_a_run_says_which_module_it_was_made_with(site: Path, tmp_path: Path) -> None:
    good(site)
    run = orka.run_sync(FLOW, store=tmp_path / "runs")
    (site / "orka_good-2.5.dist-info" / "entry_points.txt").write_text("")
    with pytest.raises(PluginError) as raised:
        orka.replay(run.id, store=tmp_path / "runs")
    assert raised.value.code == "plugin.module_missing"
    assert orka.open_run(run.id, store=tmp_path / "runs").output == "mine"
