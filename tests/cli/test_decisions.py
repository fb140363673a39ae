"""`orka why`, `orka whatif`, `orka flips`: questions to a recorded decision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cli.conftest import Ended, Orka, Write
from orka.value import Json

PLUGIN = """
import msgspec
import orka
from orka.score.criterion import Proposal, State
from orka.score.evaluator import SmartPathEvaluator
from orka.score.factor import Abstained
from orka.score.ledger import Noise
from orka.score.setting import Setting, factors_of
from orka.score.strategy import STRATEGIES, commit, strategy

WEIGHTS = {"llm": 0.45, "heuristics": 0.2, "prior": 0.2, "cost": 0.1, "latency": 0.05}


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    a: tuple[float | None, ...] = (0.78, 0.9, 0.5, -0.1, -0.05)
    b: tuple[float | None, ...] = (0.82, 0.6, 0.5, -0.3, -0.3)
    noise: float | None = None
    asks: bool = False
    strategy: str = "margin"


@strategy("second")
def second(situation):
    return commit(situation, 1, "the second is always better")


@orka.agent("decide", config=Options)
async def decide(ctx):
    options = ctx.config
    given = {"A": options.a, "B": options.b}
    readings = {
        name: {f: Abstained("the judge was silent") if v is None else (v, f"{f} of {name}")
               for f, v in zip(WEIGHTS, values)}
        for name, values in given.items()
    }
    state = State(candidates=[Proposal(path=(n,)) for n in given], readings=readings)
    noise = [Noise("llm", options.noise, 2)] if options.noise is not None else []
    setting = Setting(factors=factors_of(WEIGHTS), strategy=options.strategy)
    evaluator = SmartPathEvaluator(setting, strategies={**STRATEGIES, "second": second})
    return (await ctx.rank(evaluator, state, noise=noise)).outcome.chosen
