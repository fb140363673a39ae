"""The doses that `drug_dose` knows, and what it refuses. Each line names its source."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

ALIASES: Mapping[str, str] = {"acetaminophen": "paracetamol", "tylenol": "paracetamol"}


class Dose(msgspec.Struct, frozen=True, kw_only=True):
    """A dose per kilogram, each so many hours, for at most so many days (None: the source sets no
    limit)."""

    drug: str
    species: str
    route: str
    low: float
    high: float
    hours: int
    days: int | None = None
    note: str = ""
    source: str


DOSES: tuple[Dose, ...] = (
    # Title 21 of the US Code of Federal Regulations, conditions of use. 5 mg/lb is 11 mg/kg.
    Dose(
        drug="meloxicam",
        species="dog",
        route="oral",
        low=0.1,
        high=0.2,
        hours=24,
        note="0.2 mg/kg on the first day only, then 0.1 mg/kg",
        source="21 CFR 520.1350(c)",
    ),
    Dose(
        drug="maropitant",
        species="dog",
        route="oral",
        low=2.0,
        high=2.0,
        hours=24,
        days=5,
        note="for acute vomiting, from 2 months of age",
        source="21 CFR 520.1315(c)",
    ),
    Dose(
        drug="maropitant",
        species="dog",
        route="subcutaneous",
        low=1.0,
        high=1.0,
        hours=24,
        days=5,
        source="21 CFR 522.1315(c)(1)",
    ),
    Dose(
        drug="maropitant",
        species="cat",
        route="subcutaneous",
        low=1.0,
        high=1.0,
        hours=24,
        days=5,
        source="21 CFR 522.1315(c)(2)",
    ),
    Dose(
        drug="amoxicillin",
        species="dog",
        route="oral",
        low=11.0,
        high=11.0,
        hours=12,
        days=7,
        source="21 CFR 520.88a(c)(1)",
    ),
    Dose(
        drug="amoxicillin",
        species="cat",
        route="oral",
        low=11.0,
        high=22.0,
        hours=24,
        days=7,
        source="21 CFR 520.88a(c)(2)",
    ),
)

# (drug, species) -> why it is never given.
REFUSED: Mapping[tuple[str, str], str] = {
    # Cats conjugate both too slowly: textbooks of toxicology agree, and product leaflets say so.
    ("paracetamol", "cat"): "a single tablet can kill a cat: it cannot glucuronidate paracetamol, "
    "and its haemoglobin becomes methaemoglobin",
    ("permethrin", "cat"): "cats cannot break permethrin down; tremor, seizures and death follow",
    # Human anti-inflammatory with hardly any margin between effect and ulcer or renal failure.
    ("ibuprofen", "dog"): "its safety margin in dogs is too narrow: ulcers and renal failure",
    ("ibuprofen", "cat"): "cats are even more sensitive to it than dogs: renal failure",
    # Boxed warning of the US label.
    ("meloxicam", "cat"): "repeated doses have caused renal failure and death in cats",
    # Oral penicillins let clostridia overgrow the caecum.
    ("amoxicillin", "rabbit"): "by mouth it causes fatal enterotoxaemia in rabbits",
}
