"""Why a decision came out as it did, from its record alone."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from fractions import Fraction

import msgspec
import pytest

from orka.errors import LedgerError
from orka.score.decide import DecisionEngine
from orka.score.factor import PENALTIES, Abstained, Known, Reading
from orka.score.ledger import Candidate, Ledger, Noise, Pruned
from orka.score.setting import BooleanRules, Factor, Setting, factors_of
from orka.score.strategy import STRATEGIES, Choice, Situation, commit, strategy
from orka.score.told import listed
from orka.score.why import parts, why
from orka.value import Json
from score.decisions import random_ledger

BALANCED = {"llm": 0.45, "heuristics": 0.2, "prior": 0.2, "cost": 0.1, "latency": 0.05}
A = (0.78, 0.9, 0.5, -0.1, -0.05)
B = (0.82, 0.6, 0.5, -0.3, -0.3)
Given = tuple[float | None, ...]
# What no arithmetic can miss: words, and entries of lists that may be of any length.
WORDS = ("reason", "why", "count", "paths", "asked")
ENTRIES = ("path", "paths", "safer", "pruned", "noise", "context")


def candidate(id: str, values: Given, excluded: str = "") -> Candidate:
    readings: dict[str, Reading] = {
        name: Abstained("the judge was silent")
        if value is None
        else Known(value, f"{name} of {id}")
        for name, value in zip(BALANCED, values, strict=True)
    }
    return Candidate(id=id, path=(id,), factors=readings, excluded=excluded)


def ledger(*candidates: Candidate, policies: dict[str, str] | None = None, **more: Json) -> Ledger:
    setting = Setting(factors=factors_of(BALANCED, policies=policies), **more)
    return DecisionEngine(setting).ledger(candidates)


def test_the_worked_example_comes_out_to_the_last_digit() -> None:
    found = why(ledger(candidate("A", A), candidate("B", B)))
    assert found.sentence == (
        "A leads B by 0.0745: heuristics +0.0600, cost +0.0200 and latency +0.0125 outweigh "
        "llm −0.0180."
    )
    assert found.then == "A was committed: ahead by what is needed, or more."
    assert [line.score for line in found.lines] == [618_500_000_000, 544_000_000_000]
    shares = {share.factor: share.difference for share in found.shares}
    assert shares == {
        "llm": -18_000_000_000,
        "heuristics": 60_000_000_000,
        "prior": 0,
        "cost": 20_000_000_000,
        "latency": 12_500_000_000,
    }
    assert found.margin == sum(shares.values()) == 74_500_000_000
    assert (found.too_close, found.lines[0].cells[0].reason) == (False, "llm of A")


@pytest.mark.parametrize(
    ("candidates", "sentence"),
    [
        ((), "Nobody leads: no candidates were proposed."),
        ((candidate("A", A),), "A is the only candidate; its score is 0.6185."),
        (
            (candidate("A", A), candidate("B", B, "forbidden")),
            "A is the only candidate that is in, with 0.6185; B is out: forbidden.",
        ),
        ((candidate("B", B, "forbidden"),), "Nobody leads: B is out: forbidden."),
        (
            tuple(candidate(name, B, "forbidden") for name in "ABCDE"),
            "Nobody leads: A is out: forbidden; B is out: forbidden; C is out: forbidden; "
            "and 2 others are out.",
        ),
        (
            (candidate("A", A), candidate("B", A)),
            "A and B tie at 0.6185, the same in every factor; A was declared first, so it leads.",
        ),
        (
            (
                candidate("A", (None, 0.5, 0.5, 0, 0)),
                candidate("B", (None, 0.5, 0.5, 0, 0)),
            ),
            "A and B tie at 0.2000, the same in every factor that is known; "
            "A was declared first, so it leads.",
        ),
        (
            (candidate("B", A), candidate("A", A), candidate("C", A)),
            "B, A and C tie at 0.6185; B was declared first, so it leads.",
        ),
        (
            (candidate("A", (0.5, 0.5, 0.4, 0, 0)), candidate("B", (0.5, 0.4, 0.5, 0, 0))),
            "A and B tie at 0.4050 (heuristics +0.0200 and prior −0.0200 cancel out); "
            "A was declared first, so it leads.",
        ),
        (
            (candidate("A", (0.5, 0.5, 0.5, 0, 0)), candidate("B", (0.4, 0.5, 0.5, 0, 0))),
            "A leads B by 0.0450: llm +0.0450.",
        ),
        (
            (candidate("A", (0.5, 0.5, 0.5, 0, 0)), candidate("B", (0.4, 0.6, 0.5, 0, 0))),
            "A leads B by 0.0250: llm +0.0450 outweighs heuristics −0.0200.",
        ),
        (
            (candidate("A", (0.500001, 0.5, 0.5, 0, 0)), candidate("B", (0.5, 0.5, 0.5, 0, 0))),
            "A leads B by 0.000000450000: llm +0.000000450000.",
        ),
    ],
)
def test_one_plain_sentence_tells_it(candidates: tuple[Candidate, ...], sentence: str) -> None:
    assert why(ledger(*candidates)).sentence == sentence


@pytest.mark.parametrize(
    ("more", "then"),
    [
        (
            {"commit_margin": 0.1},
            "It is left open among A and B: ahead by less than what is needed.",
        ),
        (
            {"commit_margin": 0.1, "too_close": "ask"},
            "A person decides among A and B: ahead by less than what is needed.",
        ),
        (
            {"commit_margin": 0.1, "too_close": "agent:senior"},
            "The agent 'senior' decides among A and B: ahead by less than what is needed.",
        ),
        ({"strategy": "shortlist"}, "It is left open among A and B: as it is set."),
    ],
)
def test_then_says_what_came_of_it(more: dict[str, Json], then: str) -> None:
    found = why(ledger(candidate("A", A), candidate("B", B), **more))
    assert found.then == then
    assert found.too_close is ("commit_margin" in more)


def test_the_safer_one_is_said_to_be_taken_in_place_of_the_leader() -> None:
    found = why(
        ledger(
            candidate("A", (0.9, 0.5, 0.1, 0, 0)),
            candidate("B", (0.5, 0.5, 0.9, 0, 0)),
            commit_margin=0.5,
            too_close="safer",
        )
    )
    assert found.leader == "A"
    assert found.then.startswith("B was committed in place of A: ahead by less")


def test_boolean_mode_says_which_criterion_failed() -> None:
    factors = (Factor(name="safe", weight=1, severity="critical"),)
    setting = Setting(factors=factors, boolean=BooleanRules())
    candidates = [
        Candidate(id=id, path=(id,), factors={"safe": Known(value, "as its file says")})
        for id, value in (("A", 1), ("B", 0))
    ]
    found = why(DecisionEngine(setting).ledger(candidates))
    assert found.sentence == (
        "A is the only candidate that is in, with 1.0000; B is out: critical criterion safe is "
        "false (as its file says)."
    )


@pytest.mark.parametrize(
    ("policy", "effective", "counts"),
    [
        ("worst", 0.6, "the worst known"),
        ("floor", 0.0, "the lowest there can be"),
        ("renormalise", None, "nothing: its weight goes to the other benefits"),
        ("ask", 0.6, "the worst known, and a person decides"),
        ("stop", 0.6, "the worst known, and nothing is decided"),
    ],
)
def test_what_nobody_knows_says_as_what_it_counts(
    policy: str, effective: float | None, counts: str
) -> None:
    silent = candidate("A", (0.78, None, 0.5, -0.1, -0.05))
    found = why(ledger(silent, candidate("B", B), policies={"heuristics": policy}))
    (line,) = [each for each in found.lines if each.id == "A"]
    cell = line.cells[1]
    assert (cell.value, cell.effective, cell.counts) == (None, effective, counts)
    assert cell.cause == "the judge was silent"


def test_who_is_out_because_nobody_knows_has_no_score() -> None:
    silent = candidate("A", (0.78, None, 0.5, -0.1, -0.05))
    rows = why(ledger(silent, candidate("B", B), policies={"heuristics": "exclude"})).lines
    assert [(row.id, row.place) for row in rows] == [("B", 1), ("A", None)]
    assert rows[1].out.startswith("heuristics is unknown")
    assert [cell.contribution for cell in rows[1].cells] == [None] * 5


def test_the_rival_may_be_anybody_but_the_leader() -> None:
    three = ledger(candidate("A", A), candidate("B", B), candidate("C", A, "forbidden"))
    assert why(three).rival == "B"
    out = why(three, "C")
    assert (out.margin, out.shares) == (None, ())
    assert out.sentence == "A leads with 0.6185; C is out: forbidden."
    for name in ("A", "Z"):
        with pytest.raises(LedgerError) as error:
            why(three, name)
        assert error.value.code == "ledger.candidate"


def test_shares_sum_exactly_to_the_margin_whatever_is_unknown(block: range) -> None:
    for seed in block:
        each = random_ledger(seed)
        found = why(each)
        for line in found.lines:
            if line.score is not None:
                cells = [Fraction(cell.contribution or 0) for cell in line.cells]
                assert sum(cells) == line.score, f"seed {seed}, {line.id}"
        scores = {line.id: line.score for line in found.lines}
        if found.margin is not None:
            ours, theirs = scores[found.leader], scores[found.rival]
            assert ours is not None and theirs is not None
            assert found.margin == ours - theirs, f"seed {seed}"
            assert sum(Fraction(share.difference) for share in found.shares) == found.margin
        assert msgspec.json.decode(msgspec.json.encode(found.json())) is not None


SEEDS = (200, 3000)


def test_the_sentence_adds_up(block: range) -> None:
    """Each number in it is rounded to 1e-6 at most."""
    for seed in block:
        told = why(random_ledger(seed)).sentence
        if match := re.fullmatch(r".* leads .* by ([0-9.]+): (.*)\.", told):
            shares = re.findall(r"[+−]([0-9.]+)", match[2])
            signs = re.findall(r"[+−]", match[2])
            total = sum(
                Fraction(share) * (1 if sign == "+" else -1)
                for share, sign in zip(shares, signs, strict=True)
            )
            assert abs(total - Fraction(match[1])) <= Fraction(len(shares) + 1, 2_000_000), told
            speaking, _, against = match[2].partition(" outweigh")
            assert "−" not in speaking and "+" not in against, told


def test_a_record_as_json_is_the_same_record(block: range) -> None:
    for seed in block:
        each = random_ledger(seed)
        read = Ledger.read(msgspec.json.decode(msgspec.json.encode(each.json())))
        assert why(read) == why(each), f"seed {seed}"


def whole() -> Json:
    """A record that has everything a record can have, some of it as it is by default."""
    candidates = [
        candidate("A", (0.78, 0.9, 0.5, None, -0.05)),
        candidate("B", B),
        candidate("C", A, "forbidden"),
    ]
    setting = Setting(
        factors=factors_of({**BALANCED, "latency": 0}, policies={"cost": "floor"}),
        commit_margin=0.07,
        too_close="ask",
        safer=("cost",),
        k_beam=2,
        profile="mine",
    )
    pruned = [Pruned("depth", "too deep", 2, (("x", "y"),))]
    found = DecisionEngine(setting).ledger(
        candidates, pruned=pruned, noise=[Noise("llm", 0.01, 2)], context={"domain": "finance"}
    )
    told: Json = msgspec.json.decode(msgspec.json.encode(found.json()))
    return told


def places(value: Json, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*at, key)
        if isinstance(item, (dict, list)):
            yield from places(item, (*at, key))


def without(document: Json, place: tuple[str | int, ...]) -> Json:
    changed = copy.deepcopy(document)
    owner = changed
    for key in place[:-1]:
        owner = owner[key]
    del owner[place[-1]]
    return changed


def test_whatever_is_taken_out_of_a_record_is_missed_by_name() -> None:
    document = whole()
    assert why(Ledger.read(document))
    for place in places(document):
        last = place[-1]
        owner = place[-2] if len(place) > 1 else ""
        if last in WORDS or owner in ENTRIES or any(each == "paths" for each in place[:-1]):
            continue
        with pytest.raises(LedgerError) as error:
            why(Ledger.read(without(document, place)))
        assert error.value.code in ("ledger.incomplete", "ledger.mismatch"), place
        if isinstance(last, str) and error.value.code == "ledger.incomplete" and last != "penalty":
            assert repr(last) in error.value.what or f"`{last}`" in error.value.what, place


@pytest.mark.parametrize("id", ["A", "B", "C"])
@pytest.mark.parametrize("factor", BALANCED)
def test_a_factor_that_was_lost_is_named_with_its_candidate(id: str, factor: str) -> None:
    document = whole()
    (which,) = [each for each in document["candidates"] if each["id"] == id]
    del which["factors"][factor]
    with pytest.raises(LedgerError, match=f"candidate '{id}' has no factor '{factor}'"):
        why(Ledger.read(document))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"chosen": "B"}, "`chosen` is 'B' on record and 'A' by the factors"),
        ({"decision": "shortlist"}, "`decision` is 'shortlist' on record and 'commit_next'"),
        ({"margin": 0.0746}, "`margin` is 0.0746 on record and 0.0745"),
        ({"needed": 0.1}, "`needed` is 0.1 on record and 0.05"),
        ({"tied": ["A", "B"]}, "`tied` is"),
        ({"shortlist": ["A"]}, "`shortlist` is"),
        ({"status": "too_close"}, "`status` is"),
        ({"ranking": [{"id": "B", "score": 0.544}, {"id": "A", "score": 0.6185}]}, "the ranking"),
        (
            {"ranking": [{"id": "A", "score": 0.6186}, {"id": "B", "score": 0.544}]},
            "the score of 'A' is 0.6186 on record and 0.6185",
        ),
        ({"ranking": [{"id": "A", "score": 0.6185}]}, "the set of ranked candidates"),
    ],
)
def test_a_record_that_does_not_follow_from_its_factors_is_refused(
    change: dict[str, Json], named: str
) -> None:
    document = ledger(candidate("A", A), candidate("B", B)).json()
    document["outcome"] = {**document["outcome"], **change}
    read = Ledger.read(msgspec.json.decode(msgspec.json.encode(document)))
    with pytest.raises(LedgerError) as error:
        why(read)
    assert error.value.code == "ledger.mismatch" and named in error.value.what


def test_a_setting_that_cannot_be_meant_is_told_as_a_damaged_record() -> None:
    good = ledger(candidate("A", A), candidate("B", B))
    for setting in (
        msgspec.structs.replace(good.setting, k_beam=0),
        msgspec.structs.replace(good.setting, commit_margin=-1.0),
    ):
        with pytest.raises(LedgerError):
            why(msgspec.structs.replace(good, setting=setting))
    twice = msgspec.structs.replace(good, candidates=(good.candidates[0],) * 2)
    with pytest.raises(LedgerError, match="two candidates are called 'A'"):
        why(twice)


@strategy("last")
def last(situation: Situation) -> Choice:
    return commit(situation, len(situation.standing.ranked) - 1, "the last shall be first")


def test_a_strategy_of_a_plugin_is_asked_again_where_it_is_there() -> None:
    known = {**STRATEGIES, "last": last}
    setting = Setting(factors=factors_of(BALANCED), strategy="last")
    found = DecisionEngine(setting, known).ledger([candidate("A", A), candidate("B", B)])
    assert why(found).then == why(found, "", known).then
    changed = msgspec.structs.replace(
        found, outcome=msgspec.structs.replace(found.outcome, chosen="A")
    )
    assert why(changed).outcome.chosen == "A"  # nobody can tell without the strategy
    with pytest.raises(LedgerError, match="`chosen`"):
        why(changed, "", known)


def test_parts_of_a_score_with_weights_handed_on_sum_to_it() -> None:
    factors = factors_of({"llm": 0.3, "heuristics": 0.1, "prior": 0.2, "cost": 0.1})
    assert (
        sum(parts(factors, (500_000, None, 250_000, -100_000)))
        == Fraction((300_000 * 500_000 + 200_000 * 250_000) * 600_000, 500_000) - 100_000 * 100_000
    )
    assert "cost" in PENALTIES


def test_of_many_that_tie_the_first_few_are_named() -> None:
    assert listed(["a", "b", "c", "d"]) == "a, b, c and d"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 others"
