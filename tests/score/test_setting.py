"""Settings that cannot be meant are refused by name, whoever writes them."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from orka.errors import ConfigError
from orka.score.decide import DecisionEngine
from orka.score.factor import Known
from orka.score.ledger import Candidate
from orka.score.setting import MOST, Setting, factors_of


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (1e308, "1e+308"),
        (10**400, "1000"),
        (-0.5, "-0.5"),
        ("0.5", "'0.5'"),
        (True, "True"),
        (None, "None"),
    ],
)
def test_a_weight_that_is_no_weight_is_named(weight: object, told: str) -> None:
    with pytest.raises(ConfigError, match="'llm'") as refused:
        factors_of({"llm": weight})
    assert refused.value.code == "score.weights" and told in refused.value.what


def test_the_largest_weights_are_summed_exactly() -> None:
    setting = Setting(factors=factors_of({"llm": MOST, "prior": MOST, "heuristics": 1e-6}))
    known = {name: Known(1.0) for name in setting.weights}
    low = {**known, "heuristics": Known(0.0)}
    found = DecisionEngine(setting).decide(
        [
            Candidate(id="low", path=("a",), factors=low),
            Candidate(id="high", path=("b",), factors=known),
        ]
    )
    assert [each.id for each in found.ranking] == ["high", "low"]
    assert not found.tied and found.margin == 1e-6


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("commit_margin", value) for value in (-1, math.nan, math.inf, "wide", True, None)),
        *(("k_beam", value) for value in (0, -1, 1.5, "two", True, None)),
        ("margin_unit", "nois"),
        ("too_close", "agent:"),
    ],
)
def test_a_margin_or_a_beam_that_is_none_is_named(field: str, value: object) -> None:
    setting = replace(Setting(factors=factors_of({"llm": 1.0})), **{field: value})
    with pytest.raises(ConfigError, match=field):
        DecisionEngine(setting)
