"""Envelopes and outputs are held against their schemas: all that is wrong, with its place."""

from __future__ import annotations

import json

import jsonschema_rs
import pytest
from orka_support_triage.__main__ import main
from orka_support_triage.schema.envelope import InputEnvelope
from orka_support_triage.schema.output import OutputEnvelope
from orka_support_triage.schema.reading import builtins, json_schema, read
from orka_support_triage.schema.record import Decision, ToolCall, ToolResult, TraceEvent
from triage import draft, old_folder, sample


@pytest.mark.parametrize("name", ["refund", "lockout", "injection"])
def test_the_samples_are_envelopes_and_stay_what_they_are(name: str) -> None:
    envelope, broken, passed = read(sample(name), InputEnvelope, strict=True)
    assert envelope is not None and not broken and not passed
    again, broken, _ = read(builtins(envelope), InputEnvelope, strict=True)
    assert again == envelope and not broken


def test_the_three_envelopes_of_the_old_module_are_read() -> None:
    folder = old_folder()
    if folder is None:
        pytest.skip("the files of OrKa 0.9 are not there")
    names = ("refund_with_injection", "account_lockout_urgent", "injection_variants")
    for name in names:
        value = json.loads((folder / f"{name}.json").read_text("utf-8"))
        assert read(value, InputEnvelope, strict=True)[1] == []


def test_everything_that_is_wrong_is_told_at_once_and_with_its_place() -> None:
    value = sample("refund")
    del value["tenant"]
    value["case"]["urgent"] = True
    value["context"]["customer_profile"]["age"] = 9
    value["constraints"]["max_latency_ms"] = "soon"
    value["permissions"]["allowed_actions"].append("fly")
    value["created_at"] = "yesterday"
    _, broken, _ = read(value, InputEnvelope, strict=True)
    assert {violation.where for violation in broken} == {
        "tenant",
        "case.urgent",
        "context.customer_profile.age",
        "constraints.max_latency_ms",
        "permissions.allowed_actions[4]",
        "created_at",
    }
    assert {each.where for each in broken if each.code == "unknown_field"} == {
        "case.urgent",
        "context.customer_profile.age",
    }


def test_unknown_fields_are_left_out_and_told_where_that_is_allowed() -> None:
    value = sample("refund")
    value["case"]["urgent"] = True
    envelope, broken, passed = read(value, InputEnvelope, strict=False)
    assert envelope is not None and not broken
    assert [each.where for each in passed] == ["case.urgent"]
    assert "urgent" not in builtins(envelope)["case"] and value["case"]["urgent"] is True


def test_a_day_that_does_not_exist_is_no_time() -> None:
    value = sample("refund")
    value["created_at"] = "2026-02-30T00:00:00Z"
    assert read(value, InputEnvelope, strict=True)[1]


def test_a_violation_does_not_repeat_the_value() -> None:
    value = sample("refund")
    value["case"]["channel"] = "call anna@example.com"
    _, broken, _ = read(value, InputEnvelope, strict=True)
    assert [each.where for each in broken] == ["case.channel"]
    assert "anna" not in broken[0].message and "zendesk" in broken[0].message


def test_what_is_blocked_may_be_any_name_what_is_allowed_may_not() -> None:
    value = sample("refund")
    value["permissions"]["blocked_actions"] = ["launch_rockets"]
    assert read(value, InputEnvelope, strict=True)[1] == []
    value["permissions"]["allowed_actions"] = ["launch_rockets"]
    assert read(value, InputEnvelope, strict=True)[1]


def test_an_output_is_held_against_its_schema() -> None:
    assert read(draft("r"), OutputEnvelope, strict=True)[1] == []
    wrong = draft("r", risk={"overall": "tiny", "reasons": ["x"]}, notes="n")
    assert {each.where for each in read(wrong, OutputEnvelope, strict=True)[1]} == {
        "risk.overall",
        "notes",
    }


@pytest.mark.parametrize(
    "kind", [InputEnvelope, OutputEnvelope, ToolCall, ToolResult, Decision, TraceEvent]
)
def test_each_type_has_a_json_schema(kind: type) -> None:
    jsonschema_rs.validator_for(json_schema(kind))


def test_the_schemas_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("schema") == 0
    assert {"input", "output"} == set(json.loads(capsys.readouterr().out))
    assert main("workflow") == 0 and "support_triage.yml" in capsys.readouterr().out
    assert main("nonsense") == 2
