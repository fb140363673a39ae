"""Flips of small decisions that can be checked by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from orka.errors import LedgerError
from orka.score.decide import DecisionEngine
from orka.score.factor import Abstained, Known, Reading
from orka.score.flips import flips
from orka.score.ledger import Candidate, Ledger, Noise
from orka.score.setting import BooleanRules, Factor, Setting
from orka.score.whatif import Change, whatif
from score.test_why import A, B, candidate, ledger

Row = tuple[float | None, ...]


def small(
    rows: dict[str, Row],
    weights: dict[str, float],
    policies: dict[str, str] | None = None,
    *,
    noise: tuple[Noise, ...] = (),
    boolean: bool = False,
    gated: str = "",
) -> Ledger:
    """Candidates with one value for each weight; in boolean mode all criteria are critical."""
    factors = tuple(
        Factor(
            name=name,
            weight=weight,
            penalty=name == "cost",
            policy=(policies or {}).get(name, "worst"),  # type: ignore[arg-type]  # a test's own
            severity="critical" if boolean else None,
        )
        for name, weight in weights.items()
    )
    candidates = []
    for id, row in rows.items():
        readings: dict[str, Reading] = {
            name: Abstained("nobody knows") if value is None else Known(value)
            for name, value in zip(weights, row, strict=True)
        }
        out = "gated" if id == gated else ""
        candidates.append(Candidate(id=id, path=(id,), factors=readings, excluded=out))
    setting = Setting(factors=factors, boolean=BooleanRules() if boolean else None)
    return DecisionEngine(setting).ledger(candidates, noise=noise)


def test_the_worked_example() -> None:
    found = flips(ledger(candidate("A", A), candidate("B", B)))
    assert found.leader == "A"
    above = found.weight("llm").above
    assert above is not None
    assert (above.value, above.leads, above.at) == (Fraction(37, 16), "B", False)
    others = [each for each in found.weights if each.factor != "llm"]
    assert not any(each.below or each.above for each in others)
    assert found.of("B", "llm").move == Fraction(149, 900)
    assert found.of("A", "llm").move == Fraction(-149, 900)
    assert found.nearest and found.allowed
    assert round(found.nearest.distance, 4) == 0.1691
    assert round(found.allowed.distance, 4) == 0.1781
    assert found.nearest.exact and found.allowed.exact
    assert min(found.nearest.weights.values()) < 0 <= min(found.allowed.weights.values())


def test_what_flips_says_whatif_does() -> None:
    example = ledger(candidate("A", A), candidate("B", B))
    assert whatif(example, Change(set={"llm": 2.3125})).outcome.ranking[0].id == "A"
    assert whatif(example, Change(set={"llm": 2.312501})).outcome.ranking[0].id == "B"


def test_whoever_was_declared_first_leads_at_the_very_value() -> None:
    rows: dict[str, Row] = {"B": (0.4, 0.5), "A": (0.5, 0.4)}
    found = flips(small(rows, {"llm": 0.6, "prior": 0.4}))
    below = found.weight("llm").below
    assert found.leader == "A" and below is not None
    assert (below.value, below.leads, below.at) == (Fraction(2, 5), "B", True)
    turned = flips(small(dict(reversed(rows.items())), {"llm": 0.6, "prior": 0.4}))
    other = turned.weight("llm").below
    assert other is not None and (other.value, other.at) == (Fraction(2, 5), False)


def test_a_tie_flips_at_once() -> None:
    found = flips(small({"A": (0.5, 0.4), "B": (0.4, 0.5)}, {"llm": 0.5, "prior": 0.5}))
    below, above = found.weight("llm").below, found.weight("prior").above
    assert below is not None and above is not None
    assert (below.value, below.at) == (above.value, above.at) == (Fraction(1, 2), False)
    assert found.nearest is not None and found.nearest.distance == 0
    assert found.of("B", "llm").move == 0


def test_equal_candidates_never_flip_by_weights() -> None:
    found = flips(small({"A": (0.5, 0.4), "B": (0.5, 0.4)}, {"llm": 0.5, "prior": 0.5}))
    assert (found.nearest, found.allowed) == (None, None)
    assert not any(each.below or each.above for each in found.weights)


def test_what_is_better_in_everything_flips_only_with_weights_below_0() -> None:
    found = flips(small({"A": (0.9, 0.9), "B": (0.5, 0.5)}, {"llm": 0.5, "prior": 0.5}))
    assert found.nearest is not None and found.allowed is None


def test_who_follows_the_worst_known_value_moves_with_it() -> None:
    """B is the only one who knows the cost, so A counts with the same and B never gains by it."""
    found = flips(small({"A": (0.6, None), "B": (0.5, -0.2)}, {"llm": 0.5, "cost": 0.5}))
    assert found.of("B", "cost").flip is None
    own = found.of("A", "cost")
    assert (own.known, own.value, own.move) == (False, Fraction(-1, 5), Fraction(-1, 10))


def test_a_rival_that_falls_may_take_the_leader_along() -> None:
    """A counts with the cost of C; C's fall takes it below B."""
    rows: dict[str, Row] = {"A": (0.6, None), "B": (0.5, -0.1), "C": (0.1, -0.12)}
    each = flips(small(rows, {"llm": 0.5, "cost": 0.5})).of("C", "cost")
    assert each.flip is not None
    assert (each.flip.leads, each.move) == ("B", Fraction(-8, 100))


