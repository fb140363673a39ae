"""The tool: a dose from the table, or a refusal that says why."""

from __future__ import annotations

import pytest
from orka.errors import ToolError
from orka.value import Json

from orka_veterinary.drug_dose import drug_dose
from orka_veterinary.formulary import DOSES, REFUSED
from orka_veterinary.species import SPECIES


def ask(**args: Json) -> Json:
    return drug_dose.call(args, "key")


def refused(**args: Json) -> ToolError:
    with pytest.raises(ToolError) as caught:
        ask(**args)
    assert not caught.value.retryable
    return caught.value


def test_a_dose_is_the_table_times_the_weight() -> None:
    found = ask(drug="Amoxicillin", species="Cat", weight_kg=4.2)
    assert found["mg"] == [46.2, 92.4]
    assert (found["every_hours"], found["at_most_days"]) == (24, 7)
    assert found["source"].startswith("21 CFR")


@pytest.mark.parametrize(("drug", "species"), sorted(REFUSED))
def test_what_is_dangerous_for_a_species_is_refused_with_the_reason(
    drug: str, species: str
) -> None:
    error = refused(drug=drug, species=species, weight_kg=4.0)
    assert error.code == "dose.contraindicated"
    assert REFUSED[drug, species] in error.what


def test_another_name_for_paracetamol_is_refused_too() -> None:
    error = refused(drug="Acetaminophen", species="cat", weight_kg=4.0)
    assert error.code == "dose.contraindicated"


@pytest.mark.parametrize("weight", [0, -3, 42, float("nan"), float("inf")])
def test_a_weight_that_a_cat_cannot_have_is_refused(weight: float) -> None:
    assert refused(drug="amoxicillin", species="cat", weight_kg=weight).code == "dose.weight"


def test_the_route_must_be_said_where_it_matters() -> None:
    error = refused(drug="maropitant", species="dog", weight_kg=10)
    assert error.code == "dose.route" and "subcutaneous" in error.fix
    found = ask(drug="maropitant", species="dog", weight_kg=10, route="oral")
    assert found["mg"] == [20, 20]
    assert refused(drug="maropitant", species="dog", weight_kg=10, route="eye").code == "dose.route"


def test_a_dose_is_never_carried_over_from_another_species() -> None:
    error = refused(drug="maropitant", species="rabbit", weight_kg=2)
    assert error.code == "dose.unlisted"


def test_an_unknown_species_is_named() -> None:
    error = refused(drug="meloxicam", species="dgo", weight_kg=10)
    assert error.code == "dose.species" and "'dog'" in error.fix


def test_arguments_are_checked_before_anything_else() -> None:
    assert refused(drug="meloxicam", species="dog", weight_kg=None).code == "tool.arguments"


def test_the_table_says_where_each_line_is_from_and_refuses_none_of_them() -> None:
    for dose in DOSES:
        assert dose.source and dose.species in SPECIES
        assert 0 < dose.low <= dose.high
        assert (dose.drug, dose.species) not in REFUSED
