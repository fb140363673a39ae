"""The criterion: which path suits the patient."""

from __future__ import annotations

import pytest
from orka.score.criterion import Proposal, State, Step
from orka.score.factor import Abstained, Known, Reading
from orka.value import Json

from orka_veterinary.species_fit import species_fit


def fit(*capabilities: tuple[str, ...], species: Json = "cat") -> Reading:
    steps = tuple(Step(id=f"s{at}", capabilities=each) for at, each in enumerate(capabilities))
    proposal = Proposal(path=tuple(step.id for step in steps), steps=steps)
    outputs: dict[str, Json] = {"vitals": {"species": species}}
    return species_fit.measure(proposal, State(candidates=[proposal], outputs=outputs))


def value(found: Reading) -> float | None:
    return found.value if isinstance(found, Known) else None


def test_an_agent_for_the_species_suits() -> None:
    assert value(fit(("dosing",), ("species_cat",))) == 1.0


def test_an_agent_for_another_species_does_not() -> None:
    found = fit(("species_cat",), ("species_dog",))
    assert value(found) == 0.0
    assert isinstance(found, Known) and "dog" in found.reason


def test_an_agent_for_several_species_suits_each_of_them() -> None:
    assert value(fit(("species_dog", "species_cat"))) == 1.0


def test_an_agent_for_any_species_suits_half() -> None:
    assert value(fit(("any_species",), species=None)) == 0.5


def test_nobody_knows_without_a_species_or_a_declaration() -> None:
    assert isinstance(fit(("species_cat",), species=None), Abstained)
    assert isinstance(fit(("species_cat",), species="gryphon"), Abstained)
    assert isinstance(fit(("dosing",)), Abstained)


@pytest.mark.parametrize("other", ["dog", "hamster"])
def test_two_species_are_none(other: str) -> None:
    step = Step(id="a", capabilities=("species_cat",))
    proposal = Proposal(path=("a",), steps=(step,))
    state = State(
        candidates=[proposal], input={"species": other}, outputs={"v": {"species": "cat"}}
    )
    assert isinstance(species_fit.measure(proposal, state), Abstained)
