"""`policy` in a file: what it may say, and where exactly it is wrong."""

from __future__ import annotations

import jsonschema_rs
import pytest

from orka.errors import ConfigError, ConfigErrors
from orka.spec.load import load
from orka.spec.policy import Limit, policy_schema
from orka.spec.yaml import read
from orka.value import Json

FILE = """\
orchestrator:
  id: w
  policy:
{}
agents:
  - {{id: a, type: b}}
"""
WHOLE = """\
    allow: [draft, search]
    ask: [refund]
    deny: [delete]
    limits:
      refund:
        amount: {auto_max: 200, max: 5000, max_by: customer.most}
    actions: {refund: issue refund}
    allowed_by: permissions.allowed
    blocked_by: permissions.blocked
    exempt: [search]
    approval_timeout: 3600
    approvers: [pia]
    when_tainted: [search]
"""


def written(policy: str) -> str:
    return FILE.format(policy)


def test_all_that_a_policy_may_say_is_read() -> None:
    found = load(written(WHOLE)).policy
    assert found is not None
    assert (found.allow, found.ask, found.deny) == (("draft", "search"), ("refund",), ("delete",))
    assert found.limits["refund"]["amount"] == Limit(200, 5000, "customer.most")
    assert found.actions == {"refund": "issue refund"}
    assert (found.allowed_by, found.blocked_by) == ("permissions.allowed", "permissions.blocked")
    assert (found.approval_timeout, found.approvers) == (3600, ("pia",))
    assert (found.exempt, found.when_tainted) == (("search",), ("search",))


def test_without_the_key_there_is_no_policy() -> None:
    assert load({"orchestrator": {"id": "w"}, "agents": [{"id": "a", "type": "b"}]}).policy is None
    assert load(written("    allow: []")).policy is not None


@pytest.mark.parametrize(
    ("policy", "line", "column", "code", "words"),
    [
        ("    alow: [a]", 4, 5, "config.unknown_key", "did you mean 'allow'?"),
        ("    allow: a", 4, 5, "config.type", "a list of text"),
        ("    allow: [a, 1]", 4, 16, "config.type", "names of tools"),
        ("    allow: [a, a]", 4, 16, "config.duplicate_id", "'a' twice"),
        ("    allow: [a]\n    deny: [b, a]", 5, 15, "config.policy", "under 'allow' and"),
        ("    limits: {a: 5}", 4, 14, "config.type", "a map of arguments"),
        ("    limits: {a: {n: 5}}", 4, 18, "config.type", "auto_max, max or max_by"),
        ("    limits: {a: {n: {most: 5}}}", 4, 22, "config.unknown_key", "'most'"),
        ("    limits: {a: {n: {max: -1}}}", 4, 22, "config.type", "0 or more"),
        ("    limits: {a: {n: {auto_max: '5'}}}", 4, 22, "config.type", "a number"),
        ("    limits: {a: {n: {auto_max: true}}}", 4, 22, "config.type", "a number"),
        ("    limits: {a: {n: {auto_max: .nan}}}", 4, 32, "config.type", "not a finite number"),
        ("    limits: {a: {n: {auto_max: 9, max: 5}}}", 4, 22, "config.policy", "above its max"),
        ("    limits: {a: {n: {max_by: a..b}}}", 4, 22, "config.policy", "'a..b'"),
        ("    deny: [a]\n    limits: {a: {n: {max: 1}}}", 5, 14, "config.policy", "denies"),
        ("    deny: [a]\n    when_tainted: [a]", 5, 20, "config.policy", "denies"),
        ("    actions: {a: 1}", 4, 15, "config.type", "text"),
        ("    allowed_by: [a]", 4, 5, "config.type", "a path into the input"),
        ("    blocked_by: a..b", 4, 5, "config.policy", "'a..b' is no path"),
        ("    approval_timeout: 0", 4, 5, "config.type", "seconds above 0"),
        ("    approvers: []", 4, 5, "config.missing_key", "'approvers'"),
        ("    approvers: [7]", 4, 17, "config.type", "who may answer"),
    ],
)
def test_a_mistake_is_told_where_it_stands(
    policy: str, line: int, column: int, code: str, words: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        load(written(policy))
    error = raised.value.problems[0] if isinstance(raised.value, ConfigErrors) else raised.value
    assert error.code == code, str(error)
    assert words in str(error)
    assert f"line {line}, column {column}" in error.where


def test_the_schema_says_the_same() -> None:
    check = jsonschema_rs.validator_for(policy_schema())
    assert check.is_valid(read(written(WHOLE), "f").value["orchestrator"]["policy"])
    for policy in ("    alow: [a]", "    limits: {a: {n: {max: -1}}}", "    approvers: []"):
        assert not check.is_valid(read(written(policy), "f").value["orchestrator"]["policy"])


def test_a_file_of_orka_09_may_have_one_too() -> None:
    """A policy that was passed over would be worse than none."""
    head: Json = {"id": "w", "strategy": "decision-tree", "agents": ["a"]}
    head["policy"] = {"allow": ["search"]}
    agents = [{"id": "a", "type": "openai-answer", "prompt": "x", "queue": "q"}]
    found = load({"version": "0.9", "orchestrator": head, "agents": agents})
    assert found.policy is not None and found.policy.allow == ("search",)
    assert not any(note.warning and "policy" in note.does for note in found.notes)
