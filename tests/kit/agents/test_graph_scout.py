"""`graph-scout`: which paths it proposes, and what it decides."""

from __future__ import annotations

import pytest
from scouts import ABC, Scouted, Tools, does, flow, ranked, scouted

import orka
from orka.event.event import EffectRequested
from orka.score.ledger import Kind
from orka.score.strategy import Choice, Situation, commit, strategy
from orka.value import Json

CLEAR: dict[str, Json] = {"commit_margin": 0.05}
CLOSE: dict[str, Json] = {"commit_margin": 0.5}


# ---- what is proposed


def proposed(run: Scouted) -> list[str]:
    return [each.id for each in run.ledger.candidates]


def test_the_agents_that_nothing_leads_to_are_proposed_in_short_paths() -> None:
    run = scouted(ABC[:2], strategy="strict")
    assert proposed(run) == ["a", "b", "a → b", "b → a"]
    assert [each.path for each in run.ledger.candidates][2] == ("a", "b")


def test_agents_of_the_list_and_those_that_lead_elsewhere_are_not_proposed() -> None:
    pool = [
        does("a"),
        {"id": "run", "type": "path_executor", "path_source": "scout"},
    ]
    run = Scouted(flow(pool, more=[does("last")], max_depth=1, strategy="strict"))
    assert proposed(run) == ["a"]
    assert run.pruned["excluded"] == "'run': type path_executor leads to other agents"


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"max_depth": 1}, ["a", "b", "c"]),
        ({"max_candidates": 2}, ["a", "b"]),
        ({"required_agents": ["c"], "max_depth": 1}, ["c"]),
        ({"terminal_agents": ["c"]}, ["c", "a → c", "b → c"]),
        ({"exclude": ["a", "b"]}, ["c"]),
        ({"exclude": {"a": "too dear", "b": "too slow"}}, ["c"]),
        ({"paths": [["c", "a"], ["b"]]}, ["c → a", "b"]),
        ({"edges": {"scout": ["a"], "a": ["c"]}}, ["a", "a → c"]),
        ({"edges": {"a": ["c"]}}, ["a", "b", "c", "a → c"]),
        ({"fallback": "a", "max_depth": 1}, ["b", "c"]),
        ({"too_close": {"agent": "c"}, "max_depth": 1}, ["a", "b"]),
    ],
)
def test_the_file_says_which_paths_there_are(options: dict[str, Json], left: list[str]) -> None:
    assert proposed(scouted(strategy="strict", **options)) == left


ENDS = (
    {"id": "ask", "type": "yes_no", "prompt": "p", "model": "scripted/m"},
    {"id": "tell", "type": "llm", "prompt": "p", "model": "scripted/m"},
    does("speak", capabilities=["answer_emit"]),
    does("write", capabilities=["response_generation"]),
)


@pytest.mark.parametrize(
    ("pool", "options", "ends"),
    [
        ([*ABC, *ENDS], {}, {"speak", "write"}),
        ([*ABC, *ENDS[:2]], {}, {"tell"}),
        ([*ABC, *ENDS[:2]], {"fallback": "tell"}, {"ask"}),
        ([*ABC, *ENDS], {"terminal_agents": ["b"]}, {"b"}),
        ([*ABC], {}, {"a", "b", "c"}),
    ],
)
def test_a_path_ends_with_an_agent_that_gives_the_answer(
    pool: list[dict[str, Json]], options: dict[str, Json], ends: set[str]
) -> None:
    run = scouted(pool, require_terminal=True, strategy="strict", **options)
    assert {each.path[-1] for each in run.ledger.candidates} == ends


def test_what_an_agent_is_called_says_nothing() -> None:
    pool = [does("final_answer_builder"), does("memory_writer"), does("safety_checker")]
    run = scouted(pool, max_depth=1, require_terminal=True, strategy="strict")
    assert proposed(run) == ["final_answer_builder", "memory_writer", "safety_checker"]
    assert set(run.values("prior").values()) == {"no rule speaks of it"}


