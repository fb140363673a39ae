"""`orka rescore`, `orka fit`, `orka lint-weights`: questions to many recorded decisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest
from score.labels import SETTING, hidden, labelled, ledger

from cli.conftest import Ended, Orka, Write
from orka.score.decide import DecisionEngine
from orka.score.ledger import Ledger
from orka.score.setting import Setting
from orka.value import Json

PLUGIN = """
import orka


@orka.agent("record")
async def record(ctx):
    for each in ctx.input:
        await ctx.decided(each)
    return len(ctx.input)
"""
A = [0.9, 0.1, 0.1, -0.1, -0.1]
B = [0.1, 0.9, 0.1, -0.1, -0.1]
Record = Callable[..., str]
Ask = Callable[..., Ended]


def decided(rows: Sequence[Sequence[float]], setting: Setting = SETTING) -> Ledger:
    return DecisionEngine(setting).ledger(ledger(rows, setting).candidates)


@pytest.fixture
def ask(orka: Orka, folder: Path) -> Ask:
    """Call `orka` with the plugin that records decisions."""
    (folder / "record.py").write_text(PLUGIN)
    return lambda *words: orka(*words, "--plugin", "record.py")


@pytest.fixture
def record(ask: Ask, folder: Path, write: Write) -> Record:
    """Record decisions as those of the node `scout` of a workflow; gives the run's id."""

    def recorded(run: str, *made: Ledger | Json, flow: str = "w") -> str:
        write(flow, "{id: scout, type: record}")
        told = [each.json() if isinstance(each, Ledger) else each for each in made]
        (folder / "input.json").write_bytes(msgspec.json.encode(told))
        ended = ask("run", f"{flow}.yml", "--json", "input.json", "--run-id", run)
        assert ended.code == 0, ended.err
        return run

    return recorded


def test_rescore_counts_and_lists_what_changes(ask: Ask, record: Record, folder: Path) -> None:
    record("one", decided([B, A]), decided([A, A]))
    record("two", decided([A, B]))
    (folder / "new.yml").write_text("weights:\n  llm: 0.2\n  heuristics: 0.8\n")
    ended = ask("rescore", "w.yml", "--weights", "new.yml")
    assert ended.code == 0, ended.err
    lines = [line.split() for line in ended.out.splitlines()]
    head = ["decision", "was", "would", "be", "margin", "then", "decided", "then"]
    assert lines[0] == head
    turned = ["0.0400", "0.4800", "shortlist", "commit_next"]
    assert [line[4:] for line in lines[1:3]] == [["c1", "c0", *turned], ["c0", "c1", *turned]]
    assert ended.out.splitlines()[4:] == [
        "3 decisions decided again: 2 other winners, 2 decisions of another kind",
        "median margin 0.0400, then 0.4800",
        "  c1 → c0: 1",
        "  c0 → c1: 1",
    ]


def test_a_workflow_is_meant_by_file_or_id_and_runs_by_their_beginnings(
    ask: Ask, record: Record
) -> None:
    record("one", decided([B, A]))
    record("two", decided([B, A]))
    record("other", decided([B, A]), flow="v")

    def count(*words: str) -> int:
        told = ask("rescore", *words, "--profile", "quality", "--format", "json").json
        return int(told["decisions"])

    assert (count("w.yml"), count("w"), count("on"), count("w", "one", "other")) == (2, 2, 1, 3)
    assert count("--all") == 3


def test_rescore_as_json_has_both_sides(ask: Ask, record: Record) -> None:
    record("one", decided([B, A]))
    told = ask("rescore", "one", "--weights", "heuristics=0.8", "--format", "json").json
    assert told == {
        "decisions": 1,
        "other_winners": 1,
        "other_kinds": 1,
        "median_margin": {"before": 0.04, "after": 0.4},
        "moves": [{"from": "c1", "to": "c0", "count": 1}],
        "changed": [
            {
                "decision": told["changed"][0]["decision"],
                "before": {"winner": "c1", "decision": "shortlist", "margin": 0.04},
                "after": {"winner": "c0", "decision": "commit_next", "margin": 0.4},
            }
        ],
        "left_out": [],
    }
    assert told["changed"][0]["decision"].startswith("one scout (event ")


