"""The sensor: what stands in the record is read, what does not is unknown."""

from __future__ import annotations

import orka
from orka.event.event import Violation
from orka.testing.scripted import scripted
from orka.value import Json

RECORD = "Cat, neutered, 4.2 kg. T 103.1 F, pulse 240 bpm. Vomits since Monday."
SAID: dict[str, Json] = {
    "species": "cat",
    "temperature": "103.1 F",
    "heart_rate": "240 bpm",
    "respiratory_rate": None,
    "weight": "4.2 kg",
}


def read(said: dict[str, Json], text: str = RECORD, **options: Json) -> orka.Run:
    flow = {
        "orchestrator": {"id": "reads", "model": "scripted", "agents": ["vitals"]},
        "agents": [{"id": "vitals", "type": "vital_signs", **options}],
    }
    return orka.run_sync(
        flow, text, store=":memory:", models={"scripted": scripted({"vitals": [said]})}
    )


def kinds(run: orka.Run) -> list[tuple[str, str]]:
    return [(event.where, event.kind) for event in run.events if isinstance(event, Violation)]


def test_vital_signs_are_typed_and_held_against_the_species() -> None:
    run = read(SAID)
    assert run.status == "completed", run.failure
    found = run.output
    assert (found["temperature"]["value"], found["temperature"]["unit"]) == (39.5, "°C")
    assert found["temperature"]["status"] == "usual"
    assert found["heart_rate"]["status"] == "high"
    assert found["heart_rate"]["usual"] == [110, 220]
    assert found["weight"]["status"] == "unknown"
    assert found["respiratory_rate"] is None
    assert found["unknown"] == ["respiratory_rate"]
    assert kinds(run) == []


def test_what_the_model_made_up_is_a_violation_and_stays_unknown() -> None:
    run = read({**SAID, "respiratory_rate": "24 /min"})
    assert run.output["respiratory_rate"] is None
    assert "respiratory_rate" in run.output["unknown"]
    assert kinds(run) == [("respiratory_rate", "ungrounded")]


def test_part_of_another_number_is_not_what_the_record_says() -> None:
    run = read({**SAID, "weight": "2 kg"})
    assert run.output["weight"] is None
    assert kinds(run) == [("weight", "ungrounded")]


def test_a_value_that_cannot_be_is_unknown() -> None:
    run = read({**SAID, "weight": "42 kg"}, text=RECORD.replace("4.2 kg", "42 kg"))
    assert run.output["weight"] is None
    assert kinds(run) == [("weight", "implausible")]


def test_without_a_species_nothing_is_called_usual_or_not() -> None:
    run = read({**SAID, "species": None})
    assert run.output["species"] is None
    assert run.output["heart_rate"]["status"] == "unknown"
    assert run.output["unknown"] == ["species", "respiratory_rate"]


def test_a_species_that_is_given_counts_before_what_is_read() -> None:
    run = read(SAID, species="dog")
    assert run.output["species"] == "dog"
    assert run.output["heart_rate"]["usual"] == [60, 140]


def test_a_species_nobody_knows_and_an_empty_record_are_errors() -> None:
    failure = read(SAID, species="unicorn").failure
    assert failure is not None and failure.code == "vital_signs.species"
    failure = read(SAID, text=" ").failure
    assert failure is not None and failure.code == "vital_signs.empty"


def test_an_answer_out_of_form_breaks_the_contract() -> None:
    failure = read({"species": "dragon"}).failure
    assert failure is not None and failure.code == "sensor.violation"
