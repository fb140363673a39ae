"""Weights that cannot mean what they say."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import msgspec
import pytest

from orka.score.factor import Abstained
from orka.score.ledger import Candidate, Ledger
from orka.score.lint import Finding, lint, lint_setting
from orka.score.setting import PROFILES, BooleanRules, Setting, factors_of
from score.labels import NOTHING, ledger, values

EVEN = {"llm": 0.4, "heuristics": 0.2, "prior": 0.2, "cost": 0.1, "latency": 0.1}


def setting(weights: Mapping[str, float], **policies: str) -> Setting:
    return Setting(factors=factors_of(weights, policies=policies))


def decisions(weights: Mapping[str, float] = EVEN, count: int = 20, **fixed: float) -> list[Ledger]:
    """Random ones; `fixed` factors are the same for all candidates."""
    random = Random(1)
    names = list(EVEN)
    return [
        ledger(
            [
                [fixed.get(name, value) for name, value in zip(names, row, strict=True)]
                for row in values(random)
            ],
            setting(weights),
        )
        for _ in range(count)
    ]


def only(found: list[Finding]) -> Finding:
    assert len(found) == 1, found
    return found[0]


def test_weights_and_factors_as_they_should_be_are_no_finding() -> None:
    assert lint(decisions()) == []
    assert lint([]) == []
    for name, weights in PROFILES.items():
        named = msgspec.structs.replace(setting(weights), profile=name)
        assert lint_setting(named) == []


def test_weights_that_do_not_sum_to_one_are_told_with_the_difference() -> None:
    found = only(lint_setting(setting({"llm": 0.6, "prior": 0.6})))
    assert found == Finding(
        kind="sum",
        what="the weights sum to 1.2, 0.2 more than 1: scores and margins are not on the scale "
        "that `commit_margin` is meant for",
        fix="write {llm: 0.5, prior: 0.5}",
        factors=("llm", "prior"),
        numbers={"sum": 1.2, "difference": 0.2},
    )
    assert "0.7 less than 1" in only(lint_setting(setting({"llm": 0.3}))).what


def test_what_is_proposed_sums_to_one_and_thirds_are_no_finding() -> None:
    thirds = dict.fromkeys(("llm", "heuristics", "prior"), 1 / 3)
    assert lint_setting(setting(thirds)) == []
    fix = only(lint_setting(setting(dict.fromkeys(thirds, 1.0)))).fix
    assert fix == "write {llm: 0.333333, heuristics: 0.333333, prior: 0.333333}"


def test_a_weight_of_zero_is_told_unless_a_budget_excludes_by_the_penalty() -> None:
    written = setting({"llm": 1.0, "prior": 0.0, "cost": 0.0})
    assert [(f.kind, f.factors) for f in lint_setting(written)] == [
        ("unread", ("prior",)),
        ("unread", ("cost",)),
    ]
    found = only(lint_setting(written, budget=True))
    assert found.what == "prior has weight 0: whatever it is, it decides nothing"
    assert found.fix == "give prior a weight, or take it out of `weights`"


def test_a_weight_of_zero_is_none_where_it_says_which_of_two_is_safer() -> None:
    setting = Setting(factors=factors_of({"llm": 1, "cost": 0}), too_close="safer")
    assert lint_setting(setting) == []
    (finding,) = lint_setting(msgspec.structs.replace(setting, safer=("prior",)))
    assert finding.factors == ("cost",)


def test_a_candidate_that_is_over_the_budget_shows_that_there_is_one() -> None:
    ledgers = decisions({**EVEN, "llm": 0.5, "cost": 0.0})
    assert only(lint(ledgers)).factors == ("cost",)
    first = ledgers[0].candidates[0]
    over = msgspec.structs.replace(first, excluded="costs about 2 USD, the budget is 1 USD")
    ledgers[0] = msgspec.structs.replace(ledgers[0], candidates=(over, *ledgers[0].candidates[1:]))
    assert lint(ledgers) == []


def test_a_policy_for_a_weight_of_zero_is_told() -> None:
    found = lint_setting(setting({"llm": 1.0, "prior": 0.0}, prior="ask"))
    assert [each.kind for each in found] == ["unread", "policy"]
    assert found[1].what == "prior has the policy ask, and weight 0: nobody asks for it"


def test_a_factor_that_never_varies_decides_nothing() -> None:
    found = only(lint(decisions(prior=0.5)))
    assert (found.kind, found.numbers) == ("constant", {"weight": 0.2, "decisions": 20})
    assert found.what == (
        "prior has weight 0.2 and is the same for all candidates in each of 20 decisions: it "
        "decides nothing"
    )


def test_a_factor_that_differs_only_between_decisions_decides_nothing_either() -> None:
    ledgers = [*decisions(prior=0.5), *decisions(prior=0.1)]
    assert only(lint(ledgers)).kind == "constant"


def test_decisions_with_one_candidate_show_nothing() -> None:
    assert lint([ledger([[0.5, 0.5, 0.5, -0.5, -0.5]], setting(EVEN))]) == []


def test_a_factor_that_always_abstains_is_told_with_its_cause() -> None:
    random = Random(2)

    def unknown(each: Candidate) -> Candidate:
        cause = "no history" if random.random() < 0.9 else "no price"
        return msgspec.structs.replace(each, factors={**each.factors, "cost": Abstained(cause)})

    ledgers = [
        Ledger(
            setting=each.setting,
            candidates=tuple(map(unknown, each.candidates)),
            outcome=NOTHING,
        )
        for each in decisions()
    ]
    found = only(lint(ledgers))
    count = sum(len(each.candidates) for each in ledgers)
    assert found.what == (
        f"cost has weight 0.1 and is never known: of {count} candidates it abstained in all, most "
        "often since: no history"
    )


@pytest.mark.parametrize(("sign", "told"), [(1, "counts twice"), (-1, "cancels out")])
def test_two_factors_that_say_the_same_are_told(sign: int, told: str) -> None:
    random = Random(3)
    rows = [[[r[0], 0.5 + sign * (r[0] - 0.5), *r[2:]] for r in values(random)] for _ in range(20)]
    found = only(lint([ledger(each, setting(EVEN)) for each in rows]))
    assert (found.kind, found.factors, found.numbers) == (
        "collinear", ("llm", "heuristics"), {"r": float(sign)},
    )  # fmt: skip
    assert found.what.endswith(f"say the same (r = {sign:.3f}): what they measure {told}")


def test_a_factor_that_follows_from_several_is_told_by_its_inflation() -> None:
    random = Random(4)
    rows = [
        [[a, b, round((a + b) / 2 + random.uniform(-0.02, 0.02) * 0.9, 6), c, d]
         for a, b, _, c, d in ([0.1 + 0.8 * v for v in r[:3]] + r[3:] for r in values(random))]
        for _ in range(40)
    ]  # fmt: skip
    found = lint([ledger(each, setting(EVEN)) for each in rows])
    assert [each.factors for each in found] == [("llm",), ("heuristics",), ("prior",)]
    assert all(each.numbers["vif"] > 10 for each in found)
    assert found[2].what.startswith("prior follows from the other factors (VIF = ")


def test_a_factor_that_follows_wholly_is_told_too() -> None:
    random = Random(5)
    rows = [[[a, b, (a + b) / 2, c, d] for a, b, _, c, d in values(random)] for _ in range(20)]
    found = lint([ledger(each, setting(EVEN)) for each in rows])
    assert "prior follows from the other factors (wholly)" in found[-1].what or (
        found[-1].numbers["vif"] > 1e6
    )


def test_too_few_candidates_are_no_sign_of_collinearity() -> None:
    assert lint(decisions(count=1)) == []


def test_decisions_by_other_weights_are_told_apart() -> None:
    ledgers = [*decisions({**EVEN, "llm": 0.5}), *decisions()]
    found = only(lint(ledgers))
    assert found.kind == "sum" and found.where == (
        "weights llm 0.5, heuristics 0.2, prior 0.2, cost 0.1, latency 0.1 (20 decisions)"
    )


def test_criteria_of_boolean_mode_decide_whatever_they_weigh() -> None:
    rules = msgspec.structs.replace(
        setting({"llm": 1.0, "prior": 0.0, "cost": 2.0}), boolean=BooleanRules()
    )
    assert lint_setting(rules) == []
    assert lint([ledger([[1, 1, 0], [1, 0, 0]] * 10, rules)]) == []
