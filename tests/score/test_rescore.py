"""All stored decisions, decided again with a change."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from orka.errors import LedgerError, OrkaError
from orka.score.decide import DecisionEngine
from orka.score.ledger import Ledger
from orka.score.rescore import LeftOut, Rescore, Rescored, Side, rescore
from orka.score.setting import Factor, Setting
from orka.score.strategy import STRATEGIES, Choice, Situation, commit, strategy
from orka.score.whatif import Change
from score.labels import SETTING, ledger, values

A = [0.9, 0.1, 0.1, -0.1, -0.1]
B = [0.1, 0.9, 0.1, -0.1, -0.1]
LLM = {"llm": 1.0}


def decided(rows: list[list[float]], setting: Setting = SETTING) -> Ledger:
    return DecisionEngine(setting).ledger(ledger(rows, setting).candidates)


def test_changed_winners_and_kinds_are_counted_and_told() -> None:
    close = [[0.5, 0.5, 0.5, -0.1, -0.1], [0.9, 0.1, 0.5, -0.1, -0.1]]
    found = rescore(
        [("first", decided([B, A])), ("second", decided([A, A])), ("third", decided(close))],
        Change(weights={"llm": 0.2, "heuristics": 0.8}),
    )
    assert found.lines == (
        Rescore(
            "first",
            Side(winner="c1", decision="shortlist", margin=0.04),
            Side(winner="c0", decision="commit_next", margin=0.48),
        ),
        Rescore(
            "second",
            Side(winner="c0", decision="shortlist", margin=0.0),
            Side(winner="c0", decision="shortlist", margin=0.0),
        ),
        Rescore(
            "third",
            Side(winner="c1", decision="shortlist", margin=0.02),
            Side(winner="c0", decision="commit_next", margin=0.24),
        ),
    )
    assert (
        [line.name for line in found.moved]
        == ["first", "third"]
        == [line.name for line in found.turned]
    )
    assert found.moves == {("c1", "c0"): 2} and found.left_out == ()


def test_nothing_changes_without_a_reason_to() -> None:
    random = Random(1)
    stored = [(str(at), decided(values(random))) for at in range(50)]
    found = rescore(stored, Change(profile="conservative"))
    assert len(found.lines) == 50 and not found.moved and not found.turned


def test_weights_that_prefer_another_factor_agree_with_counting_by_hand() -> None:
    random = Random(2)
    rows = [values(random) for _ in range(50)]
    found = rescore(((str(at), decided(each)) for at, each in enumerate(rows)), Change(weights=LLM))
    best = [f"c{max(range(len(each)), key=lambda at: each[at][0])}" for each in rows]
    assert [line.after.winner for line in found.lines] == best


def test_what_cannot_be_decided_again_is_listed_with_its_cause() -> None:
    other = decided([[0.1], [0.2]], Setting(factors=(Factor(name="tests", weight=1.0),)))
    false = msgspec.structs.replace(
        decided([A, B]), outcome=msgspec.structs.replace(decided([A, B]).outcome, margin=0.5)
    )
    damaged = LedgerError("candidate 'A' has no factor 'llm'")
    found = rescore(
        [("good", decided([A, B])), ("other", other), ("false", false), ("damaged", damaged)],
        Change(weights=LLM),
    )
    assert [line.name for line in found.lines] == ["good"]
    assert found.left_out == (
        LeftOut("other", "score.weights", "weights name the unknown factor 'llm'"),
        LeftOut(
            "false",
            "ledger.mismatch",
            "the recorded decision does not follow from its factors: the outcome's `margin` is 0.5 "
            "on record and 0.04 by the factors",
        ),
        LeftOut("damaged", "ledger.incomplete", "candidate 'A' has no factor 'llm'"),
    )


def test_a_decision_without_candidates_has_no_winner() -> None:
    found = rescore([("none", decided([]))], Change(weights=LLM))
    nothing = Side(winner="", decision="fallback", margin=None)
    assert found == Rescored((Rescore("none", nothing, nothing),), ())


def test_strategies_of_plugins_decide_again_and_are_missed_by_name() -> None:
    @strategy("second")
    def second(situation: Situation) -> Choice:
        return commit(situation, 1)

    known = {**STRATEGIES, "second": second}
    setting = msgspec.structs.replace(SETTING, strategy="second")
    made = DecisionEngine(setting, known).ledger(ledger([A, B]).candidates)
    change = Change(set={"llm": 0.9})
    assert rescore([("x", made)], change, known).lines[0].before.winner == "c1"
    (left,) = rescore([("x", made)], change).left_out
    assert left.code == "score.setting" and "no strategy 'second'" in left.cause


@pytest.mark.parametrize("error", [LedgerError("gone"), OrkaError("odd")])
def test_an_error_in_place_of_a_decision_is_no_decision(error: OrkaError) -> None:
    found = rescore([("x", error)], Change(weights=LLM))
    assert found == Rescored((), (LeftOut("x", error.code, error.what),))
