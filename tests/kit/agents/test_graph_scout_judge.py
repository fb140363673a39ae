"""The model that judges the paths of a `graph-scout`: how it is asked, and when it says nothing."""

from __future__ import annotations

import re

import pytest
from scouts import ABC, MODEL, Scouted, does, flow, said

from orka.event.event import EffectRequested
from orka.score.factor import Abstained, Known
from orka.testing.script import Refusal, Reply
from orka.value import Json

REFUSED = Reply(error=Refusal(status=400))
LLM: dict[str, Json] = {
    "model": MODEL,
    "weights": {"llm": 1},
    "max_depth": 1,
    "strategy": "strict",
    "history": 0,
}


def judged(*replies: object, pool: Json = ABC, **options: Json) -> Scouted:
    judge = {"repeat": 1, **options.pop("judge", {})}
    return Scouted(flow(pool, **{**LLM, **options}, judge=judge), {"scout": replies})


# ---- one question about all paths


def test_one_question_is_asked_about_all_paths() -> None:
    run = judged(said(2, 9, 5))
    assert run.values("llm") == {"a": 0.2, "b": 0.9, "c": 0.5}
    assert run.factor("llm")["b"] == Known(0.9, "why 9")
    assert run.output["path"] == ["b"]
    (prompt,) = run.model.prompts("scout")
    assert "Task:\nthe task" in prompt and "P1: a (act)\nP2: b (act)\nP3: c (act)" in prompt


def test_the_model_is_told_what_agents_are_for_and_can_do() -> None:
    pool = [
        does("a", description="finds  pages\nin the web", capabilities=["search", "read"]),
        does("b", capabilities=["write"]),
        {"id": "c", "type": "llm", "model": MODEL, "prompt": "Say it"},
    ]
    (prompt,) = judged(said(1, 2, 3), pool=pool).model.prompts("scout")
    assert "P1: a (search, read: finds pages in the web)" in prompt
    assert "P2: b (write: act)" in prompt and "P3: c (Say it)" in prompt


def test_the_author_may_ask_another_question_and_of_another_task() -> None:
    run = judged(said(1, 2, 3), prompt="T {{ input }}", judge={"question": "Is it cheap?"})
    (prompt,) = run.model.prompts("scout")
    assert "T the task" in prompt and "Is it cheap? Give each path" in prompt


def listed(prompt: str) -> list[str]:
    return re.findall(r"^P\d+: (\w)", prompt, re.MULTILINE)


