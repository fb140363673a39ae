"""Eval cases: what is checked, what is not, and that it is said."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from orka_support_triage.command import evaluated, triage_eval
from orka_support_triage.evals import EvalCase, Expected, Result, Tolerances, cases_in, fingerprint
from orka_support_triage.report import exit_code, for_people, for_programs
from triage import PACKAGE, flow, old_folder, replies, scripted

import orka
from orka.errors import InputError

CASES = PACKAGE / "samples" / "eval_cases.json"


def judged(case: EvalCase, said: Any, golden: Path | None = None, **options: Any) -> Result:
    async def once() -> Result:
        models: Any = {"scripted": scripted(said)}
        async with orka.Runtime(store=":memory:", models=models) as runtime:
            return await evaluated(runtime, orka.load(flow()), case, CASES, golden, **options)

    return asyncio.run(once())


def verdicts(result: Result) -> dict[str, str]:
    return {check.name: check.said for check in result.checks}


def case(**expected: Any) -> EvalCase:
    return EvalCase(
        eval_id="one", request_envelope_ref="refund.json", expected=Expected(**expected)
    )


def test_the_cases_of_the_package_name_envelopes_that_are_there() -> None:
    assert [each.eval_id for each in cases_in(CASES)] == ["refund", "lockout", "injection"]
    assert all((CASES.parent / each.request_envelope_ref).is_file() for each in cases_in(CASES))


def test_what_is_met_passes_and_what_is_not_asked_is_not_checked() -> None:
    refund = cases_in(CASES)[0]
    result = judged(refund, replies("req_refund_1"))
    found = verdicts(result)
    for name in ("intent", "category", "must_not_call_tools", "citations", "trust_boundary"):
        assert found[name] == "pass", name
    assert found["escalation"] == found["flags"] == found["output_similarity"] == "not_checked"
    assert exit_code([result]) == 0
    assert all(check.why for check in result.checks if check.said != "pass")


@pytest.mark.parametrize(
    ("expected", "name"),
    [
        ({"intent": "complaint"}, "intent"),
        ({"category": "technical"}, "category"),
        ({"must_set_flags": ("prompt_injection_detected",)}, "flags"),
        ({"must_not_call_tools": ("send_reply",)}, "must_not_call_tools"),
        ({"must_escalate": True}, "escalation"),
    ],
)
def test_what_is_not_met_fails(expected: dict[str, Any], name: str) -> None:
    result = judged(case(**expected), replies("req_refund_1"))
    assert verdicts(result)[name] == "fail" and exit_code([result]) == 1


def test_citations_that_are_not_there_fail() -> None:
    wrong = [{"claim": "c", "tool_result_id": "kb_0", "item_id": "x"}]
    assert verdicts(judged(case(), replies("req_refund_1", citations=wrong)))["citations"] == "fail"
    free = case(must_include_citations=False)
    assert verdicts(judged(free, replies("req_refund_1")))["citations"] == "not_checked"


def test_a_run_that_waits_is_checked_as_far_as_it_is() -> None:
    result = judged(case(must_escalate=True), replies("req_refund_1", risk="high"))
    assert result.status == "waiting" and verdicts(result)["escalation"] == "pass"
    assert verdicts(result)["intent"] == "not_checked"


def test_tolerances_are_held_and_an_unknown_confidence_is_not_checked() -> None:
    slow = EvalCase(
        eval_id="slow",
        request_envelope_ref="refund.json",
        tolerances=Tolerances(max_latency_ms=0, confidence_min=0.5),
    )
    found = verdicts(judged(slow, replies("req_refund_1")))
    assert found["latency"] == "fail" and found["confidence"] == "pass"


def test_a_golden_output_is_compared_without_its_times(tmp_path: Path) -> None:
    said = replies("req_refund_1")
    first = judged(case(), said, tmp_path, registers=True)
    assert verdicts(first)["golden"] == "pass"
    again = judged(case(), replies("req_refund_1"), tmp_path)
    assert verdicts(again)["golden"] == "pass" and exit_code([again]) == 0
    other = replies("req_refund_1", reply={"subject": "Re", "body": "Something else."})
    changed = judged(case(), other, tmp_path)
    assert verdicts(changed)["golden"] == "fail" and exit_code([changed]) == 2
    assert fingerprint({"a": 1, "created_at": "x"}) == fingerprint({"created_at": "y", "a": 1})


def test_nothing_registered_is_not_checked(tmp_path: Path) -> None:
    assert verdicts(judged(case(), replies("req_refund_1"), tmp_path))["golden"] == "not_checked"


def test_reports_are_for_people_and_for_programs() -> None:
    result = judged(case(intent="complaint"), replies("req_refund_1"))
    told = for_people([result])
    assert "| one |" in told and "intent: fail (expected 'complaint'" in told
    assert "not checked" in told
    counts: Any = for_programs([result])
    assert counts["failed"] == ["one"] and counts["counts"]["not_checked"] > 0


def test_cases_that_cannot_be_read_are_an_error_that_says_where(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text('[{"eval_id": "x", "request_envelope_ref": "y.json", "expectd": {}}]')
    with pytest.raises(InputError, match="expectd"):
        cases_in(path)
    path.write_text('[{"eval_id": "x", "request_envelope_ref": "y.json"}]')
    outcome = CliRunner().invoke(triage_eval, [str(path), "--store", ":memory:"])
    assert isinstance(outcome.exception, InputError) and "y.json" in str(outcome.exception)


def test_the_command_runs_the_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.yml"
    script.write_text(json.dumps(replies("req_refund_1")))
    monkeypatch.setenv("ORKA_SCRIPT", str(script))
    cases = tmp_path / "cases.json"
    cases.write_text('[{"eval_id": "x", "request_envelope_ref": "refund.json"}]')
    (tmp_path / "refund.json").write_bytes((PACKAGE / "samples" / "refund.json").read_bytes())
    (tmp_path / "flow.yml").write_text(flow())
    line = [str(cases), "--flow", str(tmp_path / "flow.yml"), "--store", ":memory:"]
    outcome = CliRunner().invoke(triage_eval, [*line, "--format", "json"], standalone_mode=False)
    assert outcome.return_value == 0, outcome.output
    assert json.loads(outcome.output)["cases"][0]["status"] == "completed"


def test_the_cases_of_the_old_module_are_read() -> None:
    folder = old_folder()
    if folder is None:
        pytest.skip("the files of OrKa 0.9 are not there")
    assert len(cases_in(folder / "eval_cases.json")) == 3
