"""`pii_redaction`: a text or a value without personal data, as a node of the graph."""

from __future__ import annotations

import pytest

import orka
from orka.errors import OrkaError
from orka.testing.clock import clock, run_virtual
from orka.value import Json


def run(options: str, given: Json) -> orka.Run:
    agent = f"{{id: a, type: pii_redaction, {options}}}"
    flow = f"orchestrator: {{id: t, agents: [a]}}\nagents:\n  - {agent}"

    async def go() -> orka.Run:
        async with orka.Runtime(store=":memory:", clock=clock) as runtime:
            found = await runtime.run(flow, given)
            assert not runtime.replay(found.id).unwritten
            return found

    return run_virtual(go())


def test_a_text_is_given_without_what_was_found_in_it() -> None:
    assert run('text: "{{ input }}", names: rules', "mail zoe@example.org").output == {
        "redacted": "mail [EMAIL_REDACTED]",
        "counts": {"EMAIL": 1},
        "total": 1,
        "findings": [{"kind": "EMAIL", "start": 5, "end": 20}],
    }


def test_a_value_is_taken_by_its_path() -> None:
    given = {"case": {"who": "zoe@example.org", "n": 3}}
    output = run("value: input.case, names: rules", given).output
    assert output["redacted"] == {"who": "[EMAIL_REDACTED]", "n": 3}
    assert output["findings"] == []


def test_a_path_that_leads_nowhere_fails_the_node() -> None:
    found = run("value: input.case.subject", {"case": {}})
    assert found.failure is not None
    assert found.failure.code == "agent.value"


@pytest.mark.parametrize(
    "options",
    [
        "level: strict",
        'text: "a", value: input',
        "value: elsewhere.case",
        'text: "a", custom: [{name: x, pattern: "("}]',
    ],
)
def test_options_that_cannot_be_meant_are_refused_before_the_run(options: str) -> None:
    with pytest.raises(OrkaError):
        run(options, "x")
