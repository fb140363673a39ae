"""What a record's words are worth in numbers."""

from __future__ import annotations

import pytest

from orka_veterinary.measure import Vital, measured, stands_in


@pytest.mark.parametrize(
    ("vital", "said", "value"),
    [
        ("temperature", "38.6 °C", 38.6),
        ("temperature", "T 39,4C", 39.4),
        ("temperature", "103.1 F", 39.5),
        ("weight", "4.2 kg", 4.2),
        ("weight", "900 g", 0.9),
        ("weight", "10 lb", 4.5359),
        ("heart_rate", "HR 180", 180.0),
        ("heart_rate", "180 beats/min", 180.0),
        ("respiratory_rate", "24 /min", 24.0),
        ("respiratory_rate", "24 breaths", 24.0),
    ],
)
def test_a_single_number_with_its_unit_is_a_value(vital: Vital, said: str, value: float) -> None:
    assert measured(vital, said).value == value


@pytest.mark.parametrize(
    ("vital", "said", "kind"),
    [
        ("temperature", "39.4", "no_unit"),
        ("temperature", "180 bpm", "wrong_unit"),
        ("weight", "4.2", "no_unit"),
        ("weight", "1,200 g", "ambiguous"),
        ("heart_rate", "120-140 bpm", "ambiguous"),
        ("heart_rate", "120/80", "ambiguous"),
        ("heart_rate", "39 °C", "wrong_unit"),
        ("heart_rate", "fast", "ambiguous"),
        ("heart_rate", "180", "no_unit"),
        ("heart_rate", "for 30 hours", "no_unit"),
        ("heart_rate", "RR 24 /min", "wrong_unit"),
        ("respiratory_rate", "pulse 180", "wrong_unit"),
        ("weight", "-4 kg", "ambiguous"),
    ],
)
def test_what_has_no_single_meaning_has_no_value(vital: Vital, said: str, kind: str) -> None:
    found = measured(vital, said)
    assert (found.value, found.kind) == (None, kind)


def test_words_stand_in_a_text_only_as_a_whole() -> None:
    assert stands_in("9 kg", "weighs 9\nKG today")
    assert not stands_in("9 kg", "weighs 19 kg")
    assert not stands_in("9", "weighs 9.5 kg")
    assert not stands_in("", "anything")