def test_paths_and_edges_that_name_what_is_not_there_are_pruned_and_recorded() -> None:
    run = scouted(paths=[["a"], ["a", "zebra"]], strategy="strict")
    assert proposed(run) == ["a"]
    assert "'zebra'" in run.pruned["unknown_agent"]
    run = scouted(edges={"scout": ["a", "zebra"], "a": ["a"]}, strategy="strict")
    assert "'zebra'" in run.pruned["unknown_agent"]
    assert "twice" in run.pruned["cycle"]


# ---- what is decided


def test_one_agent_is_the_next_step_and_several_are_a_path() -> None:
    run = scouted(**ranked("a", "b c"), **CLEAR)
    assert (run.output["decision"], run.output["target"]) == ("commit_next", "a")
    run = scouted(**ranked("b c", "a"), **CLEAR)
    assert (run.output["decision"], run.output["target"]) == ("commit_path", ["b", "c"])
    assert run.output == {
        "decision": "commit_path",
        "target": ["b", "c"],
        "path": ["b", "c"],
        "shortlist": [
            {"id": "b → c", "node_id": "c", "path": ["b", "c"], "score": 1.0},
            {"id": "a", "node_id": "a", "path": ["a"], "score": 0.9},
        ],
        "scores": {"b → c": 1.0, "a": 0.9},
        "confidence": 1.0,
        "margin": 0.1,
        "status": "success",
        "reasoning": "ahead by what is needed, or more",
        "by": "score",
    }
    assert not run.calls


def test_a_lead_of_just_the_margin_is_enough() -> None:
    assert scouted(**ranked("a", "b"), commit_margin=0.1).output["status"] == "success"
    assert scouted(**ranked("a", "b"), commit_margin=0.100001).output["status"] == "too_close"


def test_what_is_too_close_is_a_shortlist_of_k_beam_paths() -> None:
    run = scouted(**ranked("a", "b", "c"), **CLOSE, k_beam=2)
    assert run.output["decision"] == "shortlist" and run.output["status"] == "too_close"
    assert [each["path"] for each in run.output["target"]] == [["a"], ["b"]]
    assert run.output["target"] == run.output["shortlist"]
    assert run.output["path"] == ["a"]


def test_ties_are_broken_by_the_declared_order_and_recorded() -> None:
    run = scouted(**ranked("b", "a", "c", by=[0.5, 0.5, 0.1]), strategy="strict")
    assert run.output["path"] == ["b"]
    assert run.ledger.outcome.tied == ("b", "a")
    assert run.output["margin"] == 0.0


def test_a_single_path_is_taken() -> None:
    run = scouted(ABC[:1])
    assert run.output["decision"] == "commit_next" and run.output["margin"] is None


@pytest.mark.parametrize(
    ("name", "decision"),
    [("margin", "shortlist"), ("strict", "commit_next"), ("shortlist", "shortlist")],
)
def test_strategies_decide_over_the_same_scores(name: str, decision: Kind) -> None:
    run = scouted(**ranked("a", "b"), **CLOSE, strategy=name)
    assert run.output["decision"] == decision
    assert run.output["scores"] == {"a": 1.0, "b": 0.9}


def test_a_plugin_is_a_strategy() -> None:
    @strategy("second")
    def second(situation: Situation) -> Choice:
        return commit(situation, 1, "the second")

    written = flow(**ranked("a", "b"), strategy="second")
    run = Scouted(written, use=[second])
    assert run.output["path"] == ["b"] and run.output["reasoning"] == "the second"


def test_the_safer_one_is_taken_of_those_too_close() -> None:
    pool = [does("a"), does("b"), does("c")]
    dear = {"a": {"cost": 0.05}, "b": {"cost": 0.01}, "c": {"cost": 0.0}}
    options = ranked("a", "b", "c", by=[0.9, 0.88, 0.1])
    options["weights"] = {"given": 1, "cost": 0}
    run = scouted(pool, **options, estimates=dear, too_close="safer")
    assert run.output["path"] == ["b"] and run.output["status"] == "too_close"
    assert "the safest by cost" in run.output["reasoning"]
    assert run.output["shortlist"][0]["id"] == "b"


