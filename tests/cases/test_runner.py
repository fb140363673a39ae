"""The runner itself: it passes over nothing, and a case that is wrong fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from cases.faults import names
from cases.language import OWN, Case, NotUnderstood, read
from cases.not_yet import held, reason
from cases.test_cases import OPERATIONS
from cases.words import in_our_words

PROBES = (
    *("yaml-D03", "retry-D03", "resume-D06", "iso-D01", "trace-D05", "cli-D04"),
    *("scout-D03", "scout-D04"),
)
OWN_CASES = {case.id: case for case in read(OWN)}


@pytest.mark.parametrize("id", PROBES)
@pytest.mark.parametrize("where", ["input", "expected"])
def test_a_key_that_nobody_reads_fails_the_case(id: str, where: str, tmp_path: Path) -> None:
    case = OWN_CASES[id]
    strange: Case = replace(case, **{where: {**getattr(case, where), "no_such_key": 1}})
    with pytest.raises(NotUnderstood, match="no_such_key"):
        OPERATIONS[case.op](strange, tmp_path)


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("yaml-D03", {"ok": True, "values": {"agents[0].params.quiet_from": 1350}}),
        ("yaml-D04", {"error": {"kind": "config", "must_name": ["line 5"]}}),
        ("retry-D03", {"status": "failed", "calls": {"a": 4}}),
        ("resume-D06", {"after": [{"status": "completed"}]}),
        ("iso-D01", {"each_output": "You serve t<i>: q0"}),
        ("trace-D05", {"events_contain": [{"event": "schema_violation", "raw": "{}"}]}),
        ("trace-D01", {"replay": {"replies": {"d": ["B", "B"]}}}),
        ("scout-D01", {"order": ["alpha", "mid", "zeta"]}),
        ("scout-D01", {"tie": False}),
        ("scout-D02", {"missing": {"known": ["latency"]}}),
        ("scout-D02", {"must_not": {"selected": "known"}}),
        ("scout-D03", {"executed": ["find"]}),
        ("scout-D04", {"decision": "commit"}),
        ("scout-D04", {"scores": {"a": 0.5350001}}),
        ("scout-D05", {"candidates_set": [["b", "c"]]}),
        ("scout-D05", {"excluded_reasons_must_name": ["spirit"]}),
        ("scout-D06", {"each": [{"selected": "a"}] * 4}),
        ("scout-D07", {"selected": "a"}),
    ],
)
def test_what_is_not_so_fails_the_case(
    id: str, expected: dict[str, object], tmp_path: Path
) -> None:
    case = replace(OWN_CASES[id], expected=expected)
    with pytest.raises(AssertionError):
        OPERATIONS[case.op](case, tmp_path)


def test_an_agent_that_calls_beyond_its_script_fails_the_case(tmp_path: Path) -> None:
    case = OWN_CASES["retry-D03"]
    case = replace(case, input={**case.input, "script": {"a": []}}, expected={"status": "failed"})
    with pytest.raises(AssertionError, match="beyond the script"):
        OPERATIONS[case.op](case, tmp_path)


def test_every_case_is_asked_or_listed_with_a_reason() -> None:
    for case in OWN_CASES.values():
        assert reason(case) or case.op in OPERATIONS, case.id


def test_a_case_that_is_held_back_exists() -> None:
    assert set(held()) <= set(OWN_CASES)


@pytest.mark.parametrize(
    ("text", "word", "named"),
    [
        ("at line 6, column 3", "line 6", True),
        ("on lines 6 and 8", "line 8", True),
        ("wf.yaml:6:3", "line 6", True),
        ("line 16", "line 6", False),
        ("6 problems", "line 6", False),
        ("agent 'a' has", "a", True),
        ("agent has", "a", False),
        ("A Tab stands", "tab", True),
    ],
)
def test_a_word_is_named_where_it_stands_for_itself(text: str, word: str, named: bool) -> None:
    assert names(text, word) is named


@pytest.mark.parametrize(
    ("agent", "ours"),
    [
        ("{id: a, type: router, else: b}", {"default": "b"}),
        ("{id: a, type: join, group: f, join: any}", {"group": "f", "policy": "any"}),
        ("{id: a, type: join, quorum: 2}", {"policy": {"quorum": 2}}),
        ("{id: a, type: join, on_error: continue}", {"on_failure": "partial"}),
        ("{id: a, type: loop, max_iterations: 3}", {"max_loops": 3}),
        ("{id: a, type: llm, retry: {max_attempts: 3}}", {"retries": 2}),
        ("{id: a, type: llm, timeout_ms: 200}", {"timeout": 0.2}),
    ],
)
def test_other_words_for_our_keys_are_translated(agent: str, ours: dict[str, object]) -> None:
    flow = in_our_words(f"agents: [{{id: x, type: workflow, workflow: {{agents: [{agent}]}}}}]")
    assert isinstance(flow, dict)
    (found,) = flow["agents"][0]["workflow"]["agents"]
    assert {key: found[key] for key in found if key not in ("id", "type")} == ours


def test_a_workflow_in_our_words_stays_as_it_is_written() -> None:
    for text in ("agents: [{id: a, type: llm, retries: 1}]", "a: [", "- 1", "{id: a, type: 5}"):
        assert in_our_words(text) is text