def test_who_follows_the_leader_down_does_not_overtake_it() -> None:
    """B counts with the worst known prior: below 0.5, that of C, it is A's own."""
    rows: dict[str, Row] = {"A": (0.5, 0.8), "B": (0.4, None), "C": (0.0, 0.5)}
    found = flips(small(rows, {"llm": 0.5, "prior": 0.5}))
    assert found.leader == "A" and found.of("A", "prior").flip is None


def test_of_several_that_overtake_at_one_weight_the_fastest_leads_then() -> None:
    """With a prior of weight 0.4 all three meet at 0.56, where llm weighs 0.4."""
    rows: dict[str, Row] = {"A": (0.5, 0.9), "B": (0.7, 0.7), "C": (0.9, 0.5)}
    found = flips(small(rows, {"llm": 0.2, "prior": 0.4}))
    above = found.weight("llm").above
    assert found.leader == "A" and above is not None
    assert (above.value, above.leads, above.at) == (Fraction(2, 5), "C", False)
    assert found.nearest is not None and found.nearest.leads == "C"


def test_of_several_that_meet_the_leader_the_one_declared_before_it_leads_at_that_weight() -> None:
    rows: dict[str, Row] = {"B": (0.7, 0.7), "A": (0.5, 0.9), "C": (0.9, 0.5), "D": (None, 0.1)}
    weights = {"llm": 0.2, "prior": 0.4}
    for policy in ("worst", "exclude"):
        above = flips(small(rows, weights, {"llm": policy})).weight("llm").above
        assert above is not None
        assert (above.value, above.leads, above.at) == (Fraction(2, 5), "B", True)


def test_who_was_excluded_for_not_knowing_may_come_in() -> None:
    rows: dict[str, Row] = {"A": (0.5, 0.5), "B": (0.9, None)}
    found = flips(small(rows, {"llm": 0.5, "prior": 0.5}, {"prior": "exclude"}))
    assert found.leader == "A"
    needed = found.of("B", "prior")
    assert (needed.known, needed.value) == (False, None)
    assert needed.flip is not None and needed.flip.value == Fraction(1, 10)
    assert found.of("B", "llm").flip is None
    below = found.weight("prior").below
    assert below is not None and (below.value, below.leads, below.at) == (Fraction(0), "B", True)


def test_whom_a_gate_excluded_stays_out() -> None:
    rows: dict[str, Row] = {"A": (0.5, 0.5), "B": (0.9, None)}
    found = flips(small(rows, {"llm": 0.5, "prior": 0.5}, {"prior": "exclude"}, gated="B"))
    assert not any(each.flip for each in found.values)
    assert not any(each.below or each.above for each in found.weights)
    assert found.rivals == () and found.nearest is None