def test_asked_again_the_order_is_turned_round_and_begins_elsewhere() -> None:
    rounds = [said(1, 2, 3), said(3, 2, 1), said(2, 3, 1), said(1, 3, 2)]
    run = judged(*rounds, judge={"repeat": 4})
    orders = [listed(prompt) for prompt in run.model.prompts("scout")]
    assert orders == [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"], ["a", "c", "b"]]
    assert run.values("llm") == {"a": 0.1, "b": 0.2, "c": 0.3}
    (noise,) = run.ledger.noise
    assert (noise.factor, noise.deviation, noise.asked) == ("llm", 0.0, 4)


def test_the_usual_judge_is_asked_twice() -> None:
    run = Scouted(flow(**LLM), {"scout": [said(1, 2, 3), said(3, 2, 1)]})
    assert [listed(prompt) for prompt in run.model.prompts("scout")] == [
        ["a", "b", "c"], ["c", "b", "a"],
    ]  # fmt: skip


def test_what_the_judge_wavers_is_measured() -> None:
    run = judged(said(2, 6, 5), said(5, 8, 6), judge={"repeat": 2})
    assert run.values("llm") == {"a": 0.4, "b": 0.7, "c": 0.5}
    (noise,) = run.ledger.noise
    # Variances of (0.2, 0.6), (0.6, 0.8), (0.5, 0.5): 0.08, 0.02, 0. Their mean, halved, its root.
    assert noise.deviation == round((0.1 / 3 / 2) ** 0.5, 6)


def test_a_judge_that_is_asked_once_has_no_known_noise() -> None:
    (noise,) = judged(said(1, 2, 3)).ledger.noise
    assert (noise.deviation, noise.asked) == (None, 1)


@pytest.mark.parametrize(("times", "status"), [(0.9, "success"), (1.1, "too_close")])
def test_the_margin_may_be_in_units_of_the_noise(times: float, status: str) -> None:
    # a: 0.4 ± 0, b: 0.7, 0.9; the deviation of a difference is 0.1, that of the lead is 0.4.
    margin = {"noise": times * 0.4 / 0.1}
    options: dict[str, Json] = {"strategy": "margin", "commit_margin": margin}
    run = judged(said(4, 7), said(9, 4), pool=ABC[:2], judge={"repeat": 2}, **options)
    assert run.values("llm") == {"a": 0.4, "b": 0.8}
    assert run.output["status"] == status
    assert run.ledger.outcome.needed == pytest.approx(0.4 * times, abs=1e-5)


# ---- one question about each path


def sure(yes: float) -> Reply:
    word = "yes" if yes >= 0.5 else "no"
    return Reply(text=word, probabilities={"yes": yes, "no": 1 - yes}, mass=1.0)


def test_yes_or_no_with_probabilities_is_the_probability_of_yes() -> None:
    run = judged(sure(0.9), sure(0.25), sure(0.5), judge={"mode": "yes_no"})
    assert run.values("llm") == {"a": 0.9, "b": 0.25, "c": 0.5}
    prompts = run.model.prompts("scout")
    assert len(prompts) == 3 and all("yes or no?" in prompt for prompt in prompts)


def test_the_words_are_turned_round_when_it_is_asked_again() -> None:
    replies = [sure(0.9), sure(0.5), sure(0.7), sure(0.6)]
    run = judged(*replies, pool=ABC[:2], judge={"mode": "yes_no", "repeat": 2})
    prompts = run.model.prompts("scout")
    assert ["yes or no?" in prompt for prompt in prompts] == [True, True, False, False]
    assert all("no or yes?" in prompt for prompt in prompts[2:])
    assert "Proposed path, steps that run one after another:\nb" in prompts[2]


# ---- when it says nothing


GARBAGE = [
    "P1 is the best of them",
    "",
    {"P1": {"reason": "r", "score": 3}},
    {f"P{at}": {"reason": "r", "score": 11} for at in (1, 2, 3)},
    {f"P{at}": {"reason": "r", "score": 0.5} for at in (1, 2, 3)},
    {f"P{at}": 3 for at in (1, 2, 3)},
    {f"P{at}": {"reason": "r", "score": 3} for at in (1, 2, 3, 4)},
    Reply(text='{"P1": {"reason": "r", "sc', finish_reason="length"),
    REFUSED,
]


@pytest.mark.parametrize("reply", GARBAGE)
def test_garbage_is_an_abstention_by_name_and_the_run_goes_on(reply: object) -> None:
    weights = {"llm": 0.5, "heuristics": 0.5}
    rules = [{"when": "first.id == 'b'", "weight": 1, "message": "b it is"}]
    run = judged(reply, weights=weights, heuristics=rules)
    causes = run.values("llm")
    assert all(str(cause).startswith("the judge gave no answer (") for cause in causes.values())
    assert run.output["path"] == ["b"] and run.output["scores"] == {"b": 0.5, "a": 0, "c": 0}


@pytest.mark.parametrize("reply", GARBAGE)
def test_or_the_run_fails_if_its_author_says_so(reply: object) -> None:
    run = judged(reply, judge={"on_failure": "fail"})
    assert run.failure == "scout.judge"
    assert run.run.failure and "gives no opinion of a" in run.run.failure.message


def test_garbage_may_be_asked_again() -> None:
    run = judged("hm", said(1, 2, 3), on_violation="retry")
    assert run.values("llm")["c"] == 0.3
    assert len([e for e in run.run.events if isinstance(e, EffectRequested)]) == 2


def test_one_asking_of_several_that_fails_is_no_opinion() -> None:
    run = judged(said(1, 2, 3), "hm", judge={"repeat": 2})
    assert all(isinstance(held, Abstained) for held in run.factor("llm").values())
    assert run.ledger.noise[0].deviation is None


def test_yes_or_no_abstains_for_the_path_that_got_no_answer() -> None:
    run = judged(sure(0.9), REFUSED, sure(0.2), judge={"mode": "yes_no"})
    held = run.values("llm")
    assert (held["a"], held["c"]) == (0.9, 0.2) and "model.refused" in str(held["b"])
    assert run.output["scores"] == {"a": 0.9, "b": 0.2, "c": 0.2}


@pytest.mark.parametrize(
    "options", [{"judge": {"mode": "none"}}, {"weights": {"prior": 1, "llm": 0}}]
)
def test_the_model_is_not_asked_for_what_does_not_count(options: dict[str, Json]) -> None:
    run = judged(**options)
    assert not run.model.calls
    assert all(isinstance(held, Abstained) for held in run.factor("llm").values())


def test_an_unknown_judgement_can_be_for_a_person() -> None:
    judge = {"repeat": 1}
    written = flow(**LLM, judge=judge, policies={"llm": "ask"})
    run = Scouted(written, {"scout": ["hm"]}, answers={"scout": "c"})
    assert run.output["path"] == ["c"] and "a person decides: llm" in run.asked[0]


def test_an_unknown_noise_makes_nothing_clear() -> None:
    options: dict[str, Json] = {"strategy": "margin", "commit_margin": {"noise": 1}}
    run = judged(said(1, 9), "hm", pool=[does("a"), does("b")], judge={"repeat": 2}, **options)
    assert run.output["status"] == "too_close"
    assert "noise of the judge is not known" in run.output["reasoning"]