def test_what_cannot_be_decided_again_is_listed_and_the_rest_is(ask: Ask, record: Record) -> None:
    broken = decided([A, B]).json()
    del broken["candidates"][0]["factors"]["llm"]
    record("one", decided([B, A]), broken, decided([A, B]))
    ended = ask("rescore", "one", "--profile", "quality")
    assert ended.code == 5
    assert "2 decisions decided again" in ended.out and "; 1 left out" in ended.out
    assert "left out: one scout (event" in ended.err
    assert "[ledger.incomplete] candidate 'c0' has no factor 'llm'" in ended.err


def test_decisions_by_other_factors_are_left_out_and_told(ask: Ask, record: Record) -> None:
    record("one", decided([B, A]))
    ended = ask("rescore", "one", "--weights", "style=0.8")
    assert ended.code == 2
    assert "0 decisions decided again" in ended.out
    assert "[score.weights] weights name the unknown factor 'style'" in ended.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["one"], "say what is to be different"),
        (["--profile", "fast"], "give a workflow, runs, or --all"),
        (["--all", "one", "--profile", "fast"], "give a workflow, runs, or --all"),
        (["one", "--weights", "none.yml"], "the file of weights 'none.yml' cannot be read"),
        (["one", "--weights", "bad.yml"], "the weight of 'llm' in `weights` is -1, below 0"),
        (["one", "--weights", "zero.yml"], "all weights are 0 (llm): nothing would count"),
        (["one", "--weights", "llm=much"], "'much' is no number"),
        (["one", "--policy", "cost=renormalise"], "'cost' is a penalty"),
        (["nobody", "--profile", "fast"], "no run begins with 'nobody'"),
        (["v.yml", "--profile", "fast"], "no run of the workflow 'v' is stored"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: list[str], told: str, ask: Ask, record: Record, folder: Path, write: Write
) -> None:
    record("one", decided([B, A]))
    write("v", "{id: scout, type: record}")
    (folder / "bad.yml").write_text("llm: -1\n")
    (folder / "zero.yml").write_text("llm: 0\n")
    ended = ask("rescore", *words)
    assert ended.code in (2, 5) and told in ended.err


def test_runs_without_decisions_are_refused(ask: Ask, record: Record) -> None:
    record("none")
    for words in (["rescore", "none", "--profile", "fast"], ["lint-weights", "none"]):
        ended = ask(*words)
        assert ended.code == 2 and "[input.no_decision] no decision is stored in 1 run" in ended.err


def write_labels(folder: Path, lines: Sequence[Json]) -> str:
    texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
    (folder / "labels.jsonl").write_text("\n".join(texts) + "\n")
    return "labels.jsonl"


@pytest.fixture
def people(record: Record, folder: Path) -> str:
    """A run of 150 decisions, and a file of labels by hidden weights."""
    random = Random(1)
    pairs = labelled(random, hidden(random), 150)
    made = [DecisionEngine(SETTING).ledger(each.candidates) for each, _ in pairs]
    record("one", *made)
    lines: list[Json] = [
        {"run": "one", "node": "scout", "winner": winner, "at": at}
        for at, (_, winner) in enumerate(pairs, 1)
    ]
    return write_labels(folder, lines)


