"""The library of priors: each rule has a path for which it holds, and one for which it does not."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

import orka
from orka.agent.guard import Guard
from orka.agent.scoring.names import names_of
from orka.agent.scoring.prior import PriorRule, priors
from orka.event.event import Decided
from orka.score.criterion import Proposal, State, Step
from orka.score.factor import Known
from orka.score.ledger import Ledger
from orka.source import PRIORS, library
from orka.source import priors as read_priors
from orka.spec.yaml import read

CASES: dict[str, dict[str, tuple[str, str]]] = msgspec.convert(
    read(Path(__file__).with_name("cases.yml").read_bytes(), "cases.yml").value,
    dict[str, dict[str, tuple[str, str]]],
)
PAGE = (Path(__file__).resolve().parents[3] / "docs" / "priors.md").read_text(encoding="utf-8")
SETS = {name: read_priors(name) for name in library()}
RULES = [
    pytest.param(name, rule, id=f"{name}.{rule.id}")
    for name, held in SETS.items()
    for rule in held.rules
]
WORD = re.compile(r"'([a-z_]+)'|\b(?:beside|before|after|with_or_before|with_or_after)\.([a-z_]+)")


def path(written: str) -> Proposal:
    """The path that a case describes. Steps that can do different things are of other types."""
    steps = tuple(
        Step(
            id=f"step{at}",
            type=able,
            capabilities=() if able == "-" else tuple(able.split("+")),
        )
        for at, able in enumerate(part.strip() for part in written.split(">"))
    )
    return Proposal(path=tuple(step.id for step in steps), steps=steps)


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_a_rule_holds_for_one_path_and_not_for_another(name: str, rule: PriorRule) -> None:
    holds, other = (path(each) for each in CASES[name][rule.id])
    guard = Guard(rule.when)
    assert guard(names_of(holds, State(candidates=(holds,))))
    assert not guard(names_of(other, State(candidates=(other,))))


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_a_rule_that_holds_forbids_or_lowers(name: str, rule: PriorRule) -> None:
    proposal = path(CASES[name][rule.id][0])
    state = State(candidates=(proposal,))
    prior, gate = priors([SETS[name]])
    if rule.forbid:
        assert gate(proposal, state).startswith("forbidden by ")
        return
    measured = prior.measure(proposal, state)
    assert isinstance(measured, Known) and rule.prior is not None
    assert measured.value <= rule.prior and rule.id in measured.reason


@pytest.mark.parametrize("name", library())
def test_each_rule_has_a_case_and_each_case_a_rule(name: str) -> None:
    assert list(CASES[name]) == [rule.id for rule in SETS[name].rules]


@pytest.mark.parametrize("name", library())
def test_a_set_is_whole(name: str) -> None:
    held = SETS[name]
    assert held.domain == name and held.about and held.otherwise is not None
    assert 8 <= len(held.rules) <= 15
    for rule in held.rules:
        assert rule.reason.endswith((".", ")")) and len(rule.reason) >= 20, rule.id


def test_every_capability_that_a_rule_names_is_in_the_vocabulary() -> None:
    documented = set(re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE))
    for held in SETS.values():
        for rule in held.rules:
            for quoted, dotted in WORD.findall(rule.when):
                assert (quoted or dotted) in documented, f"{quoted or dotted} in {rule.id}"


def test_the_vocabulary_has_no_word_that_nobody_uses() -> None:
    used = {
        quoted or dotted
        for held in SETS.values()
        for rule in held.rules
        for quoted, dotted in WORD.findall(rule.when)
    }
    table = PAGE.partition("## Capabilities")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z_]+)` \|", table, re.MULTILINE)) == used


def test_the_page_tells_of_each_set_what_is_in_it() -> None:
    for name, held in SETS.items():
        forbidding = sum(rule.forbid for rule in held.rules)
        assert held.otherwise is not None
        row = f"| `{name}` | {held.about} | {len(held.rules)} | {forbidding} | "
        assert f"{row}{held.otherwise.prior:g} |" in PAGE, row


def test_the_library_is_a_folder_of_files() -> None:
    assert library() == ("finance", "health", "hr", "legal", "security", "support")
    assert {path.suffix for path in PRIORS.iterdir()} == {".yml"}


@pytest.mark.parametrize("id", ["loan_paths", "careful_paths"])
def test_the_examples_of_the_page_decide_as_it_tells(id: str) -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (flow,) = [block for block in blocks if f"id: {id}," in block]
    run = orka.run_sync(flow, store=":memory:")
    assert run.status == "completed", run.failure
    (decided,) = [event for event in run.events if isinstance(event, Decided)]
    ledger = Ledger.read(decided.value)
    assert ledger.outcome.decision == "commit_path"
    assert ledger.outcome.chosen == "find → check → answer"
    alone = ledger.candidate("answer").factors["prior"]
    assert isinstance(alone, Known) and alone.value == 0.05
