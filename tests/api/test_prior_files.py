"""Priors that a scout names: of the library, from files, in place; told where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

import orka
from orka.errors import ConfigError
from orka.source import library, priors
from orka.spec.load import load as again
from orka.value import Json

OURS = """
domain: ours
rules:
  - {id: r, when: "'pay' in capabilities", prior: 0.1, reason: slow down}
"""
FLOW = """
version: 1
orchestrator: {id: w, agents: [scout]}
agents:
  - {id: scout, %s}
  - {id: a, type: wait, seconds: 0}
"""
SCOUT = "type: graph-scout, priors: %s"
PLACED = '{domain: here, rules: [{id: x, when: "length > 1", forbid: true, reason: y}]}'


def flow(folder: Path, written: str, **files: str) -> orka.Workflow:
    for name, text in files.items():
        (folder / f"{name}.yml").write_text(text)
    path = folder / "flow.yml"
    path.write_text(FLOW % written)
    return orka.load(path)


def sets(workflow: orka.Workflow) -> list[Json]:
    held: Json = workflow.agents[0].options["priors"]
    assert isinstance(held, list)
    return held


@pytest.mark.parametrize(
    ("written", "domains"),
    [
        ("finance", ["finance"]),
        ("ours.yml", ["ours"]),
        (PLACED, ["here"]),
        (f"[legal, ours.yml, {PLACED}]", ["legal", "ours", "here"]),
        ("[]", []),
    ],
)
def test_what_a_scout_names_is_read_in(tmp_path: Path, written: str, domains: list[str]) -> None:
    workflow = flow(tmp_path, SCOUT % written, ours=OURS)
    assert [each["domain"] for each in sets(workflow)] == domains
    recorded = again(workflow.text)
    assert sets(recorded) == sets(workflow)


def test_a_router_that_is_a_scout_names_them_too(tmp_path: Path) -> None:
    scout = "type: router, implementation: GraphScoutAgent, priors: ours.yml"
    assert sets(flow(tmp_path, scout, ours=OURS))[0]["domain"] == "ours"


def test_values_for_templates_may_be_called_so(tmp_path: Path) -> None:
    options = flow(tmp_path, "type: graph-scout, params: {priors: many}").agents[0].options
    assert options["params"] == {"priors": "many"}


def test_an_option_of_that_name_of_another_type_is_its_own(tmp_path: Path) -> None:
    assert flow(tmp_path, "type: mine, priors: nothing").agents[0].options["priors"] == "nothing"


def test_scouts_inside_of_others_are_found_and_files_lie_beside_the_one_that_names_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "ours.yml").write_text(OURS)
    (tmp_path / "part" / "inner.yml").write_text(FLOW % (SCOUT % "ours.yml"))
    scout = "{id: in, type: graph-scout, priors: hr}"
    inside = f"{{orchestrator: {{id: i}}, agents: [{scout}]}}"
    workflow = flow(
        tmp_path,
        f"type: loop, internal_workflow: {inside}}}\n  - {{id: f, type: failover, "
        f"children: [{scout}]}}\n  - {{id: o, type: workflow, file: part/inner.yml",
    )
    loop, failover, other, _ = workflow.agents
    assert loop.options["internal_workflow"]["agents"][0]["priors"][0]["domain"] == "hr"
    assert failover.options["children"][0]["priors"][0]["domain"] == "hr"
    assert other.options["workflow"]["agents"][0]["priors"][0]["domain"] == "ours"


@pytest.mark.parametrize(
    ("written", "code", "told"),
    [
        ("finanse", "config.unknown_prior", "did you mean 'finance'?"),
        ("[finance, gone.yml]", "config.missing_file", "gone.yml"),
        ("finanse", "config.unknown_prior", "flow.yml, line 5"),
        ("[finance, gone.yml]", "config.missing_file", "flow.yml, line 5"),
        (PLACED.replace("forbid", "forbit"), "config.prior", "did you mean 'forbid'?"),
        (PLACED.replace("length", "lenght"), "config.prior", "flow.yml, line 5"),
    ],
)
def test_priors_that_cannot_be_used(tmp_path: Path, written: str, code: str, told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        flow(tmp_path, SCOUT % written)
    assert raised.value.code == code and told in str(raised.value)


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (OURS.replace("0.1", "1.1"), "config.prior", "ours.yml, line 4, column 44"),
        (OURS.replace("capabilities", "capabilites"), "config.prior", "ours.yml, line 4"),
        (OURS.replace("domain: ours", ""), "config.prior", "missing required field `domain`"),
        (OURS + "  - }", "config.syntax", "ours.yml, line 5"),
        ("- a", "config.type", "ours.yml"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_of_that_file(
    tmp_path: Path, text: str, code: str, told: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        flow(tmp_path, SCOUT % "ours.yml", ours=text)
    assert raised.value.code == code and told in str(raised.value)


def test_each_set_of_the_library_can_be_read_by_name() -> None:
    assert [priors(name).domain for name in library()] == list(library())
    with pytest.raises(ConfigError, match="no priors 'x'"):
        priors("x")


def test_a_workflow_without_priors_stays_as_it_is_written(tmp_path: Path) -> None:
    workflow = flow(tmp_path, "type: graph-scout")
    assert workflow.text == (tmp_path / "flow.yml").read_text()
