"""What is said of a factor becomes a value or an abstention, and can be read again."""

from __future__ import annotations

import math

import pytest

from orka.score.decide import DecisionEngine
from orka.score.factor import Abstained, Known, Reading, reading
from orka.score.ledger import Candidate, Ledger
from orka.score.setting import Factor, Setting
from orka.value import canonical, parse

SAID = [
    *(0, 1, 0.5, -0.0, 2, -1, math.nan, math.inf, 10**400, 10**5000, -(10**5000)),
    *(None, True, "0.5", b"1", [0.5], (0.5, "half"), (0.5, 5), ((0.5, "in"), "out")),
    *(Known(0.5), Known(0.5, 5), Known(True), Known(Known(0.5))),  # type: ignore[arg-type]  # on purpose
    *(Abstained("why"), Abstained(5), Abstained(None)),  # type: ignore[arg-type]  # on purpose
]


@pytest.mark.parametrize("said", SAID, ids=lambda each: type(each).__name__)
def test_whatever_is_said_can_be_recorded_and_read_again(said: object) -> None:
    held = reading(said, penalty=False)
    candidate = Candidate(id="a", path=("a",), factors={"f": held})
    made = DecisionEngine(Setting(factors=(Factor(name="f", weight=1.0),))).ledger([candidate])
    assert Ledger.read(parse(canonical(made.json()).decode())) == made


@pytest.mark.parametrize("words", [5, None, b"why"])
def test_a_reason_that_is_no_text_is_an_abstention(words: object) -> None:
    told = Abstained("its reason is no text")
    assert reading(Known(0.5, words), penalty=False) == told  # type: ignore[arg-type]  # on purpose
    assert reading(Abstained(words), penalty=False) == told  # type: ignore[arg-type]  # on purpose


def safest(*priors: Reading) -> str:
    """Which of candidates of one score is the safer one; those after the first cost less."""
    factors = (Factor(name="prior", weight=0.0), Factor(name="cost", weight=0.0, penalty=True))
    setting = Setting(
        factors=(Factor(name="llm", weight=1.0), *factors),
        too_close="safer",
        safer=("prior", "cost"),
    )
    candidates = [
        Candidate(
            id=f"c{at}",
            path=("a",),
            factors={"llm": Known(0.5), "prior": prior, "cost": Known(at / 10 - 1)},
        )
        for at, prior in enumerate(priors)
    ]
    return DecisionEngine(setting).decide(candidates).chosen


def test_what_is_not_known_is_never_the_safer_one_of_two_that_count_as_much() -> None:
    assert safest(Known(0.3), Known(0.3)) == "c1"
    assert safest(Known(0.3), Abstained("nobody knows")) == "c0"
    assert safest(Known(0.3), Abstained("nobody knows"), Known(0.4)) == "c2"
