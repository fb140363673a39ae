"""`loop`, through whole runs with a scripted model; each run is replayed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import Played

import orka
from orka.event.event import Noted, Violation
from orka.port.model import Usage
from orka.testing.clock import clock, run_virtual
from orka.testing.script import Refusal
from orka.testing.scripted import Reply, Script, ScriptedModel
from orka.value import Json

Replies = Mapping[str, Sequence[object]]


def flow(options: Mapping[str, Json], agents: Sequence[str] = ("d", "s"), **prompts: str) -> Json:
    inner = [{"id": id, "type": "llm", "prompt": prompts.get(id, "{{ input }}")} for id in agents]
    body = {"orchestrator": {"id": "in", "model": "scripted", "agents": list(agents)}}
    node = {"id": "l", "type": "loop", **options, "internal_workflow": {**body, "agents": inner}}
    return {"orchestrator": {"id": "t", "agents": ["l"]}, "agents": [node]}


class Looped(Played):
    """A played loop."""

    def notes(self) -> list[str]:
        return [note.kind for note in self.told(Noted) if note.kind.startswith("loop.")]


SCORED = {"max_loops": 4, "score_from": "s", "score_threshold": 0.8}


def test_a_loop_stops_at_its_threshold() -> None:
    out = Looped(flow(SCORED), {"d": ["one", "two"], "s": ["0.1", "9/10"]}).output
    assert out["loops_completed"] == 2 and out["threshold_met"] and out["stopped"] == "threshold"
    assert out["scores"] == [0.1, 0.9] and out["final_score"] == out["score"] == 0.9
    assert out["result"] == {"d": "two", "s": "9/10"} == out["last"]


def test_the_best_round_is_the_result_and_the_last_one_is_kept() -> None:
    played = Looped(flow(SCORED), {"d": list("abcd"), "s": ["0.1", "0.7", "bad", "0.7"]})
    out = played.output
    assert out["best_iteration"] == 2 and out["best_result"] == "b"
    assert out["last"]["d"] == "d" and out["stopped"] == "max_loops" and not out["threshold_met"]
    assert out["scores"] == [0.1, 0.7, None, 0.7]
    (violation,) = played.told(Violation)
    assert violation.kind == "unreadable_score" and violation.raw == "bad"
    assert violation.where == "s" and violation.node == "l"


def test_a_loop_without_scores_gives_its_last_round_and_no_violation() -> None:
    played = Looped(flow({"max_loops": 2}), {"d": list("ab"), "s": ["x", "y"]})
    assert played.output["scores"] == [None, None] and played.output["best_iteration"] == 2
    assert played.output["best_result"] == "y" and not played.told(Violation)


def test_unreadable_rounds_only_are_never_met_and_the_last_counts() -> None:
    out = Looped(flow({**SCORED, "max_loops": 2}), {"d": list("ab"), "s": ["8", "85"]}).output
    assert out["scores"] == [None, None] and out["final_score"] is None
    assert out["best_iteration"] == 2 and not out["threshold_met"]


def test_the_rounds_see_their_number_and_what_was_learned() -> None:
    options = {
        **SCORED,
        "max_loops": 2,
        "past_loops_metadata": {
            "loop_number": "{{ loop_number }}",
            "was": "{{ score }}",
            "m": "{{ mistakes }}",
        },
        "cognitive_extraction": {"extract_patterns": {"mistakes": ["lacks (.+?)[.]"]}},
    }
    numbers = "{{ loop_number }}/{{ max_loops }}/{{ score_threshold }}"
    prompt = numbers + " {{ past_loops }} {{ past_loops_metadata.m }}"
    replies: Replies = {
        "d": list("ab"),
        "s": ["The draft lacks all its sources. Score: 0.2", "0.9"],
    }
    played = Looped(flow(options, d=prompt), replies)
    first, second = played.model.prompts("d")
    assert first == "1/2/0.8 [] No m available"
    assert second.startswith("2/2/0.8 [{")
    past = json.loads(second[len("2/2/0.8 ") : second.rindex("]") + 1])
    assert (
        past[0]["was"] == 0.2 and past[0]["m"] == "all its sources" and past[0]["loop_number"] == 1
    )
    assert second.endswith("all its sources")
    assert [each["loop_number"] for each in played.output["past_loops"]] == [1, 2]


def test_a_round_sees_the_outputs_of_the_round_before() -> None:
    prompt = "{{ past_loops[-1].result.d if past_loops else 'nothing' }}"
    played = Looped(flow({"max_loops": 3}, d=prompt), {"d": list("abc"), "s": list("xyz")})
    assert played.model.prompts("d") == ["nothing", "a", "b"]
    assert "result" not in played.output["past_loops"][0]


def test_a_round_that_fails_fails_the_loop() -> None:
    played = Looped(flow(SCORED), {"d": ["a"], "s": [Reply(error=Refusal(message="no"))]})
    assert played.run.status == "failed"


def test_a_fallback_score_lets_the_loop_go_on_but_meets_no_threshold() -> None:
    options = {**SCORED, "max_loops": 3, "fallback_score": 0.9}
    replies: Replies = {"d": list("abc"), "s": [Reply(error=Refusal(message="no")), "0.5", "0.4"]}
    played = Looped(flow(options), replies)
    out = played.output
    assert out["scores"] == [0.9, 0.5, 0.4] and out["best_iteration"] == 2
    assert not out["threshold_met"] and "no" in out["past_loops"][0]["mistakes"]
    assert played.notes() == ["loop.round_failed"]


def test_a_fallback_score_stands_for_one_that_cannot_be_read() -> None:
    options = {**SCORED, "max_loops": 3, "fallback_score": 0.95}
    played = Looped(flow(options), {"d": list("abc"), "s": ["fine, I think", "0.5", "0.4"]})
    out = played.output
    assert out["scores"] == [0.95, 0.5, 0.4] and out["best_iteration"] == 2
    assert not out["threshold_met"] and out["final_score"] == 0.5
    assert played.notes() == ["loop.fallback_score"]


def test_a_loop_whose_rounds_all_fail_has_failed() -> None:
    options = {**SCORED, "max_loops": 2, "fallback_score": 0.3}
    replies: Replies = {
        "d": list("ab"),
        "s": [Reply(error=Refusal(message="no")), Reply(error=Refusal(message="never"))],
    }
    played = Looped(flow(options), replies)
    assert played.run.status == "failed" and played.run.failure
    assert "never" in played.run.failure.message


def test_a_timeout_has_a_score_of_its_own() -> None:
    written = flow({**SCORED, "max_loops": 2, "fallback_score": 0.3, "timeout_score": 0.1})
    written["agents"][0]["internal_workflow"]["agents"][0]["timeout"] = 5
    replies: Replies = {"d": [Reply(text="a", delay=9), "b"], "s": ["0.5"]}
    assert Looped(written, replies).output["scores"] == [0.1, 0.5]


def test_convergence_ends_a_loop_that_gains_nothing() -> None:
    options = {**SCORED, "max_loops": 9, "convergence": {"rounds": 2, "min_gain": 0.05}}
    replies: Replies = {"d": list("abcde"), "s": ["0.3", "0.5", "0.52", "0.5"]}
    played = Looped(flow(options), replies)
    assert played.output["stopped"] == "convergence" and played.output["loops_completed"] == 4
    assert played.output["best_iteration"] == 3 and played.notes() == ["loop.convergence"]


def test_criticism_that_repeats_itself_ends_a_loop() -> None:
    options = {"max_loops": 9, "repetition": {"from": "s", "min_novelty": 0.2}}
    replies: Replies = {"d": list("abc"), "s": ["Add sources.", "Less pathos.", "add SOURCES!"]}
    out = Looped(flow(options), replies).output
    assert out["stopped"] == "repetition" and out["loops_completed"] == 3


def test_a_stop_phrase_counts_only_in_what_its_agent_says() -> None:
    options = {"max_loops": 5, "stop_phrase": "DONE", "stop_from": "d"}
    replies: Replies = {"d": ["a", "b: DONE"], "s": ["DONE", "x"]}
    out = Looped(flow(options), replies, "Say DONE when you are").output
    assert out["stopped"] == "stop_phrase" and out["loops_completed"] == 2


def test_a_budget_of_seconds_ends_a_loop() -> None:
    options = {"max_loops": 9, "budget": {"seconds": 10}}
    replies: Replies = {"d": [Reply(text="a", delay=6)] * 3, "s": list("xyz")}
    out = Looped(flow(options), replies).output
    assert out["stopped"] == "budget" and out["loops_completed"] == 2


def test_a_budget_of_tokens_counts_what_the_rounds_spent() -> None:
    used = Reply(text="a", usage=Usage(prompt_tokens=40, completion_tokens=10))
    played = Looped(flow({"max_loops": 9, "budget": {"tokens": 90}}, ("d",)), {"d": [used] * 3})
    assert played.output["stopped"] == "budget" and played.output["loops_completed"] == 2


def test_a_budget_that_nobody_counts_ends_a_loop_after_a_round() -> None:
    played = Looped(flow({"max_loops": 9, "budget": {"cost": 10}}), {"d": ["a"], "s": ["x"]})
    assert played.output["stopped"] == "budget" and played.output["loops_completed"] == 1


def test_a_loop_in_a_loop_has_its_own_numbers() -> None:
    inner = flow({"max_loops": 2, "score_from": "s"}, d="{{ loop_number }}")
    node = {"id": "o", "type": "loop", "max_loops": 2, "score_from": "l", "score_threshold": 0.9}
    written = {
        "orchestrator": {"id": "t", "agents": ["o"]},
        "agents": [{**node, "internal_workflow": inner}],
    }
    played = Looped(written, {"d": list("abcd"), "s": ["0.1", "0.6", "0.95", "0.2"]})
    assert played.model.prompts("d") == ["1", "2", "1", "2"]
    assert played.output["scores"] == [0.6, 0.95] and played.output["threshold_met"]
    assert played.output["best_result"]["best_result"] == "c"


def test_what_is_kept_across_runs_is_seen_by_the_next_one() -> None:
    written = flow({**SCORED, "max_loops": 1, "persist_across_runs": True}, d="{{ past_loops }}")

    async def go() -> list[str]:
        model = ScriptedModel(Script({"d": list("ab"), "s": ["0.5", "0.5"]}))
        async with orka.Runtime(store=":memory:", models={"scripted": model}, clock=clock) as room:
            for _ in range(2):
                found = await room.run(written, "in")
                assert found.status == "completed", found.failure
                assert not room.replay(found.id).unwritten
        return model.prompts("d")

    first, second = run_virtual(go())
    assert first == "[]" and json.loads(second)[0]["score"] == 0.5


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"max_loops": 0}, ["max_loops", "1"]),
        ({"score_threshold": 85}, ["score_threshold", "between 0 and 1"]),
        ({"fallback_score": -1}, ["fallback_score"]),
        ({"score_from": "scor"}, ["score_from", "scor", "internal_workflow"]),
        ({"stop_from": "d"}, ["stop_phrase"]),
        ({"stop_phrase": "x", "stop_from": "q"}, ["stop_from", "q"]),
        ({"repetition": {"from": "q"}}, ["repetition.from", "q"]),
        ({"repetition": {"from": "d", "min_novelty": 0}}, ["min_novelty"]),
        ({"convergence": {"rounds": 0}}, ["rounds"]),
        ({"convergence": {"round": 1}}, ["round"]),
        ({"budget": {}}, ["tokens", "cost", "seconds"]),
        ({"score_extraction_pattern": "("}, ["regular expression"]),
        ({"score_extraction_config": {"strategies": [{"type": "pattern"}]}}, ["patterns"]),
        ({"score_extraction_config": {"strategies": [{"type": "guess"}]}}, ["guess"]),
        ({"scoring": {"preset": "hard"}}, ["hard", "strict"]),
        ({"scoring": {"context": "loops"}}, ["loops", "loop_convergence"]),
        ({"cognitive_extraction": {"extract_patterns": {"insights": ["["]}}}, ["["]),
    ],
)
def test_options_that_cannot_work_are_refused(options: Json, names: list[str]) -> None:
    with pytest.raises(orka.OrkaError) as caught:
        orka.Runtime(store=":memory:").check(flow(options))
    for name in names:
        assert name in str(caught.value)


UNREADABLE = ("8", "bad", "")
SAID = st.sampled_from(["0.1", "0.5", "8/10", "90%", "8", "bad", "SCORE: 0,7", "score 1", ""])


@settings(max_examples=40, deadline=None)
@given(
    said=st.lists(SAID, min_size=6, max_size=6),
    most=st.integers(1, 6),
    threshold=st.none() | st.sampled_from([0.5, 0.8, 1.0]),
    converge=st.none() | st.integers(1, 3),
    repeats=st.booleans(),
    fails=st.none() | st.integers(0, 5),
)
def test_random_loops_keep_their_word(
    said: list[str],
    most: int,
    threshold: float | None,
    converge: int | None,
    repeats: bool,
    fails: int | None,
) -> None:
    options: dict[str, Json] = {"max_loops": most, "score_from": "s", "fallback_score": 0.2}
    options |= {} if threshold is None else {"score_threshold": threshold}
    options |= {} if converge is None else {"convergence": {"rounds": converge}}
    options |= {"repetition": {"from": "s"}} if repeats else {}
    drafts: list[object] = [str(number) for number in range(6)]
    replies: list[object] = list(said)
    if fails is not None:
        replies[fails] = Reply(error=Refusal(message="no"))
    run = Looped(flow(options), {"d": drafts, "s": replies}).run
    if run.status == "failed":
        assert fails == 0 and run.failure
        return
    out = run.output
    scores = out["scores"]
    read = [at for at in range(len(scores)) if at != fails and said[at] not in UNREADABLE]
    known = [scores[at] for at in read]
    assert all(0 <= score <= 1 for score in known)
    assert all(score == 0.2 for at, score in enumerate(scores) if at not in read)
    assert out["loops_completed"] == len(out["scores"]) == len(out["past_loops"]) <= most
    assert out["final_score"] == (max(known) if known else 0.2)
    assert out["best_result"] == str(out["best_iteration"] - 1)
    assert out["threshold_met"] is (
        threshold is not None and bool(known) and max(known) >= threshold
    )
    assert (out["stopped"] == "max_loops") <= (out["loops_completed"] == most)


def test_what_a_round_is_remembered_by_may_name_its_agents() -> None:
    options = {
        "max_loops": 2,
        "score_from": "s",
        "past_loops_metadata": {"said": "{{ previous_outputs.d }}/{{ get_agent_response('s') }}"},
    }
    played = Looped(flow(options), {"d": ["one", "two"], "s": ["0.1", "0.2"]})
    assert [each["said"] for each in played.output["past_loops"]] == ["one/0.1", "two/0.2"]


def test_a_file_of_orka_09_ends_with_what_its_last_model_said() -> None:
    written = {
        "orchestrator": {"id": "t", "agents": ["a", "keep"]},
        "agents": [
            {"id": "a", "type": "llm", "model": "scripted", "prompt": "x", "queue": "old"},
            {"id": "keep", "type": "memory", "config": {"operation": "write"}, "prompt": "kept"},
        ],
    }
    assert Looped(written, {"a": ["the answer"]}).run.output == "the answer"


def test_rounds_that_nobody_could_score_are_no_convergence() -> None:
    options = {**SCORED, "max_loops": 3, "fallback_score": 0.6, "convergence": {"rounds": 2}}
    played = Looped(flow(options), {"d": list("abc"), "s": ["fine"] * 3})
    assert played.output["stopped"] == "max_loops"
