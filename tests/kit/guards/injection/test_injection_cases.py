"""`cases.yaml`: what is found in attacks and in ordinary texts of the shapes that users report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from orka.kit.guards.injection.detect import detect
from orka.kit.guards.injection.guard import InjectionGuard
from orka.kit.guards.injection.options import InjectionOptions, layers

Case = dict[str, Any]  # Any: YAML
CASES: list[Case] = yaml.safe_load(
    Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['id']} {case['source_title']}") for case in CASES]
)
def test_a_case_gives_what_it_says(case: Case) -> None:
    given, expected = case["input"], case["expected"]
    options = InjectionOptions(origin=given["origin"])
    text = _text(given)
    screened = InjectionGuard(options).screen(text)
    assert (screened.verdict == "quarantine") is expected["injection_detected"], screened.findings
    matches = detect(text, layers(options)) if expected["injection_detected"] else ()
    wanted = set(expected.get("categories_any", ()))
    assert not wanted or wanted & {each.category for each in matches}
    for span in expected.get("must_cover", ()):
        assert any(m.start <= span["start"] and span["end"] <= m.end for m in matches), span
    for words in expected.get("decoded_contains", ()):
        assert any(words in each.decoded for each in matches), words


def _text(given: Case) -> str:
    if "text" in given:
        return str(given["text"])
    return "".join(str(each["repeat"]) * int(each["times"]) for each in given["generate"])


def test_each_case_has_an_id_of_its_own_and_many_are_ordinary() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert sum(not case["expected"]["injection_detected"] for case in CASES) >= 100
