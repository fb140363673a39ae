"""What `orka why` shows beside the arithmetic: names, reasons, and what came afterwards."""

from __future__ import annotations

from pathlib import Path

import msgspec
from click import unstyle

from cli.conftest import Orka
from orka.cli.why import why_text
from orka.score.criterion import Proposal, State
from orka.score.evaluator import SmartPathEvaluator
from orka.score.ledger import Ledger, Pruned
from orka.score.setting import Setting, factors_of
from orka.score.why import why

LONG = "ask the archive → check what it says → answer"


def long_names() -> Ledger:
    setting = Setting(factors=factors_of({"heuristics": 0.5, "prior": 0.5}))
    readings = {
        LONG: {"heuristics": 1, "prior": 0.5},
        f"{LONG} twice": {"heuristics": 0.5, "prior": 0.5},
    }
    state = State(candidates=[Proposal(id=n, path=("a", "b")) for n in readings], readings=readings)
    return SmartPathEvaluator(setting).evaluate(state)


def test_long_names_are_letters_where_they_would_not_fit() -> None:
    told = unstyle(why_text(why(long_names()), (), 80))
    tables = [line for line in told.split("twice\n\n")[1].splitlines() if "  " in line]
    assert f"A  {LONG}\nB  {LONG} twice\n" in told
    assert ["1", "A", "0.7500", "1", "0.5"] in [line.split() for line in tables]
    assert all(len(line) <= 80 for line in told.splitlines()[4:])
    assert "\nA  " not in why_text(why(long_names()), (), None)


def test_many_factors_stand_one_below_the_other_where_they_would_not_fit() -> None:
    told = unstyle(why_text(why(long_names()), (), 40))
    rows = [line.split() for line in told.splitlines()]
    assert ["factor", "weight", "A", "B"] in rows and ["score", "0.7500", "0.5000"] in rows


SCOUT = """
version: 1
orchestrator: {id: w, agents: [scout]}
agents:
  - {id: scout, type: graph-scout, paths: [[bad], [a]], weights: {heuristics: 1}, execute: true,
     strategy: strict, EXTRA heuristics: [{when: "length == 1", weight: 1, message: short}]}
  - {id: bad, type: failing, prompt: it is dark}
  - {id: a, type: wait, seconds: 0}
  - {id: b, type: wait, seconds: 0}
"""


def test_why_tells_what_came_afterwards(orka: Orka, folder: Path) -> None:
    (folder / "s.yml").write_text(SCOUT.replace("EXTRA", ""))
    assert orka("run", "s.yml").code == 0
    out = orka("why").out
    assert "Afterwards:\n  bad: bad failed: " in out and "\n  a: done\n" in out
    (told,) = orka("why", "--format", "json").json
    assert [each["data"]["ok"] for each in told["after"]] == [False, True]
    extra = "fallback: b, budget: {cost: 1}, estimates: {bad: {cost: 2}, a: {cost: 2}},"
    (folder / "s.yml").write_text(SCOUT.replace("EXTRA", extra))
    assert orka("run", "s.yml").code == 0
    out = orka("why").out
    assert "Nothing was committed: all candidates are out.\nAfterwards:\n" in out
    assert "  the fallback 'b' is taken\n  b: done\n" in out


def test_why_tells_what_a_person_chose(orka: Orka, folder: Path) -> None:
    extra = "too_close: ask,"
    text = SCOUT.replace("strategy: strict,", "").replace("EXTRA", extra)
    (folder / "s.yml").write_text(text)
    assert orka("run", "s.yml").code == 3
    assert orka("answer", "last", "scout", "aaa").code == 3
    assert orka("answer", "last", "scout", "a").code == 0
    assert "'aaa' is none of: bad; a; none\n  a person chose 'a'\n  a: done\n" in orka("why").out


def test_of_yes_or_no_it_is_told_which(orka: Orka, folder: Path) -> None:
    check = "{name: short, when: length > 1, severity: important, message: it is long}"
    (folder / "s.yml").write_text(
        "version: 1\n"
        "orchestrator: {id: w, agents: [scout]}\n"
        "agents:\n"
        "  - {id: scout, type: graph-scout, scoring_mode: boolean, paths: [[a], [a, b]],\n"
        f"     boolean: {{checks: [{check}]}}}}\n"
        "  - {id: a, type: wait, seconds: 0}\n"
        "  - {id: b, type: wait, seconds: 0}\n"
    )
    assert orka("run", "s.yml").code == 0
    out = orka("why").out
    assert "a → b\n  short  true: it is long" in out and "  short  false: it is long" in out


def test_of_many_paths_that_were_not_proposed_it_is_told_how_many_there_are_more() -> None:
    left = Pruned("too_many", "only 2 are proposed", 28, (("a", "b"), ("c",)))
    ledger = msgspec.structs.replace(long_names(), pruned=(left,))
    told = why_text(why(ledger), (), None)
    assert told.endswith("not proposed (28): only 2 are proposed: a → b; c; and 26 more")
