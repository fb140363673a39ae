"""The reviewer: it asks, it is answered from the report, and only then it judges."""

from __future__ import annotations

import asyncio

import orka
import pytest
from desk import ACCEPTED, ANSWERS, QUESTIONS, YES, asked, done, model, value
from orka.event.event import Violation
from orka.value import Json

REVIEW = """
orchestrator: {id: reviews, model: scripted, agents: [planner, drafted, check]}
agents:
  - {id: planner, type: llm, prompt: plan, parse: auto}
  - {id: drafted, type: plan_state, to: draft, plan: planner}
  - {id: check, type: review, of: drafted, work: "Wrote outline.txt. Then wrote page.txt."}
"""
LOOSE: Json = {
    "answers": [
        {"question": 0, "answer": "In outline.txt", "quote": "wrote OUTLINE.txt. Then"},
        {"question": 1, "answer": "In page.txt", "quote": "wrote page.txt."},
    ]
}


def reviewed(*replies: Json) -> orka.Run:
    return asyncio.run(done(YES, model(check=replies), REVIEW))


def test_it_judges_when_each_step_has_an_answer() -> None:
    run = reviewed(QUESTIONS, LOOSE, ACCEPTED)
    found = value(run, "check")
    assert (found["verdict"], found["uncovered"]) == ("accepted", [])
    assert [each["answer"] for each in found["questions"]] == ["In outline.txt", "In page.txt"]


def test_without_questions_it_does_not_judge() -> None:
    found = value(reviewed({"questions": []}), "check")
    assert (found["verdict"], found["uncovered"]) == ("abstained", ["s1", "s2"])


def test_a_step_that_was_not_asked_about_is_not_judged() -> None:
    one: Json = {"questions": [QUESTIONS["questions"][0]]}
    found = value(reviewed(one, {"answers": [LOOSE["answers"][0]]}), "check")
    assert (found["verdict"], found["uncovered"]) == ("abstained", ["s2"])


def test_an_answer_whose_quote_the_report_does_not_have_is_none() -> None:
    made_up: Json = {"question": 1, "answer": "Checked", "quote": "page.txt was proofread"}
    run = reviewed(QUESTIONS, {"answers": [LOOSE["answers"][0], made_up]})
    found = value(run, "check")
    assert (found["verdict"], found["uncovered"]) == ("abstained", ["s2"])
    (violation,) = [event for event in run.events if isinstance(event, Violation)]
    assert (violation.kind, violation.raw) == ("ungrounded", "page.txt was proofread")


@pytest.mark.parametrize("quote", ["rote page", "Then", " ", "..."])
def test_part_of_a_word_or_a_word_of_any_text_is_no_quote(quote: str) -> None:
    half: Json = {"question": 1, "answer": "Yes", "quote": quote}
    run = reviewed(QUESTIONS, {"answers": [LOOSE["answers"][0], half]})
    assert value(run, "check")["verdict"] == "abstained"


def test_who_answers_may_be_another_model() -> None:
    given = model(check=[QUESTIONS, ANSWERS, ACCEPTED])
    flow = REVIEW.replace("of: drafted,", "of: drafted, answers_model: scripted/other,")
    run = asyncio.run(done(YES, given, flow))
    models = [each["model"] for each in asked(run, "check")]
    assert models == ["scripted", "scripted/other", "scripted"]