# ---- people and other agents


def test_a_person_decides_what_is_too_close_and_may_refuse() -> None:
    written = flow(**ranked("a", "b c", "c"), **CLOSE, too_close="ask", k_beam=2, prompt="Go?")
    run = Scouted(written)
    assert run.run.status == "waiting"
    (asked,) = run.asked
    assert asked.startswith("Go?") and "- a (score 1.0)" in asked and "- b → c (score" in asked
    assert "- c (" not in asked
    chosen = Scouted(written, answers={"scout": "b → c"})
    assert chosen.output["path"] == ["b", "c"] and chosen.output["by"] == "person"
    assert chosen.output["decision"] == "commit_path" and chosen.output["confidence"] == 0.9
    assert [note.data for note in chosen.notes("scout.person")] == [{"chosen": "b → c"}]
    refused = Scouted(written, answers={"scout": "none"}).output
    assert (refused["decision"], refused["path"], refused["target"]) == ("human_gate", [], None)


def test_what_a_person_chose_is_run_and_a_refusal_runs_nothing() -> None:
    written = flow(**ranked("a", "b"), **CLOSE, too_close="ask", execute=True)
    run = Scouted(written, answers={"scout": "b"})
    assert run.output["response"] == "b done" and run.calls == {"b": 1}
    run = Scouted(written, answers={"scout": "none"})
    assert "executed_path" not in run.output and not run.calls


def test_what_a_person_chose_falls_back_to_the_rest() -> None:
    written = flow(**ranked("a", "b"), **CLOSE, too_close="ask", execute=True)
    run = Scouted(written, answers={"scout": "b"}, failing=["b"])
    assert run.output["executed_path"] == ["a"]
    assert [each["path"] for each in run.output["given_up"]] == [["b"]]


@pytest.mark.parametrize("answer", ["zebra", "", 7, None, ["zebra"], {"path": "a"}])
def test_a_person_whose_answer_names_no_candidate_is_asked_again(answer: Json) -> None:
    written = flow(**ranked("a", "b"), **CLOSE, too_close="ask")
    run = Scouted(written, answers={"scout": answer}, corrected={"scout": "b"})
    assert run.output["path"] == ["b"]
    assert "is none of: a; b; none" in run.asked[-1]
    assert [note.data for note in run.notes("scout.unclear")] == [{"said": answer}]


DECIDER: dict[str, Json] = {
    "id": "decider",
    "type": "llm",
    "model": "scripted/m",
    "prompt": "{{ input }}",
}


@pytest.mark.parametrize("answer", ["b", ' "b" ', "2", '["b"]', '{"path": ["b"]}'])
def test_another_agent_decides_what_is_too_close(answer: str) -> None:
    decider = DECIDER
    if answer[0] in "[{":
        decider = {**DECIDER, "output": {"schema": {}}}
    written = flow([*ABC, decider], **ranked("a", "b"), **CLOSE, too_close={"agent": "decider"})
    run = Scouted(written, {"decider": [answer]})
    assert run.output["path"] == ["b"] and run.output["by"] == "decider"
    (prompt,) = run.model.prompts("decider")
    assert "the task" in prompt and "a" in prompt
    assert [note.data["chosen"] for note in run.notes("scout.agent")] == ["b"]


@pytest.mark.parametrize("answer", ["c", "zebra", "3", "0", "a or b", ""])
def test_an_agent_that_names_no_candidate_fails_the_scout(answer: str) -> None:
    written = flow([*ABC, DECIDER], **ranked("a", "b"), **CLOSE, too_close={"agent": "decider"})
    run = Scouted(written, {"decider": [answer or " "]})
    assert run.failure in ("scout.answer", "sensor.violation")
    assert not run.calls


# ---- nothing to choose from


