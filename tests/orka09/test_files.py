"""The workflow files of OrKa 0.9, unmodified, against a server on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Barrier

import pytest

import orka
from orka09.answers import plausible
from orka09.conftest import NAME, Ran, files, inputs
from orka09.server import Asked

Run = Callable[..., Ran]
Example = Callable[[str], Path]
FILES: list[object] = [*files()]
if not FILES:
    FILES = [pytest.param("", marks=pytest.mark.skip(f"set {NAME} to the example files of 0.9"))]


MEANT_FOR = {
    "episodic": "episodic_brain_workflow.yml",
    "brain": "brain_skill_transfer_workflow.yml",
}
VETERINARY = "veterinary_specialists_convergence-deep.yaml"


def executed(run: orka.Run) -> list[str]:
    """The nodes of the workflow itself that ran to their end, in the order they started."""
    return [node.id for node in run.nodes if not node.scope and node.state == "done"]


def inside(run: orka.Run, opener: str) -> list[str]:
    return [node.id for node in run.nodes if node.scope.startswith(opener)]


@pytest.mark.parametrize("name", FILES)
def test_each_file_passes_its_checks(name: str, example: Example) -> None:
    assert orka.Runtime(store=":memory:").check(example(name)).nodes
    assert orka.load(example(name)).dialect == "0.9"


@pytest.mark.parametrize("name", FILES)
def test_each_file_runs_to_its_end_and_replays(name: str, run: Run) -> None:
    ran, server = run(name, plausible)
    assert ran.status == "completed", ran.failure
    assert server.asked and all(asked.body["model"] for asked in server.asked)


@pytest.mark.parametrize(
    "given",
    inputs() or [pytest.param(None, marks=pytest.mark.skip(f"set {NAME}"))],
    ids=lambda path: path.stem if path else "none",
)
def test_each_input_runs_through_the_file_it_is_for(given: Path, run: Run) -> None:
    name = next((flow for word, flow in MEANT_FOR.items() if word in given.stem), VETERINARY)
    ran, server = run(name, plausible, json.loads(given.read_text(encoding="utf-8")))
    assert ran.status == "completed", ran.failure
    assert server.asked


def test_outputs_reach_the_prompts_that_name_them(run: Run) -> None:
    def respond(asked: Asked) -> str:
        return f"answer {asked.prompt.count('answer')}"

    ran, server = run("test_template_filters.yml", respond, "snow")
    first, second, third = [asked.prompt for asked in server.asked]
    assert first == "Analyze this topic: snow"
    assert second == "Build on this analysis: answer 0"
    assert "Agent 1: answer 0\nAgent 2: answer 1\n" in third and third.endswith("on: snow\n")
    assert ran.output == "answer 2"
    assert {asked.body["temperature"] for asked in server.asked} == {0.7, 0.5}
    assert [asked.body["max_tokens"] for asked in server.asked] == [100, 100, 200]
    assert {asked.model for asked in server.asked} == {"deepseek-r1-distill-qwen-7b"}
    assert all("no-key" in asked.headers["authorization"] for asked in server.asked)


ROUTED = {
    "true": (
        ["failover_search", "info_completed", "final_router", "final_builder_true"],
        "final_builder_false",
    ),
    "false": (["info_completed", "final_builder_false"], "final_router"),
}


@pytest.mark.parametrize("need", ["true", "false"])
def test_the_route_that_was_chosen_is_run_as_it_is_written(need: str, run: Run) -> None:
    def respond(asked: Asked) -> str:
        return plausible(asked, {"requires deep internet research": f"{need}."})

    ran, server = run("conditional_search_fork_join.yaml", respond)
    taken, left_out = ROUTED[need]
    assert [id for id in executed(ran) if id in taken] == taken
    assert left_out not in executed(ran)
    assert executed(ran)[-1] == "final_summary"
    assert ran.outputs["router_search_path"]["route"] == need
    assert bool(server.searched) is (need == "true")


def test_a_second_router_chooses_among_what_the_first_could(run: Run) -> None:
    def respond(asked: Asked) -> str:
        return plausible(asked, {"Did we retrieve extra data": "false"})

    ran, _ = run("conditional_search_fork_join.yaml", respond)
    assert ran.outputs["final_router"]["route"] == "false"
    assert "final_builder_false" in executed(ran) and "final_builder_true" not in executed(ran)


def test_a_failover_gives_up_the_child_that_fails(run: Run) -> None:
    ran, _ = run("failover_search_and_validate.yml", plausible)
    assert ran.outputs["test_failover"]["successful_child"] == "actual_working_agent"
    assert ran.outputs["test_failover2"]["successful_child"] == "build_answer"
    assert "validate_fact" not in executed(ran)


def test_the_list_is_ordered_by_what_depends_on_what(run: Run) -> None:
    ran, server = run("temporal_change_search_synthesis.yml", plausible)
    order = executed(ran)
    assert order.index("search_after") < order.index("join_paths") < len(order) - 1
    assert order[-1] == "synthesize_timeline_answer" and len(server.searched) == 2


def test_a_number_is_kept_once_and_found_again(run: Run) -> None:
    def respond(asked: Asked) -> str:
        said = {"Can the previous memory": "false", "Is the number in this input": "true"}
        return plausible(asked, said)

    ran, _ = run("routed_binary_memory_writer.yml", respond, "9")
    order = executed(ran)
    expected = ["true_validation_guardian", "true_memory_writer", "binary_result_returner"]
    assert [id for id in order if id in expected] == expected
    assert not [id for id in order if id.startswith("false_")]
    asked = [node for node in ran.nodes if node.id == "true_validation_guardian"]
    assert asked[0].attempts[0].payload["model"] == "openai/default"
    written = next(node for node in ran.nodes if node.id == "true_memory_writer")
    assert written.attempts[0].kind == "memory"


def test_openai_agents_ask_the_models_that_are_named(run: Run) -> None:
    ran, server = run("structured_output_demo.yml", plausible)
    models = [asked.model for asked in server.asked]
    assert models == ["gpt-4o", "gpt-4o", "the-default", *["any-local-chat-model"] * 3]
    assert "response_format" in server.asked[0].body and "tools" in server.asked[1].body
    assert ran.outputs["classify_structured"]["response"] == "positive"
    assert ran.outputs["summarize_local_prompt"]["summary"]


def test_the_path_that_was_chosen_is_run(run: Run) -> None:
    ran, _ = run("path_executor_demo.yml", plausible)
    assert ran.outputs["execute_path"]["executed_path"] == ["web_search", "analyzer", "summarizer"]
    assert inside(ran, "execute_path") == ["web_search", "analyzer", "summarizer"]
    alone, _ = run("graph_scout_example.yml", plausible)
    assert alone.outputs["graph_scout_router_path"]["status"] == "success"


def test_a_loop_stops_at_its_threshold(run: Run) -> None:
    def respond(asked: Asked) -> str:
        score = "0.90" if "Loop 1" in asked.prompt else "0.30"
        return f"Words. SCORE: {score}"

    ran, _ = run("cognitive_loop_scoring_example.yml", respond)
    loop = ran.outputs["cognitive_loop"]
    assert loop["loops_completed"] >= 2
    assert loop["final_score"] == max(each["score"] for each in loop["past_loops"])


def test_a_stream_is_one_turn(run: Run) -> None:
    ran, server = run("stream/live_assist.yaml", plausible)
    assert executed(ran) == ["live_executor", "satellites", "sat_summarizer", "sat_intent"]
    assert "Identity: OrKa Assistant" in server.asked[0].prompt


def test_specialists_are_asked_at_once_and_the_best_round_is_given(run: Run) -> None:
    """The first agent of each of the four branches waits until all four have been asked."""
    together = Barrier(4, timeout=20)
    scores = iter(["0.40", "0.30"])

    def respond(asked: Asked) -> str:
        if "PATIENT DATA" in asked.prompt:
            together.wait()
        if "Score convergence" in asked.prompt:
            return f"CONVERGENCE_SCORE: {next(scores)}"
        return f"answer to {asked.prompt.splitlines()[0]}"

    ran, server = run("veterinary_specialists_convergence-deep.yaml", respond, "A dog limps.")
    assert ran.status == "completed", ran.failure
    loop = ran.outputs["specialists_loop"]
    assert (loop["loops_completed"], loop["final_score"], loop["best_iteration"]) == (2, 0.4, 1)
    first = [node for node in ran.nodes if node.scope == "specialists_loop#1"]
    opening = [
        node for node in first if node.id.endswith(("_history", "_assessment", "_screening"))
    ]
    asked = [node.attempts[0] for node in opening]
    assert len(asked) == 4
    assert max(each.asked_at for each in asked) <= min(each.answered_at or 0 for each in asked)
    plan = server.prompts("actionable plan")[0]
    assert "answer to ROLE: Surgery - Planning" in plan and "A dog limps." in plan
    assert len(server.asked) == 2 * 13 + 2