def test_fit_shows_weights_side_by_side_and_what_to_do(ask: Ask, people: str, folder: Path) -> None:
    ended = ask("fit", "one", "--labels", people, "--write", "new.yml")
    assert ended.code == 0, ended.err
    table, agreement, advice = ended.out.split("\n\n")
    assert [line.split()[0] for line in table.splitlines()] == [
        "factor", "llm", "heuristics", "prior", "cost", "latency",
    ]  # fmt: skip
    assert agreement.startswith("agreement on 45 held-out labels (95 % interval): today's weights ")
    assert "fitted to 105 labels" in agreement
    assert advice.startswith("to do: use the fitted weights: of 45 held-out labels they choose ")
    written = (folder / "new.yml").read_text()
    assert written.startswith("# use the fitted weights: ") and "\nllm: 0." in written
    again = ask("rescore", "one", "--weights", "new.yml", "--format", "json")
    assert again.json["decisions"] == 150 and again.json["other_winners"] > 10
    assert ask("lint-weights", "one").out == "nothing odd about the weights\n"


def test_fit_as_json_has_both_agreements(ask: Ask, people: str) -> None:
    told = ask("fit", "--all", "--labels", people, "--format", "json").json
    assert told["advice"] == "use" and told["of_other_runs"] == 0
    assert told["before"]["of"] == told["after"]["of"] == 45
    assert told["after"]["low"] < told["after"]["share"] < told["after"]["high"]
    assert list(told["today"]) == list(told["weights"])
    assert set(told["paired"]) == {"gained", "lost", "p"}


def test_every_line_that_is_no_label_is_told_with_its_number(
    ask: Ask, people: str, folder: Path
) -> None:
    lines: list[Json] = [
        "{",
        {"run": "one", "node": "scout"},
        "",
        {"run": "one", "node": "scout", "winner": "c0", "sure": True},
        {"run": "one", "node": "scout", "winner": 3},
    ]
    ended = ask("fit", "one", "--labels", write_labels(folder, lines))
    assert ended.code == 2 and "4 problems" in ended.err
    assert "[input.label] the input is not JSON" in ended.err
    for line, told in (
        (2, "it is no label: Object missing required field `winner`"),
        (4, "it is no label: Object contains unknown field `sure`"),
        (5, "it is no label: Expected `str`, got `int` - at `$.winner`"),
    ):
        assert told in ended.err and f"where: labels.jsonl, line {line}" in ended.err


def test_every_label_of_no_decision_is_told_with_its_line(
    ask: Ask, people: str, folder: Path
) -> None:
    good = {"run": "one", "node": "scout", "winner": "c0", "at": 1}
    lines: list[Json] = [
        good,
        good,
        {**good, "run": "nobody"},
        {**good, "node": "scot"},
        {"run": "one", "node": "scout", "winner": "c0"},
        {**good, "at": 151},
    ]
    ended = ask("fit", "one", "--labels", write_labels(folder, lines))
    assert ended.code == 2 and "5 problems" in ended.err
    for line, told in (
        (2, "line 1 is a label of one scout (event"),
        (3, "no run begins with 'nobody'"),
        (4, "run 'one' has no decision of a node 'scot'"),
        (5, "node 'scout' of run 'one' made 150 decisions"),
        (6, "node 'scout' of run 'one' has no decision 151: it made 150"),
    ):
        assert told in ended.err and f"where: labels.jsonl, line {line}" in ended.err
    assert "did you mean 'scout'?" in ended.err


def test_labels_of_no_candidate_are_told_with_line_run_and_node(
    ask: Ask, people: str, folder: Path
) -> None:
    lines: list[Json] = [{"run": "one", "node": "scout", "winner": "nobody", "at": 7}]
    ended = ask("fit", "one", "--labels", write_labels(folder, lines))
    assert ended.code == 2 and "[fit.no_candidate] 1 label names no candidate" in ended.err
    assert "labels.jsonl, line 1: one scout (event" in ended.err


def test_labels_of_other_runs_are_counted_and_too_few_are_refused(
    ask: Ask, people: str, record: Record
) -> None:
    record("two", decided([A, B]))
    ended = ask("fit", "two", "--labels", people)
    assert ended.code == 2 and "[fit.few_labels] 0 labels can be used" in ended.err
    missing = ask("fit", "two", "--labels", "none.jsonl")
    assert missing.code == 2 and "the input 'none.jsonl' cannot be read" in missing.err


