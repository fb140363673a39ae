"""The workflow: the species chooses the path, a refusal leads to the practice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orka
import pytest
from orka.testing.scripted import ScriptedModel, scripted
from orka.value import Json

import orka_veterinary

FLOW = Path(orka_veterinary.__file__).parent / "dose_advice.yml"
LOCAL = "local/qwen2.5-coder-0.5b-instruct"
RECORDS = {"cat": "Cat, 4.2 kg, vomits.", "dog": "Dog, 12 kg, vomits.", None: "It vomits."}


def flow(tmp_path: Path) -> orka.Workflow:
    """The workflow with the scripted model; its priors are found beside it."""
    (tmp_path / "flow.yml").write_text(FLOW.read_text("utf-8").replace(LOCAL, "scripted"), "utf-8")
    priors = FLOW.with_name("veterinary_priors.yml")
    (tmp_path / priors.name).write_bytes(priors.read_bytes())
    return orka.load(tmp_path / "flow.yml")


def advised(tmp_path: Path, species: str | None, drug: str, route: str = "") -> orka.Run:
    weight = {"cat": "4.2 kg", "dog": "12 kg"}.get(species or "")
    said: Json = {
        "species": species,
        "temperature": None,
        "heart_rate": None,
        "respiratory_rate": None,
        "weight": weight,
    }
    replies: dict[str, list[Json]] = {"vitals": [said]}
    replies |= {id: [f"{id} says so"] for id in ("feline_advice", "canine_advice", "refer")}
    given = {"record": RECORDS[species], "drug": drug, "route": route}
    return asyncio.run(_run(flow(tmp_path), given, scripted(replies)))


async def _run(workflow: orka.Workflow, given: Json, model: ScriptedModel) -> orka.Run:
    async with orka.Runtime(store=":memory:", models={"scripted": model}) as runtime:
        run = await runtime.run(workflow, given)
        runtime.replay(run.id)
        return run


def test_a_cat_is_advised_by_the_agent_for_cats(tmp_path: Path) -> None:
    run = advised(tmp_path, "cat", "amoxicillin")
    assert run.status == "completed", run.failure
    assert run.output["executed_path"] == ["dose", "feline_advice"]
    dose = next(node.value for node in run.nodes if node.path.endswith("/dose"))
    assert dose["mg"] == [46.2, 92.4]


def test_a_dog_is_advised_by_the_agent_for_dogs(tmp_path: Path) -> None:
    run = advised(tmp_path, "dog", "maropitant", "oral")
    assert run.output["executed_path"] == ["dose", "canine_advice"]


def test_a_refused_drug_leads_to_the_practice(tmp_path: Path) -> None:
    run = advised(tmp_path, "cat", "paracetamol")
    assert run.status == "completed", run.failure
    assert run.output["executed_path"] == ["refer"]
    failures = [node.failure.code for node in run.nodes if node.failure]
    assert "dose.contraindicated" in failures


def test_without_species_and_weight_no_dose_is_asked_for(tmp_path: Path) -> None:
    run = advised(tmp_path, None, "amoxicillin")
    assert run.status == "completed", run.failure
    assert run.output["executed_path"] == ["refer"]
    assert not [node for node in run.nodes if node.path.endswith("/dose")]


@pytest.mark.local
def test_the_real_local_model_reads_a_record() -> None:
    run = orka.run_sync(
        {
            "orchestrator": {"id": "reads", "model": LOCAL, "agents": ["vitals"]},
            "agents": [
                {"id": "vitals", "type": "vital_signs", "max_tokens": 160, "violation_retries": 2}
            ],
        },
        "Dog, labrador, body weight 30 kg, temperature 39.9 °C, heart rate 150 bpm.",
        store=":memory:",
    )
    assert run.status == "completed", run.failure
    found = run.output
    assert found["respiratory_rate"] is None or found["respiratory_rate"]["value"] in (30, 150)
    known = [found[name] for name in ("temperature", "heart_rate", "weight") if found[name]]
    assert known, found
