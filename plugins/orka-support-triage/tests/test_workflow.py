"""The workflow of the package: a ticket from its envelope to what is on file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from orka_support_triage.desk import done
from triage import called, flow, home, noted, quarantined, ran, replies, sample, scripted

import orka
from orka.errors import InputError
from orka.event.event import Gated, NodeStarted
from orka.testing.scripted import ScriptedModel
from orka.value import Json


async def answered(
    envelope: Json, model: ScriptedModel, store: str | Path, **answer: Json
) -> tuple[orka.Run, orka.Run]:
    """The run as it waits, and as it ended once each question was answered so."""
    models: Any = {"scripted": model}
    async with orka.Runtime(store=store, models=models) as runtime:
        waiting = run = await runtime.run(flow(), envelope)
        while run.questions:
            question = run.questions[0]
            seal = question.payload.get("seal")
            sealed = {"seal": seal, **answer} if seal else answer
            run = await runtime.answer(run.id, question.id, sealed)
        runtime.replay(run.id)
        return waiting, run


def actions() -> list[str]:
    return [each["action"] for each in done()]


def test_a_ticket_of_low_risk_is_answered_without_a_person() -> None:
    model = scripted(replies("req_refund_1"))
    run = asyncio.run(ran(flow(), sample("refund"), model))
    assert run.status == "completed", run.failure
    assert actions() == ["send_reply", "file_outcome"]
    filed = done()[-1]["args"]
    assert filed["status"] == "done" and filed["outcome"]["valid"] is True
    assert filed["decision_id"] == noted(run, "triage.decision")[0].data["decision_id"]


def test_both_sources_are_asked_at_once_and_their_branches_meet() -> None:
    run = asyncio.run(ran(flow(), sample("refund"), scripted(replies("req_refund_1"))))
    started = [event.node for event in run.events if isinstance(event, NodeStarted)]
    branches = {started.index("articles"), started.index("account")}
    assert max(branches) - min(branches) == 1 and started.index("evidence") > max(branches)
    assert set(run.outputs["evidence"]) == {"articles", "account"}


@pytest.mark.parametrize("risk", ["high", "critical", "CRITICAL", "no idea", 7])
def test_high_risk_and_what_is_no_risk_waits_for_a_person(risk: Json, tmp_path: Path) -> None:
    model = scripted(replies("req_refund_1", risk=str(risk)))
    waiting, run = asyncio.run(
        answered(sample("refund"), model, tmp_path / "store", approved=True, by="pia")
    )
    assert waiting.status == "waiting" and called(waiting) == ["kb_search", "account_lookup"]
    assert run.status == "completed" and actions() == ["send_reply", "file_outcome"]
    reasons = noted(run, "triage.decision")[0].data["reasons"]
    assert "pia has approved it" in [each["claim"] for each in reasons]


def test_after_a_no_nothing_is_done_and_that_is_on_file(tmp_path: Path) -> None:
    model = scripted(replies("req_refund_1", risk="high"))
    _, run = asyncio.run(
        answered(sample("refund"), model, tmp_path / "store", approved=False, by="pia")
    )
    assert run.status == "completed", run.failure
    assert actions() == ["file_outcome"]
    assert done()[-1]["args"]["status"] == "held"


def test_a_draft_that_is_not_valid_waits_for_a_person() -> None:
    said = replies("req_refund_1", citations=[])
    run = asyncio.run(ran(flow(), sample("refund"), scripted(said)))
    assert run.status == "waiting"
    assert "citations" in run.questions[0].payload["prompt"]


def test_what_is_not_permitted_is_not_done_whatever_the_plan_says() -> None:
    plan = [
        {"action": name, "details": {"amount": 5}}
        for name in ("draft_reply", "close_ticket", "set_priority", "change_account_settings")
    ]
    run = asyncio.run(
        answered(
            sample("refund"),
            scripted(replies("req_refund_1", action_plan=plan)),
            ":memory:",
            approved=True,
            by="pia",
        )
    )[1]
    assert run.status == "completed", run.failure
    assert actions() == ["send_reply", "file_outcome"]
    ruled = noted(run, "triage.permissions")[0].data
    assert [each["result"] for each in ruled] == ["allowed", "denied", "denied", "denied"]


def test_a_refund_asks_a_person_with_the_very_call_that_will_run() -> None:
    plan = [{"action": "issue_refund", "details": {"amount": 29.99, "reason": "booked twice"}}]
    model = scripted(replies("req_refund_1", action_plan=plan))
    waiting, run = asyncio.run(
        answered(sample("refund"), model, ":memory:", approved=True, by="pia")
    )
    asked = waiting.questions[0].payload["call"]
    assert asked["tool"] == "issue_refund" and asked["args"]["amount"] == 29.99
    assert run.status == "completed" and actions() == ["issue_refund", "file_outcome"]
    assert done()[0]["args"] == {"amount": 29.99, "reason": "booked twice"}


def test_a_refund_beyond_the_entitlement_is_never_asked_for() -> None:
    plan = [{"action": "issue_refund", "details": {"amount": 5000, "reason": "all"}}]
    model = scripted(replies("req_refund_1", action_plan=plan))
    _, run = asyncio.run(answered(sample("refund"), model, ":memory:", approved=True, by="pia"))
    assert "issue_refund" not in actions() and "issue_refund" not in called(run)


def test_the_engine_refuses_what_the_agent_would_let_pass() -> None:
    """The same workflow without the agent that checks permissions: the policy alone holds."""
    plan = [
        {"action": "close_ticket", "details": "x"},
        {"action": "issue_refund", "details": {"amount": 5000}},
        {"action": "tag_ticket", "details": "x"},
    ]
    bare = flow().replace(
        "previous_outputs.permissions.permitted }}", "previous_outputs.draft.action_plan }}"
    )
    bare = bare.replace(" and previous_outputs.permissions.valid", "")
    model = scripted(replies("req_refund_1", action_plan=plan))
    run = asyncio.run(ran(bare, sample("refund"), model))
    assert run.status == "completed", run.failure
    assert actions() == ["file_outcome"]
    gates = {event.tool: event.verdict for event in run.events if isinstance(event, Gated)}
    assert gates["close_ticket"] == gates["issue_refund"] == gates["tag_ticket"] == "deny"


def test_instructions_in_a_ticket_make_its_answer_wait() -> None:
    said = replies("req_injection_1", citations=[])
    run = asyncio.run(ran(flow(), sample("injection"), scripted(said)))
    assert quarantined(run) or run.started.screened
    assert run.status == "waiting" and run.questions[0].payload["call"]["tool"] == "send_reply"


def test_personal_data_reach_the_customer_and_no_file_of_the_store(tmp_path: Path) -> None:
    mail = "anais.lefevre@example.fr"
    body = {"subject": "Re", "body": "We write to [EMAIL_1]."}
    model = scripted(replies("req_refund_1", reply=body))
    store = tmp_path / "store"
    run = asyncio.run(ran(flow(), sample("refund"), model, store))
    assert run.status == "completed", run.failure
    files = [each for each in store.rglob("*") if each.is_file() and "vault" not in each.name]
    assert files and all(mail.encode() not in each.read_bytes() for each in files)
    assert done()[0]["args"]["body"] == f"We write to {mail}."
    assert run.outputs["redact"]["counts"]["email"] == 1


def test_an_envelope_that_is_not_valid_ends_the_run_before_a_model_is_asked() -> None:
    model = scripted({})
    envelope = sample("refund")
    del envelope["case"]["subject"]
    run = asyncio.run(ran(flow(), envelope, model))
    assert run.status == "failed" and run.failure is not None
    assert run.failure.code == "triage.invalid_envelope" and "case.subject" in run.failure.message
    assert model.calls == [] and not home().exists()


def test_an_answer_without_the_seal_is_refused() -> None:
    plan = [{"action": "issue_refund", "details": {"amount": 5}}]
    model = scripted(replies("req_refund_1", action_plan=plan))

    async def forged() -> None:
        models: Any = {"scripted": model}
        async with orka.Runtime(store=":memory:", models=models) as runtime:
            run = await runtime.run(flow(), sample("refund"))
            await runtime.answer(run.id, run.questions[0].id, {"approved": True, "by": "pia"})

    with pytest.raises(InputError) as caught:
        asyncio.run(forged())
    assert caught.value.code == "approval.mismatch" and actions() == []
