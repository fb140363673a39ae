"""Weights that explain labels: what they recover, how sure that is, and what is refused."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.errors import ConfigError, InputError
from orka.score.agreement import Agreement, agreement, paired
from orka.score.factor import Abstained, Known, Reading, exact
from orka.score.fit import Fit, fit
from orka.score.ledger import Candidate, Ledger
from orka.score.setting import Factor, Setting
from score.labels import NOISE, NOTHING, SETTING, hidden, labelled, ledger, truth

CEILING = 1 - NOISE
DECISIONS = 400


def fitted(seed: int) -> tuple[Fit, float]:
    """A fit to labels of hidden weights, and the true agreement of what was fitted."""
    random = Random(seed)
    weights = hidden(random)
    found = fit(labelled(random, weights, DECISIONS), seed=seed)
    return found, truth(weights, found.weights)


def covered(held: Sequence[bool]) -> float:
    return sum(held) / len(held)


@pytest.mark.slow
def test_hidden_weights_are_recovered_and_the_interval_is_honest(*, whole: bool) -> None:
    found = [fitted(seed) for seed in range(1000 if whole else 5)]
    shares = [each.after.share for each, _ in found]
    assert sum(shares) / len(shares) >= 0.95 * CEILING
    held = [each.after.low <= true <= each.after.high for each, true in found]
    print(f"{len(found)} seeds: held-out agreement {sum(shares) / len(shares):.4f}, ", end="")
    print(f"the truth {sum(true for _, true in found) / len(found):.4f}, ", end="")
    print(f"covered {covered(held):.4f}, of the first 200 {covered(held[:200]):.4f}")
    if not whole:
        assert covered(held) >= 0.6
        return
    assert 0.93 <= covered(held) <= 0.97
    assert all(true >= 0.92 * CEILING for _, true in found)


def test_fitted_weights_keep_the_sum_and_are_never_negative() -> None:
    found, _ = fitted(3)
    assert sum(map(exact, found.weights.values())) == sum(map(exact, found.today.values()))
    assert min(found.weights.values()) >= 0
    assert (found.trained, found.after.of, found.advice) == (280, 120, "use")
    assert found.reason.startswith("use the fitted weights: of 120 held-out labels they choose ")


def test_a_fit_is_the_same_each_time_and_another_seed_holds_out_others() -> None:
    random = Random(1)
    labels = labelled(random, hidden(random), 100)
    assert fit(labels) == fit(labels)
    assert fit(labels, seed=1) != fit(labels)
    assert fit(labels, seed=1).weights != fit(labels).weights


def test_labels_that_today_explains_leave_the_weights_as_they_are() -> None:
    found = fit(labelled(Random(5), SETTING.weights, 200))
    assert found.weights == found.today == SETTING.weights
    assert found.strength is None and found.advice == "keep"
    assert found.reason == (
        "keep today's weights: no others explain the labels better, beyond chance"
    )


def test_labels_without_sense_do_not_change_the_weights_much() -> None:
    random = Random(8)
    labels = [
        (each, f"c{random.randrange(len(each.candidates))}")
        for each, _ in labelled(random, SETTING.weights, 200)
    ]
    assert fit(labels).advice == "keep"


def test_labels_that_are_explained_wholly_give_weights_too() -> None:
    random = Random(2)
    only = {"llm": 1.0, "heuristics": 0.0, "prior": 0.0, "cost": 0.0, "latency": 0.0}
    found = fit(labelled(random, only, 200, noise=0))
    assert found.after.share > 0.9 and found.weights["llm"] > 0.8


def test_a_weight_of_today_that_is_zero_can_grow() -> None:
    random = Random(4)
    today = {"llm": 1.0, "heuristics": 0.0, "prior": 0.0, "cost": 0.0, "latency": 0.0}
    found = fit(labelled(random, SETTING.weights, 200), today=today)
    assert found.today == today and found.weights["heuristics"] > 0.1


def test_what_is_not_known_counts_as_the_scorer_lets_it_count() -> None:
    random = Random(6)
    unsure = Setting(
        factors=tuple(
            msgspec.structs.replace(each, policy="worst" if each.penalty else "renormalise")
            for each in SETTING.factors
        )
    )
    labels = [
        (Ledger(setting=unsure, candidates=_unknown(random, each), outcome=NOTHING), winner)
        for each, winner in labelled(random, hidden(random), 200)
    ]
    found = fit(labels)
    assert found.advice == "use" and found.after.share > found.before.share


def _unknown(random: Random, found: Ledger) -> tuple[Candidate, ...]:
    """The candidates, one of twenty readings unknown."""

    def maybe(held: Reading) -> Reading:
        return held if random.random() > 0.05 else Abstained("nobody asked")

    return tuple(
        msgspec.structs.replace(
            each, factors={name: maybe(held) for name, held in each.factors.items()}
        )
        for each in found.candidates
    )


def test_decisions_that_say_nothing_are_counted_and_not_used() -> None:
    labels = labelled(Random(7), SETTING.weights, 60)
    alone, _ = labels[0]
    one = Ledger(setting=SETTING, candidates=alone.candidates[:1], outcome=NOTHING)
    first = msgspec.structs.replace(alone.candidates[0], excluded="over the budget")
    gone = Ledger(setting=SETTING, candidates=(first, *alone.candidates[1:]), outcome=NOTHING)
    found = fit([(one, "c0"), (gone, "c0"), *labels])
    assert (found.alone, found.out, found.trained + found.after.of) == (1, 1, 60)


def refusal(labels: list[tuple[Ledger, str]], **options: object) -> str:
    with pytest.raises(InputError) as caught:
        fit(labels, **options)  # type: ignore[arg-type]  # handed on
    return str(caught.value)


def test_fewer_than_twenty_labels_are_refused() -> None:
    labels = labelled(Random(7), SETTING.weights, 19)
    one = Ledger(setting=SETTING, candidates=labels[0][0].candidates[:1], outcome=NOTHING)
    assert refusal([]).startswith("[fit.few_labels] 0 labels can be used; fewer than 20 say too")
    assert refusal([(one, "c0"), *labels]).startswith(
        "[fit.few_labels] 19 labels can be used (beside 1 of decisions without a choice); fewer"
    )


def test_labels_that_name_no_candidate_are_listed() -> None:
    labels = labelled(Random(7), SETTING.weights, 30)
    labels[3] = (labels[3][0], "nobody")
    names = [f"run-{at} scout" for at in range(30)]
    there = ", ".join(each.id for each in labels[3][0].candidates)
    assert refusal(labels, names=names) == (
        "[fit.no_candidate] 1 label names no candidate of the decision: "
        f"run-3 scout: 'nobody' (candidates: {there})\n"
        "  to do: write a candidate's id as `orka why RUN` shows it"
    )
    assert "; and 20 more" in refusal([(each, "nobody") for each, _ in labels])


def test_decisions_with_other_factors_are_refused_by_name() -> None:
    labels = labelled(Random(7), SETTING.weights, 30)
    small = Setting(factors=(Factor(name="llm", weight=1.0),))
    labels[0] = (ledger([[0.1], [0.2]], small), "c0")
    assert refusal(labels).startswith(
        "[fit.other_factors] the last decision has the factors llm, heuristics, prior, cost, "
        "latency, and others have other ones: decision 1 (llm)"
    )


def test_labels_at_one_place_are_refused() -> None:
    labels = [(each, "c1") for each, _ in labelled(Random(7), SETTING.weights, 30)]
    assert refusal(labels).startswith(
        "[fit.one_place] all 30 labels name the candidate that stands at place 2 of its decision"
    )


def test_factors_that_never_vary_are_refused() -> None:
    same = ledger([[0.5, 0.5, 0.5, -0.5, -0.5]] * 2)
    labels = [(same, f"c{at % 2}") for at in range(30)]
    assert refusal(labels).startswith("[fit.no_variation] no factor differs between the candidates")


def test_folds_and_weights_that_cannot_be_meant_are_refused() -> None:
    labels = labelled(Random(7), SETTING.weights, 30)
    with pytest.raises(ConfigError, match=r"fit\.folds.*`folds` is 1; it must be 2 or more"):
        fit(labels, folds=1)
    with pytest.raises(ConfigError, match=r"the weight of 'llm' in `weights` is -1, below 0"):
        fit(labels, today={"llm": -1})


def test_without_scipy_the_error_names_the_extra() -> None:
    program = (
        "import sys; sys.path.insert(0, 'tests'); sys.modules['scipy'] = None\n"
        "from random import Random\n"
        "from orka.errors import ConfigError\n"
        "from orka.score.fit import fit\n"
        "from score.labels import SETTING, labelled\n"
        "try:\n    fit(labelled(Random(1), SETTING.weights, 30))\n"
        "except ConfigError as error:\n    print(error)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout.startswith("[fit.needs_stats] weights are fitted with scipy, which cannot")
    assert "to do: run `pip install 'orka[stats]'`" in ended.stdout


def test_fit_is_imported_without_scipy_and_numpy() -> None:
    program = "import sys, orka.score.fit\nprint('scipy' in sys.modules, 'numpy' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False False"


def test_intervals_are_those_of_clopper_and_pearson() -> None:
    assert agreement([True] * 8 + [False] * 2) == Agreement(8, 10, 0.8, 0.4439, 0.9748)
    assert (agreement([True] * 5).high, agreement([False] * 5).low) == (1.0, 0.0)
    assert str(agreement([True] * 8 + [False] * 2)) == "80.0% (44.4% to 97.5%)"


@pytest.mark.parametrize("of", [30, 120, 400])
def test_intervals_hold_the_truth_in_at_least_95_of_100_cases(of: int) -> None:
    intervals = [agreement([True] * n + [False] * (of - n)) for n in range(of + 1)]

    def coverage(truth: float) -> float:
        chances = (
            math.comb(of, n) * truth**n * (1 - truth) ** (of - n)
            for n, each in enumerate(intervals)
            if each.low <= truth <= each.high
        )
        return sum(chances)

    found = [coverage(truth / 1000) for truth in range(820, 940)]
    assert min(found) >= 0.949  # they have four decimal places
    assert sum(found) / len(found) <= (0.98 if of < 100 else 0.97)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_that_of_scipy(gained: int, lost: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    before = [False] * gained + [True] * lost + [True] * 5
    after = [True] * gained + [False] * lost + [True] * 5
    found = paired(before, after)
    wanted = stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert (found.gained, found.lost) == (gained, lost)
    assert found.p == pytest.approx(wanted, rel=1e-9)


def test_a_known_value_is_what_labels_are_made_of() -> None:
    made = labelled(Random(1), SETTING.weights, 1)[0][0]
    assert all(isinstance(each, Known) for each in made.candidates[0].factors.values())
