"""What rules see of a path."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import path

from orka.agent.guard import Guard
from orka.agent.scoring.names import NAMES, compiled, names_of
from orka.errors import ConfigError, GuardError
from orka.score.criterion import Proposal, State
from orka.value import Json

ABLE = st.lists(
    st.lists(st.sampled_from("abc"), max_size=3, unique=True).map("+".join).map(lambda x: x or "-"),
    min_size=1,
    max_size=6,
)


def seen(proposal: Proposal, **names: Json) -> dict[str, Json]:
    state = State(candidates=(proposal,), names=names, input={"q": 1}, outputs={"before": "x"})
    return names_of(proposal, state)


def test_a_rule_sees_the_path_and_the_run() -> None:
    names = seen(path("retrieval > check+retrieval > answer", tools="look"), tenant="acme", extra=3)
    assert names["path"] == ["s0", "s1", "s2"] and names["length"] == 3
    assert names["first"]["tool"] == "look" and names["last"]["capabilities"] == ["answer"]
    assert names["capabilities"] == ["retrieval", "check", "answer"]
    assert (names["types"], names["tools"], names["models"]) == (["llm"], ["look"], ["m1", "m0"])
    assert (names["tenant"], names["domain"], names["extra"]) == ("acme", "", 3)
    assert names["input"] == {"q": 1} and names["outputs"] == {"before": "x"}
    assert names["undeclared"] == []


def test_every_name_is_there_and_on_its_page() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "priors.md").read_text(encoding="utf-8")
    assert set(seen(path("a > b"))) == set(NAMES)
    for name in NAMES:
        assert f"`{name}`" in page or f"`{name}.X" in page, name


def test_what_is_lent_takes_the_place_of_nothing() -> None:
    names = seen(path("a"), capabilities=["approval"], before={"a": ["approval"]}, path=[])
    assert names["capabilities"] == ["a"] and names["before"] == {"a": []}
    assert names["path"] == ["s0"]


def test_a_path_without_steps_has_no_capabilities_to_ask_for() -> None:
    names = seen(Proposal(path=("x", "y")), capabilities=["approval"])
    assert names["length"] == 2
    with pytest.raises(GuardError, match="capabilities"):
        Guard("'approval' in capabilities")(names)


@pytest.mark.parametrize(
    ("tools", "types", "again"),
    [
        ("look look", "tool tool", ["s1"]),
        ("look other", "tool tool", []),
        ("look -", "tool llm", []),
        ("- - -", "wait llm llm", []),
    ],
)
def test_the_same_tool_twice_in_a_row_is_a_repetition(
    tools: str, types: str, again: list[str]
) -> None:
    assert seen(path("a > b > c", tools=tools, types=types))["repeated"] == again


def test_without_a_tool_it_is_what_the_agents_can_do_that_is_repeated() -> None:
    proposal = path("a > b > a")
    same = [proposal.steps[0], proposal.steps[2]]
    twice = Proposal(path=tuple(step.id for step in same), steps=tuple(same))
    assert seen(twice)["repeated"] == ["s2"] and seen(proposal)["repeated"] == []


@pytest.mark.parametrize(
    ("written", "condition", "holds"),
    [
        # what has to come first comes before each
        ("pay > approve > pay", "'approve' in before.pay", False),
        ("approve > pay > pay", "'approve' in before.pay", True),
        ("approve+pay", "'approve' in before.pay", False),
        ("pay > log > pay", "'log' in after.pay", False),
        # what must not meet is found in one step too
        ("read+send", "'send' in with_or_after.read", True),
        ("send > read", "'send' in with_or_after.read", False),
        ("send > read > send", "'read' in with_or_before.send", True),
        # between each of the one and the nearest of the other
        ("read > mask > send", "'mask' in between.read.send", True),
        ("mask > read > send > mask", "'mask' in between.read.send", False),
        ("read > mask > send > read > send", "'mask' in between.read.send", False),
        ("read > mask > read > send", "'mask' in between.read.send", False),
        ("read > mask > send > send", "'mask' in between.read.send", True),
        ("read+send > mask > send", "'mask' in between.read.send", False),
        ("code > box", "'box' in beside.code", False),
        ("code+box > code", "'box' in beside.code", False),
        ("code+box > box+code", "'box' in beside.code", True),
        ("a > -", "len(undeclared) > 0", True),
        ("a+b > b", "'b' in shared and 'a' not in shared", True),
        ("a > -", "'a' in shared", False),
    ],
)
def test_what_stands_before_after_and_between(written: str, condition: str, holds: bool) -> None:
    assert Guard(condition)(seen(path(written))) is holds


@given(ABLE)
def test_order_agrees_with_a_look_at_every_pair(parts: list[str]) -> None:
    proposal = path(" > ".join(parts))
    names, steps = seen(proposal), proposal.steps
    for x in names["capabilities"]:
        at = [i for i, step in enumerate(steps) if x in step.capabilities]
        for y in "abc":
            there = [i for i, step in enumerate(steps) if y in step.capabilities]
            assert (y in names["before"][x]) == all(any(j < i for j in there) for i in at)
            assert (y in names["after"][x]) == all(any(j > i for j in there) for i in at)
            assert (y in names["with_or_before"][x]) == any(j <= i for i in at for j in there)
            assert (y in names["with_or_after"][x]) == any(j >= i for i in at for j in there)
            assert (y in names["beside"][x]) == all(i in there for i in at)
            pairs = [(i, j) for i in at for j in there if i <= j]
            assert (y in names["between"][x]) == bool(pairs)
            for z in "abc":
                found = pairs and all(
                    any(i < k < j and z in steps[k].capabilities for k in range(len(steps)))
                    for i, j in pairs
                )
                assert bool(found) == (z in names["between"][x].get(y, []))


def test_a_name_that_rules_do_not_know_is_told_before_the_run() -> None:
    with pytest.raises(ConfigError, match=r"rule 'r'.*'capabilites'") as raised:
        compiled("'a' in capabilites", "rule 'r'")
    assert raised.value.code == "config.rule" and "'capabilities'" in raised.value.fix
    assert compiled("extra == 1", "rule 'r'", ["extra"])({"extra": 1})
    with pytest.raises(ConfigError, match="rule 'r'"):
        compiled("f(x)", "rule 'r'")