def test_where_weights_are_handed_on_the_nearest_is_an_upper_bound() -> None:
    rows: dict[str, Row] = {"A": (0.9, 0.2, 0.5), "B": (0.6, None, 0.5)}
    weights = {"llm": 0.5, "prior": 0.4, "heuristics": 0.1}
    found = flips(small(rows, weights, {"prior": "renormalise"}))
    assert found.nearest == found.allowed
    if found.nearest is not None:
        assert not found.nearest.exact and "upper bound" in found.nearest.cause


def test_a_weight_that_is_no_fraction_is_marked_and_known_to_a_millionth_of_a_millionth() -> None:
    """A: 0.9 w + 0.14; B, whose prior is handed on: (0.4 w + 0.16) (w + 0.6) / (w + 0.2)."""
    rows: dict[str, Row] = {"A": (0.9, 0.0, 0.7), "B": (0.4, None, 0.8)}
    weights = {"llm": 0.2, "prior": 0.4, "heuristics": 0.2}
    above = flips(small(rows, weights, {"prior": "renormalise"})).weight("llm").above
    assert above is not None
    assert (above.leads, above.at, above.exact) == ("A", True, False)
    assert abs(float(above.value) - (0.08 + math.sqrt(0.1424))) < 1e-12


def test_in_boolean_mode_a_criterion_that_turns_lets_in_or_out() -> None:
    rows: dict[str, Row] = {"A": (1, 1), "B": (1, 0), "C": (1, None)}
    found = flips(small(rows, {"safe": 0.5, "fast": 0.5}, boolean=True))
    assert found.leader == "A"
    lost = found.of("A", "safe").flip
    assert lost is not None and (lost.value, lost.leads) == (Fraction(0), "")
    assert found.of("B", "fast").flip is None  # it comes in, and is declared after A
    first = flips(small({"B": (1, 0), "A": (1, 1)}, {"safe": 0.5, "fast": 0.5}, boolean=True))
    let_in = first.of("B", "fast").flip
    assert let_in is not None and (let_in.value, let_in.leads) == (Fraction(1), "B")


def test_without_candidates_nothing_flips() -> None:
    found = flips(small({}, {"llm": 1.0}))
    assert (found.leader, found.values, found.rivals, found.nearest) == ("", (), (), None)
    alone = flips(small({"A": (0.5,)}, {"llm": 1.0}))
    assert alone.leader == "A" and alone.nearest is None
    assert alone.of("A", "llm").flip is None
    assert alone.json()["coin_flip"] is None


@pytest.mark.parametrize(
    ("deviation", "coin_flip"), [(0.1, True), (0.06, True), (0.05, False), (0.0, False)]
)
def test_a_rival_within_two_deviations_of_the_noise_is_a_coin_flip(
    deviation: float, coin_flip: bool
) -> None:
    """The margin is 0.08; that of two scores deviates by √2 · 0.5 · the judge's deviation."""
    noise = (Noise("llm", deviation, 3),)
    found = flips(small({"A": (0.66,), "B": (0.5,)}, {"llm": 0.5}, noise=noise))
    assert found.coin_flip is coin_flip
    (rival,) = found.rivals
    if not deviation:
        assert rival.deviations is None
    else:
        expected = 0.08 / (math.sqrt(2) * 0.5 * deviation)
        assert rival.deviations == round(expected, 6)


def test_noise_that_nobody_measured_says_nothing() -> None:
    for noise in ((), (Noise("llm", None),)):
        found = flips(small({"A": (0.6,), "B": (0.5,)}, {"llm": 0.5}, noise=noise))
        assert (found.noise, found.coin_flip) == (None, None)
        assert found.rivals[0].deviations is None


def test_a_factor_that_is_missing_is_an_error() -> None:
    good = small({"A": (0.6,), "B": (0.5,)}, {"llm": 0.5})
    lost = Ledger(
        setting=good.setting,
        candidates=(Candidate(id="A", path=("a",), factors={}),),
        outcome=good.outcome,
    )
    with pytest.raises(LedgerError, match="'A' has no factor 'llm'"):
        flips(lost)
