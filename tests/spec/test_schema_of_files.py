"""`orka schema` in an editor: workflows of ours and of OrKa 0.9 are valid, typos are not."""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stdout
from pathlib import Path

import jsonschema_rs
import pytest

from orka.cli.main import call
from orka.spec.text import decode
from orka.spec.yaml import read
from orka.value import Json

ROOT = Path(__file__).resolve().parents[2]
OLD = Path(os.environ.get("ORKA09_EXAMPLES") or ROOT.parent / "shared/reference/orka09/examples")


@pytest.fixture(scope="module")
def valid() -> jsonschema_rs.Draft202012Validator:
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert not call(["schema"])
    return jsonschema_rs.Draft202012Validator(json.loads(printed.getvalue()))


def value(path: Path) -> Json:
    return read(decode(path.read_bytes(), path.name), path.name).value


OWN = sorted((ROOT / "examples").rglob("*.yml"))
THEIRS = sorted(OLD.rglob("*.y*ml"))


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_our_examples_are_valid(path: Path, valid: jsonschema_rs.Draft202012Validator) -> None:
    assert [error.message for error in valid.iter_errors(value(path))] == []


def test_files_of_orka_09_are_valid(valid: jsonschema_rs.Draft202012Validator) -> None:
    if not THEIRS:
        pytest.skip(f"no files of OrKa 0.9 in {OLD.name}: set ORKA09_EXAMPLES")
    for path in THEIRS:
        told = [error.message for error in valid.iter_errors(value(path))]
        assert told == [], f"{path.name}: {told[0][:300]}"


FLOW = {"orchestrator": {"id": "x"}, "agents": [{"id": "a", "type": "wait", "seconds": 1}]}


@pytest.mark.parametrize(
    "changed",
    [
        {"agent": []},
        {"version": 2},
        {"agents": [{"id": "a", "type": "wait", "secnds": 1}]},
        {"agents": [{"id": "a", "type": "wiat"}]},
        {
            "agents": [
                {
                    "id": "l",
                    "type": "loop",
                    "internal_workflow": {**FLOW, "agents": [{"id": "b", "type": "wiat"}]},
                }
            ]
        },
    ],
)
def test_mistakes_are_marked(changed: Json, valid: jsonschema_rs.Draft202012Validator) -> None:
    assert valid.is_valid(FLOW)
    assert not valid.is_valid({**FLOW, **changed})


@pytest.mark.parametrize(
    ("priors", "fits"),
    [
        ("finance", True),
        (["finance", "ours.yml", {"domain": "d", "learn": True}], True),
        ({"domain": "d"}, True),
        ({"domain": "d", "ruls": []}, False),
        ([1], False),
    ],
)
def test_priors_may_be_named(
    priors: Json, fits: bool, valid: jsonschema_rs.Draft202012Validator
) -> None:
    scout = {"id": "s", "type": "graph-scout", "priors": priors}
    assert valid.is_valid({"orchestrator": {"id": "x"}, "agents": [scout]}) is fits
