"""The conformance kit: a good plugin meets all checks, and each check has one that fails it."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import SkipTest

import msgspec
import pytest
from faults import HEAD, MEMORY, STORE, TOOL, faults
from installed import install

import orka
import orka.value
from orka.agent.agent import AgentType
from orka.cli.main import call
from orka.errors import ConfigError, PluginError
from orka.plugin.registry import Registry
from orka.port.guard import GuardType
from orka.run import scheduler
from orka.testing import plugin_suite
from orka.testing.plugin_suite import Check, Subject, Thing

CHECKS = {(check.kind, check.name): check for check in plugin_suite.CHECKS}
# What registration refuses by itself, so that no plugin comes so far: given by hand below.
REFUSED = [
    ("agent", "takes one context"),
    ("agent", "its options have a json schema"),
    ("guard", "its options have a json schema"),
]
FAULTS = [fault for fault in faults() if (fault.kind, fault.check) not in REFUSED]
PACKAGED = [
    ("plugin", "takes no name of another plugin"),
    ("plugin", "has a version"),
    ("plugin", "is called like its package"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.kind} {fault.check}")
def test_a_plugin_that_is_wrong_fails_the_check(
    fault: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((scheduler, "output_of"), (orka.value, "canonical")):
        monkeypatch.setattr(module, name, getattr(module, name))  # some of them replace it
    monkeypatch.setenv("ORKA_TRY", "0")
    kind, name, code = fault
    path = tmp_path / "bad.py"
    path.write_text(code)
    with pytest.raises(AssertionError) as raised:
        CHECKS[kind, name](plugin_suite.subject(str(path)))
    assert str(raised.value)


def test_each_check_has_a_plugin_that_fails_it() -> None:
    failed = {(fault.kind, fault.check) for fault in FAULTS}
    whole = {key for key in CHECKS if key[0] in ("store", "memory")}
    assert failed | whole | {*REFUSED} | {*PACKAGED} == {*CHECKS}
    assert len(CHECKS) >= 60 and len(CHECKS) == len(plugin_suite.CHECKS)


@pytest.mark.parametrize(("kind", "code"), [("store", STORE), ("memory", MEMORY)])
def test_one_that_can_do_nothing_fails_all_checks(kind: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(HEAD + code)
    found = plugin_suite.subject(str(path))
    for key, check in CHECKS.items():
        if key[0] == kind:
            with pytest.raises(AssertionError):
                check(found)


class Odd:
    """No data."""


class OddOptions(msgspec.Struct):
    odd: Odd | None = None


async def two(ctx: object, more: object) -> None: ...


def test_what_registration_refuses_fails_too() -> None:
    agent = AgentType(name="a", function=two, config=OddOptions)  # type: ignore[arg-type]  # wrong on purpose
    guard = GuardType(name="g", make=lambda options: options, config=OddOptions)
    for kind, name in REFUSED:
        thing = Thing(kind, "x", agent if kind == "agent" else guard)
        with pytest.raises(AssertionError):
            CHECKS[kind, name](Subject("x", Registry(), [thing]))


def packaged(site: Path, package: str, version: str = "1.0") -> Subject:
    code = HEAD + TOOL + "manifest = Manifest(name='mine', tools=('t',))\n"
    points = "[orka.modules]\nmine = mine_code:manifest\n[orka.tools]\nt = mine_code:t\n"
    install(site, package, {"mine_code.py": code}, points, version)
    return plugin_suite.subject("mine")


def test_a_package_is_called_like_its_module(site: Path) -> None:
    found = packaged(site, "something")
    with pytest.raises(AssertionError, match="orka-mine"):
        CHECKS["plugin", "is called like its package"](found)


def test_a_package_takes_no_name_of_another(site: Path) -> None:
    packaged(site, "orka-mine")
    install(site, "other", {"other_code.py": HEAD + TOOL}, "[orka.tools]\nt = other_code:t\n")
    with pytest.raises(AssertionError, match="'other'"):
        CHECKS["plugin", "takes no name of another plugin"](plugin_suite.subject("mine"))


def test_a_thing_has_a_version() -> None:
    registry = Registry()

    @orka.tool
    def t() -> None: ...

    registry.add(t)
    found = Subject("x", registry, [Thing("tool", "t", t)])
    with pytest.raises(AssertionError, match="version"):
        CHECKS["plugin", "has a version"](found)


# ---- what is right


def test_what_is_installed_well_meets_all(site: Path) -> None:
    code = HEAD + TOOL + (
        "manifest = Manifest(name='mine', version='1', description='A tool.', tools=('t',))\n"
    )  # fmt: skip
    points = "[orka.modules]\nmine = mine_code:manifest\n[orka.tools]\nt = mine_code:t\n"
    install(site, "orka-mine", {"mine_code.py": code}, points)
    found = plugin_suite.subject("mine")
    for check in plugin_suite.CHECKS:
        try:
            plugin_suite.meets(found, check)
        except SkipTest as reason:
            assert str(reason)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    for named in ("no_such_module", str(tmp_path / "nowhere.py")):
        with pytest.raises(PluginError) as raised:
            plugin_suite.subject(named)
        assert raised.value.code == "plugin.missing"


@pytest.mark.parametrize("text", ["agents: 5", "unknown: 1", "[1]"])
def test_samples_that_do_not_fit_are_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "samples.yml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        plugin_suite.read_samples(path)


def test_the_command_shows_a_table_and_exits_with_1_for_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + TOOL)
    assert call(["plugin", "check", str(path)]) == 1
    told = capsys.readouterr().out
    assert "has a manifest" in told and "1 fail" in told
    path.write_text(
        HEAD + TOOL + "manifest = Manifest(name='mine', version='1', description='A tool.',"
        " tools=('t',))\n"
    )
    assert call(["plugin", "check", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["counts"]["fail"] == 0
    skipped = [each for each in found["checks"] if each["outcome"] == "skip"]
    assert all(each["told"] for each in skipped)


def test_a_check_is_a_sentence() -> None:
    for check in plugin_suite.CHECKS:
        assert isinstance(check, Check) and len(check.name.split()) >= 2
        assert plugin_suite.name(check).startswith(check.kind)