"""
Decide = Callable[..., Ended]


@pytest.fixture
def ask(orka: Orka, folder: Path) -> Decide:
    """Call `orka` with the plugin that decides."""
    (folder / "decide.py").write_text(PLUGIN)
    return lambda *words: orka(*words, "--plugin", "decide.py")


@pytest.fixture
def decided(ask: Decide, write: Write) -> Decide:
    """Run one agent `scout` that decides; gives `ask`."""
    write("w", "{id: scout, type: decide}")
    assert ask("run", "w.yml").code == 0
    return ask


def damaged(ask: Decide, folder: Path, change: Callable[[Json], None]) -> None:
    """Record the same decision, but for a change, as an agent of another make would."""
    (folder / "damaged.py").write_text(
        "import orka, pathlib, json\n"
        "@orka.agent('broken')\n"
        "async def broken(ctx):\n"
        "    await ctx.decided(ctx.input)\n"
    )
    (event,) = [
        each
        for line in ask("trace", "last", "--format", "json").out.splitlines()
        if (each := msgspec.json.decode(line)["event"])["type"] == "decided"
    ]
    change(event["value"])
    (folder / "input.json").write_bytes(msgspec.json.encode(event["value"]))
    (folder / "b.yml").write_text("orchestrator: {id: b}\nagents:\n  - {id: scout, type: broken}\n")
    assert ask("run", "b.yml", "--json", "input.json", "--plugin", "damaged.py").code == 0


def test_why_tells_the_sentence_and_the_arithmetic(decided: Decide) -> None:
    ended = decided("why")
    assert ended.code == 0
    assert (
        "A leads B by 0.0745: heuristics +0.0600, cost +0.0200 and latency +0.0125 outweigh "
        "llm −0.0180.\nA was committed: ahead by what is needed, or more." in ended.out
    )
    rows = [line.split() for line in ended.out.splitlines()]
    assert ["1", "A", "0.6185", "0.78", "0.9", "0.5", "−0.1", "−0.05"] in rows
    assert ["llm", "0.45", "0.78", "0.82", "−0.0180"] in rows
    assert ["margin", "+0.0745"] in rows
    assert ["needed", "0.05"] in rows
    assert "A\n  llm         llm of A\n" in ended.out


def test_why_as_json_has_shares_that_sum_to_the_margin(decided: Decide) -> None:
    (told,) = decided("why", "last", "scout", "--format", "json").json
    shares = {each["factor"]: each["difference"] for each in told["shares"]}
    assert shares == {
        "llm": -0.018, "heuristics": 0.06, "prior": 0.0, "cost": 0.02, "latency": 0.0125,
    }  # fmt: skip
    assert round(sum(shares.values()), 12) == told["margin"] == 0.0745
    assert (told["node"], told["leader"], told["rival"]) == ("scout", "A", "B")
    assert told["candidates"][0]["factors"][0]["reason"] == "llm of A"


def test_what_is_unknown_says_as_what_it_counts(ask: Decide, write: Write) -> None:
    write("w", "{id: scout, type: decide, a: [0.78, 0.9, 0.5, null, -0.05]}")
    ask("run", "w.yml")
    out = ask("why").out
    assert "  cost        unknown (the judge was silent); counts as the worst known" in out
    assert "? (−0.3)" in out


def test_flips_are_those_of_the_worked_example(decided: Decide) -> None:
    (told,) = decided("flips", "--format", "json").json
    weights = {each["factor"]: each for each in told["weights"]}
    assert weights["llm"]["above"] == {"value": 2.3125, "leads": "B", "at": False, "exact": True}
    (value,) = [v for v in told["values"] if (v["candidate"], v["factor"]) == ("B", "llm")]
    assert round(value["move"], 6) == 0.165556
    assert round(told["nearest"]["distance"], 4) == 0.1691
    assert round(told["nearest_allowed"]["distance"], 4) == 0.1781
    assert told["coin_flip"] is None


def test_flips_as_a_table(decided: Decide) -> None:
    out = decided("flips").out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "A leads." in rows
    assert "llm 0.45 never beyond 2.3125: B" in rows
    assert "B llm 0.82 +0.165556 beyond 0.985556: B" in rows
    assert any(row.startswith("any weights beyond 0.1691 B llm 0.4") for row in rows)
    assert "COIN FLIP" not in out


def test_a_decision_within_the_noise_is_marked(ask: Decide, write: Write) -> None:
    write("w", "{id: scout, type: decide, noise: 0.1}")
    ask("run", "w.yml")
    assert "COIN FLIP" in ask("flips").out
    write("w", "{id: scout, type: decide, noise: 0.01}")
    ask("run", "w.yml")
    assert "COIN FLIP" not in ask("flips").out


@pytest.mark.parametrize(
    ("words", "leader"),
    [
        (("--weights", "llm=3"), "B"),
        (("--set", "llm=3"), "B"),
        (("--weights", "new.yml"), "B"),
        (("--profile", "quality"), "A"),
        (("--without", "A"), "B"),
        (("--policy", "cost=floor"), "A"),
    ],
)
def test_whatif_decides_again(
    decided: Decide, folder: Path, words: tuple[str, ...], leader: str
) -> None:
    (folder / "new.yml").write_text("llm: 1\nprior: 0.2\n")
    (told,) = decided("whatif", "last", *words, "--format", "json").json
    assert (told["before"]["leader"], told["after"]["leader"]) == ("A", leader)
    assert told["changed"]["leader"] == (leader != "A")


def test_whatif_as_text_tells_both(decided: Decide) -> None:
    out = decided("whatif", "--weights", "llm=3").out
    assert "Something else is decided." in out
    assert "before: A leads B by 0.0745" in out and "after:  B leads A by 0.0275" in out
    same = decided("whatif", "--margin", "0.01").out
    assert "The same is decided." in same


def test_whatif_can_choose_by_another_rule(decided: Decide) -> None:
    (told,) = decided("whatif", "--margin", "0.2", "--format", "json").json
    assert told["after"]["decision"] == "shortlist"
    (told,) = decided("whatif", "--margin", "0.2", "--too-close", "ask", "--format", "json").json
    assert told["after"]["decision"] == "human_gate"
    (told,) = decided("whatif", "--strategy", "shortlist", "--format", "json").json
    assert told["after"]["decision"] == "shortlist"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--weights", "lllm=3"), "score.weights"),
        (("--weights", "llm=-1"), "score.weights"),
        (("--profile", "no"), "score.profile"),
        (("--policy", "cost=renormalise"), "score.policy"),
        (("--strategy", "no"), "score.setting"),
        (("--margin", "nan"), "score.setting"),
        (("--without", "Z"), "ledger.candidate"),
        (("--weights", "none.yml"), "config.missing_file"),
        ((), "say what is to be different"),
    ],
)
def test_a_change_that_cannot_be_meant_is_refused(
    decided: Decide, words: tuple[str, ...], code: str
) -> None:
    ended = decided("whatif", "last", *words)
    assert (ended.code, ended.out) == (2, "") and code in ended.err


def test_the_rival_can_be_named(decided: Decide) -> None:
    assert decided("why", "last", "--against", "B").code == 0
    ended = decided("why", "last", "--against", "Z")
    assert ended.code == 2 and "its candidates are: A, B" in ended.err
    assert decided("why", "last", "--against", "A").code == 2


def test_a_strategy_that_is_gone_is_not_asked_again(ask: Decide, orka: Orka, write: Write) -> None:
    write("w", "{id: scout, type: decide, strategy: second}")
    ask("run", "w.yml")
    for told in (ask("why"), orka("why")):
        assert "B was committed in place of A: the second is always better." in told.out
    assert orka("whatif", "--set", "llm=0.5").code == 2


def test_each_round_of_a_loop_is_a_decision_of_its_own(ask: Decide, folder: Path) -> None:
    (folder / "w.yml").write_text(
        "orchestrator: {id: w}\n"
        "agents:\n"
        "  - id: rounds\n"
        "    type: loop\n"
        "    max_loops: 3\n"
        "    internal_workflow:\n"
        "      orchestrator: {id: inner}\n"
        "      agents:\n"
        "        - {id: scout, type: decide}\n"
        "  - {id: after, type: decide}\n"
    )
    assert ask("run", "w.yml").code == 0
    told = ask("why", "last", "--format", "json").json
    assert [each["node"].rpartition("/")[2] for each in told] == ["scout"] * 3 + ["after"]
    assert [each["event"] for each in told] == sorted(each["event"] for each in told)
    assert len(ask("why", "last", "scout", "--format", "json").json) == 3
    assert "decision 2 of 3" in ask("flips", "last", "scout").out
    (one,) = ask("why", "last", told[1]["node"], "--format", "json").json
    (second,) = ask("why", "last", "scout", "--at", "2", "--format", "json").json
    assert one == second
    assert ask("why", "last", "scout", "--at", "4").code == 2


def test_what_is_not_there_is_told(ask: Decide, write: Write) -> None:
    write("w", "{id: a, type: wait, seconds: 0}\n{id: scout, type: decide}")
    ask("run", "w.yml")
    ended = ask("why", "last", "a")
    assert ended.code == 2 and "input.no_decision" in ended.err and "made by: scout" in ended.err
    ended = ask("why", "last", "scoot")
    assert ended.code == 2 and "did you mean 'scout'?" in ended.err
    write("w", "{id: a, type: wait, seconds: 0}")
    ask("run", "w.yml")
    for command in (("why",), ("flips",), ("whatif", "last", "--profile", "fast")):
        ended = ask(*command)
        assert ended.code == 2 and "has made no decision" in ended.err


def test_a_factor_that_was_lost_is_named(decided: Decide, folder: Path) -> None:
    damaged(decided, folder, lambda ledger: ledger["candidates"][1]["factors"].pop("cost"))
    for command in (("why",), ("flips",), ("whatif", "last", "--profile", "fast")):
        ended = decided(*command)
        assert (ended.code, ended.out) == (5, "")
        assert "ledger.incomplete" in ended.err
        assert "'B' has no factor 'cost'" in ended.err and "event " in ended.err


def test_a_record_that_does_not_follow_from_its_factors_is_told(
    decided: Decide, folder: Path
) -> None:
    damaged(decided, folder, lambda ledger: ledger["outcome"].update(chosen="B"))
    ended = decided("why")
    assert ended.code == 6 and "ledger.mismatch" in ended.err
    assert "`chosen` is 'B' on record and 'A' by the factors" in ended.err
    assert decided("flips").code == 6


def test_no_question_asks_a_model(ask: Decide, orka: Orka, write: Write) -> None:
    write("w", "{id: a, type: llm, model: scripted, prompt: hi}\n{id: scout, type: decide}")
    assert orka("run", "w.yml", "--plugin", "decide.py", script={"a": ["hello"]}).code == 0
    for command in (("why",), ("flips",), ("whatif", "last", "--profile", "fast")):
        # A script without replies refuses whatever is asked.
        assert orka(*command, "--plugin", "decide.py", script={"a": []}).code == 0
    assert len(ask("runs", "--format", "json").json) == 1


def test_a_judge_that_never_wavered_has_no_noise(ask: Decide, write: Write) -> None:
    write("w", "{id: scout, type: decide, noise: 0}")
    ask("run", "w.yml")
    assert any(
        line.split() == ["B", "0.0745", "no", "noise"] for line in ask("flips").out.splitlines()
    )


def test_another_shortlist_is_something_else(ask: Decide, write: Write) -> None:
    write("w", "{id: scout, type: decide, strategy: shortlist}")
    ask("run", "w.yml")
    assert "Something else is decided." in ask("whatif", "last", "--without", "B").out
