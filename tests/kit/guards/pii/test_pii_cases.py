"""`cases.yaml`: what is found in texts and values of shapes that users of guards report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from orka.kit.guards.pii.guard import PiiGuard
from orka.kit.guards.pii.options import PiiOptions

GUARD = PiiGuard(PiiOptions(names="rules"))
Case = dict[str, Any]  # Any: YAML
CASES: list[Case] = yaml.safe_load(
    Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['id']} {case['source_title']}") for case in CASES]
)
def test_a_case_gives_what_it_says(case: Case) -> None:
    given, expected = case["input"], case["expected"]
    if case["op"] == "redact_object":
        value = GUARD.screen_value(given["object"])
        assert value.value == expected["object"]
        assert sum(value.counts.values()) == expected["total_pii_found"]
        return
    text = given["text"]
    screened = GUARD.screen(text)
    assert [
        {
            "type": each.kind,
            "start": each.start,
            "end": each.end,
            "text": text[each.start : each.end],
        }
        for each in screened.findings
    ] == expected["spans"]
    assert screened.text == expected["redacted_text"]
    assert GUARD.screen(screened.text).text == screened.text
    assert len(screened.findings) == expected["total_pii_found"]


def test_each_case_has_an_id_of_its_own() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES) >= 40