def test_labels_are_not_counted_over_a_damaged_decision(
    ask: Ask, record: Record, folder: Path
) -> None:
    broken = decided([A, B]).json()
    del broken["candidates"][0]["factors"]["llm"]
    record("one", broken, decided([A, B]))
    labels = write_labels(folder, [{"run": "one", "node": "scout", "winner": "c0", "at": 1}])
    ended = ask("fit", "one", "--labels", labels)
    assert ended.code == 2
    assert "cannot be read, so the decisions cannot be counted" in ended.err


def test_lint_looks_at_a_file_before_any_run(ask: Ask, folder: Path) -> None:
    (folder / "f.yml").write_text(
        "orchestrator: {id: f, agents: [scout]}\n"
        "agents:\n"
        "  - {id: scout, type: graph-scout, weights: {cost: 0.6, latency: 0.6, prior: 0}}\n"
        "  - {id: one, type: tool, tool: ship}\n"
        "  - {id: two, type: tool, tool: ship}\n"
    )
    ended = ask("lint-weights", "f.yml", "--plugin", "tools.py")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        "f.yml, line 3, column 5 (agent 'scout'): the weights sum to 1.2, 0.2 more than 1: scores "
        "and margins are not on the scale that `commit_margin` is meant for "
        "(write {prior: 0, cost: 0.5, latency: 0.5})",
        "f.yml, line 3, column 5 (agent 'scout'): prior has weight 0: whatever it is, it decides "
        "nothing (give prior a weight, or take it out of `weights`)",
    ]


def test_a_file_that_is_not_right_is_refused(ask: Ask, folder: Path) -> None:
    (folder / "f.yml").write_text(
        "orchestrator: {id: f}\nagents:\n  - {id: scout, type: graph-scout, weights: {cost: -1}}\n"
    )
    ended = ask("lint-weights", "f.yml")
    assert ended.code == 2 and "the weight of 'cost' in `weights` is -1, below 0" in ended.err


def test_lint_of_stored_decisions_names_the_node(ask: Ask, record: Record) -> None:
    record("one", decided([A, B]), decided([B, A]))
    found = ask("lint-weights", "one", "--format", "json").json
    assert [(each["kind"], each["where"]) for each in found] == [("constant", "scout")] * 3
    assert [each["factors"] for each in found] == [["prior"], ["cost"], ["latency"]]
    assert ask("lint-weights", "w").out.startswith("scout: prior has weight 0.25 and is the same")
    assert ask("lint-weights", "w.yml").out == ask("lint-weights", "w").out
    assert "damaged" not in ask("lint-weights", "--all").err


def test_lint_tells_weights_that_nothing_in_the_file_measures(ask: Ask, folder: Path) -> None:
    scout = "{id: scout, type: graph-scout, paths: [[a]], weights: {llm: 1, prior: 2}"
    inner = f"{scout}, judge: {{mode: none}}}}"
    (folder / "f.yml").write_text(
        "orchestrator: {id: f}\n"
        "agents:\n"
        "  - id: each\n"
        "    type: foreach\n"
        "    items: [1]\n"
        "    workflow:\n"
        "      orchestrator: {id: inner, agents: [scout]}\n"
        f"      agents:\n        - {inner}\n        - {{id: a, type: wait, seconds: 0}}\n"
    )
    told = ask("lint-weights", "f.yml").out.splitlines()
    assert all("line 3" in line and "in it 'scout'" in line for line in told)
    assert "llm has weight 1 and no model is asked" in told[1]
    assert "prior has weight 2 and there are no `priors`" in told[2]


def test_one_cause_is_told_once_of_many_decisions(ask: Ask, record: Record) -> None:
    record("one", *[decided([A, B])] * 5)
    ended = ask("rescore", "one", "--weights", "nope=1")
    assert ended.code == 2 and ended.err.count("score.weights") == 1
    assert "and 2 more: [score.weights] weights name the unknown factor 'nope'" in ended.err
