"""The attack on a plan: its rounds, its budget, and when it only repeats itself."""

from __future__ import annotations

import asyncio
import json

import orka
import pytest
from desk import LOCAL, YES, asked, attack, done, model, objection, value
from orka.errors import ConfigError
from orka.event.event import Noted
from orka.testing.scripted import Reply
from orka.value import Json

from orka_spec_driven.likeness import alike, core

ATTACK = """
orchestrator: {id: attacks, model: scripted, agents: [planner, drafted, reviewed, attack]}
agents:
  - {id: planner, type: llm, prompt: plan, parse: auto}
  - {id: drafted, type: plan_state, to: draft, plan: planner}
  - {id: reviewed, type: plan_state, to: in_review, after: drafted}
  - {id: attack, type: critique, of: reviewed, max_rounds: 4, budget_tokens: 1000, max_tokens: 300}
"""
TEXTS: Json = {
    "type": "object",
    "additionalProperties": False,
    "required": ["goal", "steps", "risks"],
    "properties": {
        "goal": {"type": "string", "maxLength": 100},
        "steps": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string"}},
        "risks": {"type": "array", "maxItems": 1, "items": {"type": "string"}},
    },
}
DIFFERENT = ["Nobody tests it", "The budget is unknown", "Facts may be false", "It takes weeks"]


def attacked(*rounds: Json) -> orka.Run:
    return asyncio.run(done(YES, model(attack=rounds), ATTACK))


def test_it_ends_when_there_is_nothing_to_object_to() -> None:
    run = attacked(attack(objection(DIFFERENT[0])), attack())
    found = value(run, "attack")
    assert (found["stopped"], found["rounds"], found["tokens"]) == ("satisfied", 2, 200)
    (noted,) = [e for e in run.events if isinstance(e, Noted) and e.kind == "critique.satisfied"]
    assert noted.data == {"rounds": 2, "tokens": 200}


def test_it_ends_when_the_rounds_are_over() -> None:
    found = value(attacked(*(attack(objection(each)) for each in DIFFERENT)), "attack")
    assert (found["stopped"], found["rounds"], len(found["objections"])) == ("rounds", 4, 4)


def test_it_ends_before_the_budget_is_overdrawn() -> None:
    rounds = [attack(objection(each), tokens=400) for each in DIFFERENT]
    run = attacked(*rounds)
    found = value(run, "attack")
    assert (found["stopped"], found["rounds"], found["tokens"]) == ("budget", 2, 800)


def test_no_round_may_write_more_than_is_left() -> None:
    rounds = [attack(objection(each), tokens=330) for each in DIFFERENT]
    run = attacked(*rounds)
    assert [each["params"]["max_tokens"] for each in asked(run, "attack")] == [300, 300]
    rounds = [attack(objection(each), tokens=450) for each in DIFFERENT]
    wide = ATTACK.replace("max_tokens: 300", "max_tokens: 900")
    run = asyncio.run(done(YES, model(attack=rounds), wide))
    assert [each["params"]["max_tokens"] for each in asked(run, "attack")] == [900, 100]


def test_tokens_that_nobody_counted_end_it_after_a_round() -> None:
    uncounted = Reply(value={"objections": [objection(DIFFERENT[0])]})
    found = value(attacked(uncounted), "attack")
    assert (found["stopped"], found["rounds"], found["tokens"]) == ("budget", 1, None)


def test_it_ends_when_all_is_said_again() -> None:
    found = value(
        attacked(
            attack(objection("There is no rollback"), objection("Nobody tests the page", "s2")),
            attack(objection("Page was never tested", "s2"), objection("A rollback is missing")),
        ),
        "attack",
    )
    assert (found["stopped"], found["rounds"], len(found["objections"])) == ("repetition", 2, 2)


def test_what_is_new_among_the_repeated_is_kept_and_the_attack_goes_on() -> None:
    found = value(
        attacked(
            attack(objection("There is no rollback")),
            attack(objection("No rollback there"), objection("Licences are unclear")),
            attack(objection("Licences: unclear!")),
        ),
        "attack",
    )
    assert (found["stopped"], found["rounds"], len(found["objections"])) == ("repetition", 3, 2)


def test_later_rounds_are_told_what_was_said() -> None:
    given = model(attack=[attack(objection("There is no rollback")), attack()])
    asyncio.run(done(YES, given, ATTACK))
    first, second = given.prompts("attack")
    assert "rollback" not in first and "- s1: There is no rollback" in second


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("There is no rollback", "A rollback is missing.", True),
        ("Step 1 lacks tests", "step 1 has no test!", True),
        ("The facts have no source", "Nobody pays for the work", False),
        ("There is a rollback", "There is no rollback", False),
    ],
)
def test_likeness_is_of_the_words_that_carry_a_meaning(one: str, other: str, same: bool) -> None:
    assert alike({"step": "s1", "problem": one}, {"step": "s1", "problem": other}, 0.7) is same
    assert not alike({"step": "s1", "problem": one}, {"step": "s2", "problem": one}, 0.1)


def test_the_core_of_a_text_is_the_same_for_its_forms() -> None:
    assert core("Tests are lacking") == core("no test") == {"test", "lack"}


@pytest.mark.parametrize("wrong", ["max_rounds: 0", "budget_tokens: 0", "repeats_at: 0"])
def test_limits_that_cannot_be_kept_are_found_before_a_run(wrong: str) -> None:
    head, _, tail = ATTACK.rpartition("max_rounds: 4, budget_tokens: 1000")
    with pytest.raises(ConfigError) as caught:
        orka.check(f"{head}{wrong}{tail}", store=":memory:")
    assert wrong.partition(":")[0] in str(caught.value)


@pytest.mark.local
def test_the_real_local_model_attacks_its_own_plan_within_the_budget() -> None:
    plan = (
        "{id: planner, type: llm, max_tokens: 200, on_violation: repair, "
        "prompt: 'Plan in two steps, with one risk: a page about tea', "
        f"output: {json.dumps(TEXTS)}}}"
    )
    planner = "{id: planner, type: llm, prompt: plan, parse: auto}"
    whole = ATTACK.replace(planner, plan).replace("model: scripted", f"model: {LOCAL}")

    async def real() -> orka.Run:
        async with orka.Runtime(store=":memory:") as runtime:
            run = await runtime.run(whole.replace("max_tokens: 300", "max_tokens: 200"))
            runtime.replay(run.id)
            return run

    run = asyncio.run(real())
    assert run.status == "completed", run.failure
    found = value(run, "attack")
    assert found["stopped"] in ("satisfied", "repetition", "budget", "rounds")
    assert found["rounds"] <= 4 and found["tokens"] <= 1000