def test_without_candidates_the_fallback_is_taken() -> None:
    run = scouted(ABC[:1], fallback="a", execute=True)
    assert run.output["decision"] == "fallback" and run.output["by"] == "fallback"
    assert run.output["status"] == "no_candidates" and run.output["response"] == "a done"
    assert [note.data for note in run.notes("scout.fallback")] == [{"path": ["a"]}]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"exclude": ["a", "b", "c"]}, "no candidates were proposed; left out were excluded: 'a'"),
        ({"max_depth": 1, "required_agents": ["a", "b"]}, "lacks_required: it lacks the required"),
        ({"budget": {"cost": 0.001}}, "costs about 1 USD, the budget is 0.001 USD"),
    ],
)
def test_without_a_fallback_it_fails_and_says_why(options: dict[str, Json], told: str) -> None:
    dear = {id: {"cost": 1.0} for id in "abc"}
    run = scouted(**{"max_depth": 1, "estimates": dear, **options})
    assert run.failure == "scout.no_path"
    assert run.run.failure and told in run.run.failure.message


def test_a_fallback_catches_what_the_budget_excludes() -> None:
    dear = {id: {"cost": 1.0} for id in "ab"}
    run = scouted(max_depth=1, estimates=dear, budget={"cost": 0.5}, fallback="c")
    assert (run.output["path"], run.output["status"]) == (["c"], "all_excluded")


def test_a_fallback_can_be_run_by_a_path_executor() -> None:
    executor = {"id": "run", "type": "path_executor", "path_source": "scout"}
    run = Scouted(flow(ABC[:1], more=[executor], fallback="a"))
    assert run.output["results"] == {"a": "a done"}


def test_a_failed_decision_leads_where_its_file_says() -> None:
    written = flow(exclude=["a", "b"], fallback="", on_error="c")
    written["agents"][0]["exclude"] = ["a", "b"]
    assert Scouted(written).output == "c done"


# ---- how it is asked


def test_nothing_is_asked_of_anybody_without_a_model() -> None:
    run = scouted(history=0)
    assert not [e for e in run.run.events if isinstance(e, EffectRequested)]
    assert set(run.values("llm").values()) == {"no model is asked"}


def test_the_task_is_a_template_and_its_digest_is_kept() -> None:
    first = scouted(prompt="{{ input }}!").ledger.context["task"]
    assert first == scouted(prompt="the task!").ledger.context["task"]
    assert first != scouted(prompt="another").ledger.context["task"]


def test_a_scout_inside_a_loop_of_workflows_chooses_among_the_agents_around_it() -> None:
    inner = {
        "orchestrator": {"id": "in", "agents": ["scout"]},
        "agents": [{"id": "scout", "type": "graph-scout", "execute": True, "strategy": "strict"}],
    }
    written = {
        "orchestrator": {"id": "t", "agents": ["w"]},
        "agents": [{"id": "w", "type": "workflow", "workflow": inner}, *ABC],
    }
    assert Scouted(written).output["executed_path"] == ["a"]


def test_an_agent_whose_template_needs_an_output_follows_the_one_that_gives_it() -> None:
    pool = [
        does("a"),
        {**does("b"), "args": {"step": "b", "sees": "{{ previous_outputs.a }}"}},
        {**does("c"), "args": {"step": "c", "sees": "{{ previous_outputs.a | default(1) }}"}},
    ]
    run = scouted(pool, max_depth=2, history=0, judge={"mode": "none"})
    assert {each.id for each in run.ledger.candidates} == {"a", "c", "a → b", "a → c", "c → a"}
    unread = [each for each in run.ledger.pruned if each.reason == "unread"]
    assert unread[0].message == "'b' reads the output of 'a', which has not run before it"


def test_what_leads_from_an_agent_of_the_pool_is_warned_about() -> None:
    pool = [does("a", depends_on=["b"], on_error="b"), does("b")]
    graph = orka.check(flow(pool), use=[Tools().act])
    assert [finding.what for finding in graph.findings] == [
        "agent 'a' is run by itself, as a step of a path: 'depends_on' has no effect",
        "agent 'a' is run by itself, as a step of a path: 'on_error' has no effect",
    ]
