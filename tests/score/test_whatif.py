"""What would have been decided by another setting."""

from __future__ import annotations

import msgspec
import pytest

from orka.errors import ConfigError, LedgerError
from orka.score.again import again
from orka.score.decide import DecisionEngine
from orka.score.factor import Known
from orka.score.ledger import Candidate, Ledger
from orka.score.setting import PROFILES, Setting, factors_of
from orka.score.whatif import Change, Changing, whatif
from orka.score.why import why
from orka.value import Json
from score.decisions import random_ledger
from score.test_why import BALANCED, A, B, candidate, ledger

SEEDS = (200, 1000)


@pytest.fixture
def example() -> Ledger:
    return ledger(candidate("A", A), candidate("B", B))


def test_without_a_change_everything_stays(block: range) -> None:
    assert Change().empty
    for seed in block:
        found = random_ledger(seed)
        assert whatif(found, Change()) == found, f"seed {seed}"


def test_what_comes_out_is_a_record_of_its_own(block: range) -> None:
    for seed in block:
        found = random_ledger(seed)
        name = found.setting.factors[0].name
        changed = whatif(found, Change(set={name: 0.77}, commit_margin=0.01, strategy="strict"))
        assert why(Ledger.read(msgspec.json.decode(msgspec.json.encode(changed.json()))))
        assert changed.candidates == found.candidates


def test_many_decisions_come_out_as_each_does_by_itself(block: range) -> None:
    for change in (Change(commit_margin=0.3), Change(strategy="strict"), Change(policies={})):
        changing = Changing(change)
        for seed in block:
            made = random_ledger(seed)
            assert changing.outcome(made, again(made)) == whatif(made, change).outcome
            swapped = dict(
                zip(made.setting.weights, [*made.setting.weights.values()][::-1], strict=True)
            )
            weighed = Changing(Change(weights=swapped))
            assert (
                weighed.outcome(made, again(made)) == whatif(made, Change(weights=swapped)).outcome
            ), f"seed {seed}"


def test_one_weight_is_changed_and_the_others_stay(example: Ledger) -> None:
    found = whatif(example, Change(set={"llm": 2.3125}))
    assert found.setting.weights == {**BALANCED, "llm": 2.3125}
    assert found.outcome.tied == ("A", "B")
    assert whatif(example, Change(set={"llm": 2.312501})).outcome.ranking[0].id == "B"


def test_a_map_of_weights_takes_the_place_of_all(example: Ledger) -> None:
    found = whatif(example, Change(weights={"llm": 1.0}))
    assert found.setting.weights == {"llm": 1, "heuristics": 0, "prior": 0, "cost": 0, "latency": 0}
    both = whatif(example, Change(weights={"llm": 1.0}, set={"prior": 0.5}))
    assert both.setting.weights["prior"] == 0.5 and both.setting.weights["cost"] == 0


def test_a_profile_is_kept_by_name(example: Ledger) -> None:
    found = whatif(example, Change(profile="fast"))
    assert (found.setting.profile, found.setting.weights) == ("fast", PROFILES["fast"])
    assert whatif(example, Change(profile="fast", set={"llm": 1.0})).setting.profile == ""


def test_a_profile_needs_only_the_factors_it_weighs() -> None:
    names = ("llm", "heuristics", "prior")
    candidates = [Candidate(id="A", path=("a",), factors={name: Known(0.5) for name in names})]
    setting = Setting(factors=factors_of(dict.fromkeys(names, 0.3)))
    few = DecisionEngine(setting).ledger(candidates)
    assert whatif(few, Change(profile="quality")).setting.weights == {
        "llm": 0.6, "heuristics": 0.2, "prior": 0.2,
    }  # fmt: skip
    with pytest.raises(ConfigError, match="'cost'"):
        whatif(few, Change(profile="cheap"))


def test_candidates_can_be_left_out(example: Ledger) -> None:
    found = whatif(example, Change(without=("A",)))
    assert [each.id for each in found.candidates] == ["B"]
    assert found.outcome.chosen == "B"
    assert whatif(example, Change(without=("A", "B"))).outcome.status == "no_candidates"


def test_a_policy_can_be_another() -> None:
    silent = candidate("A", (None, 0.9, 0.5, -0.1, -0.05))
    found = ledger(silent, candidate("B", B))
    assert found.outcome.ranking[0].id == "A"
    out = whatif(found, Change(policies={"llm": "exclude"}))
    assert out.outcome.ranking[-1].why.startswith("llm is unknown")
    assert whatif(found, Change(policies={"llm": "ask"})).outcome.decision == "human_gate"


@pytest.mark.parametrize(
    ("change", "decision"),
    [
        ({"commit_margin": 0.0746}, "shortlist"),
        ({"commit_margin": 0.0745}, "commit_next"),
        ({"commit_margin": 0.1, "too_close": "ask"}, "human_gate"),
        ({"commit_margin": 0.1, "strategy": "strict"}, "commit_next"),
        ({"strategy": "shortlist"}, "shortlist"),
    ],
)
def test_rules_can_be_others(example: Ledger, change: dict[str, Json], decision: str) -> None:
    assert whatif(example, Change(**change)).outcome.decision == decision


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        ({"weights": {"speed": 1.0}}, "score.weights", "speed"),
        ({"set": {"lmm": 1.0}}, "score.weights", "did you mean 'llm'?"),
        ({"set": {"llm": -1.0}}, "score.weights", "below 0"),
        ({"weights": {"llm": 0.0}}, "score.weights", "all weights are 0"),
        ({"weights": {}}, "score.weights", "empty"),
        ({"set": {"llm": float("nan")}}, "score.weights", "nan"),
        ({"weights": {"llm": 1.0}, "profile": "fast"}, "score.weights", "both"),
        ({"profile": "fats"}, "score.profile", "did you mean 'fast'?"),
        ({"policies": {"speed": "worst"}}, "score.policy", "speed"),
        ({"policies": {"llm": "neutral"}}, "score.policy", "neutral"),
        ({"policies": {"cost": "renormalise"}}, "score.policy", "reward"),
        ({"strategy": "best"}, "score.setting", "best"),
        ({"commit_margin": -0.1}, "score.setting", "commit_margin"),
        ({"commit_margin": float("nan")}, "score.setting", "commit_margin"),
        ({"too_close": "guess"}, "score.setting", "guess"),
        ({"without": ("Z",)}, "ledger.candidate", "A, B"),
    ],
)
def test_a_change_that_cannot_be_meant_is_refused(
    example: Ledger, change: dict[str, Json], code: str, named: str
) -> None:
    with pytest.raises((ConfigError, LedgerError)) as error:
        whatif(example, Change(**change))
    assert error.value.code == code and named in str(error.value)
