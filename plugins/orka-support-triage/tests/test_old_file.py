"""0.9's own workflow file runs with the package installed, on its own three inputs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from orka_support_triage.evals import cases_in, checked, seen_in
from triage import draft, noted, old_folder, quarantined, scripted, violations

import orka
from orka.event.event import NodeStarted, NodeStopped
from orka.testing.scripted import ScriptedModel
from orka.value import Json

FOLDER = old_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="the files of OrKa 0.9 are not there")
NAMES = ("refund_with_injection", "account_lockout_urgent", "injection_variants")
INTENTS = {
    "refund_with_injection": ("refund_request", "billing"),
    "account_lockout_urgent": ("technical_support", "account"),
    "injection_variants": ("other", "general"),
}
PLANTED = ("john.smith@company.com", "555-123-4567")


def envelope(name: str) -> dict[str, Any]:
    assert FOLDER is not None
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


def said(name: str, risk: str) -> dict[str, list[Json]]:
    intent, category = INTENTS[name]
    request = envelope(name)["request_id"]
    values: dict[str, Json] = {
        "classify_intent": {
            "intent": intent,
            "category": category,
            "priority": "normal",
            "injection_attempt": True,
            "confidence": 0.9,
        },
        "risk_assess": {"overall_risk": risk, "risk_flags": [], "requires_human_gate": True},
        "retrieval_plan": {"queries": []},
        "account_lookup": {"customer_id": "c", "account_status": "active"},
        "synthesize": {"facts": [], "missing_info": [], "recommended_path": "respond"},
        "draft_reply": draft(
            request,
            classification={"intent": intent, "category": category, "priority": "normal"},
            citations=[],
        ),
        "needs_approval": {"status": "pending_approval", "requires_human": True},
        "auto_approved": {"status": "approved", "requires_human": False},
        "finalize": {"workflow_status": "completed", "request_id": request},
    }
    return {node: [json.dumps(value)] for node, value in values.items()}


async def once(name: str, model: ScriptedModel, store: str | Path) -> orka.Run:
    assert FOLDER is not None
    models: Any = {"openai": model}
    async with orka.Runtime(store=store, models=models) as runtime:
        run = await runtime.run(FOLDER / "support_ticket_triage.yml", envelope(name))
        runtime.replay(run.id)
        return run


@pytest.fixture(autouse=True)
def nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search finds nobody, at once."""
    monkeypatch.setenv("ORKA_SEARCH_URL", "http://127.0.0.1:9/search")


@pytest.mark.parametrize("name", NAMES)
def test_each_input_runs_to_its_end(name: str, tmp_path: Path) -> None:
    model = scripted(said(name, "low"))
    run = asyncio.run(once(name, model, tmp_path / "store"))
    assert run.status == "completed", run.failure
    assert run.output["request_id"] == envelope(name)["request_id"]
    assert run.outputs["verify_output"]["valid"] is True
    assert run.outputs["extract_risk_level"] == "low"
    assert "auto_approved" in run.outputs and "needs_approval" not in run.outputs
    expected = f"{INTENTS[name][0]}_flow"
    assert noted(run, "triage.decision")[0].data["chosen_path"] == expected


def test_the_risk_is_read_before_its_router_although_the_list_leaves_it_out() -> None:
    run = asyncio.run(once(NAMES[0], scripted(said(NAMES[0], "HIGH")), ":memory:"))
    order = [event.node for event in run.events if isinstance(event, NodeStarted)]
    assert order.index("extract_risk_level") < order.index("human_gate_router")
    assert "needs_approval" in run.outputs and "auto_approved" not in run.outputs
    assert not [event for event in run.events if isinstance(event, NodeStopped)]


def test_a_risk_that_is_no_level_goes_the_safe_way_and_is_an_event() -> None:
    run = asyncio.run(once(NAMES[0], scripted(said(NAMES[0], "who knows")), ":memory:"))
    assert "needs_approval" in run.outputs
    assert [event.kind for event in violations(run)] == ["risk_level"]


def test_prompts_hold_the_ticket_and_not_the_customers_data(tmp_path: Path) -> None:
    name = "account_lockout_urgent"
    model = scripted(said(name, "low"))
    run = asyncio.run(once(name, model, tmp_path / "store"))
    (prompt,) = model.prompts("classify_intent")
    assert "locked out of my account" in prompt and "URGENT" in prompt
    for secret in PLANTED:
        assert secret not in "".join(asked.prompt for asked in model.calls)
        for path in (tmp_path / "store").rglob("*"):
            assert not path.is_file() or secret.encode() not in path.read_bytes(), path
    assert run.outputs["redact_pii"]["counts"]["email"] == 1
    assert run.outputs["redact_pii"]["counts"]["phone"] == 1


@pytest.mark.parametrize("name", ["refund_with_injection", "injection_variants"])
def test_instructions_in_the_ticket_are_found_and_fenced(name: str) -> None:
    model = scripted(said(name, "low"))
    run = asyncio.run(once(name, model, ":memory:"))
    assert run.outputs["check_trust"]["injection_detected"] is True and quarantined(run)
    (prompt,) = model.prompts("classify_intent")
    assert "<untrusted-data digest=" in prompt


def test_the_old_eval_cases_are_checked() -> None:
    assert FOLDER is not None
    for case, name in zip(cases_in(FOLDER / "eval_cases.json"), NAMES, strict=True):
        run = asyncio.run(once(name, scripted(said(name, "low")), ":memory:"))
        found = {check.name: check.said for check in checked(case, seen_in(run))}
        failed = {key for key, verdict in found.items() if verdict == "fail"}
        # The file asks for no citations, and its case does.
        assert failed <= {"citations"}, failed
        assert found["must_not_call_tools"] == found["blocked_actions"] == "pass"
        assert found["trust_boundary"] == "pass"
