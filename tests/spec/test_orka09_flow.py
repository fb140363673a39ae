"""What the queue of OrKa 0.9 meant: order, routes, forks, pools, and what never ran."""

from __future__ import annotations

import msgspec
import pytest

from orka.errors import ConfigError
from orka.plugin.registry import Registry
from orka.spec.load import inner, load
from orka.spec.orka09.words import OPTIONS
from orka.spec.workflow import AgentSpec, Workflow
from orka.value import Json
from spec.test_orka09 import HERE, flow, told

ASK = f"type: local_llm, prompt: p, {HERE}"


def agents(workflow: Workflow) -> dict[str, AgentSpec]:
    return {agent.id: agent for agent in workflow.agents}


def test_the_table_of_options_is_that_of_the_agents() -> None:
    catalog = Registry().agents
    for name, known in OPTIONS.items():
        if name in catalog:
            fields = msgspec.structs.fields(catalog[name].config)
            assert {field.encode_name for field in fields} - {"params"} <= {*known, "params"}, name


def test_depends_on_orders_the_list_and_pulls_nobody_in() -> None:
    workflow = flow(
        f"{{id: a, {ASK}, depends_on: [c, x]}}\n{{id: b, {ASK}}}\n{{id: c, {ASK}, depends_on: b}}",
        "a, b, c",
    )
    assert workflow.order == ("b", "c", "a")
    assert not any(agent.depends_on for agent in workflow.agents)
    assert any("b → c → a" in does for does in told(workflow, warning=False))


def test_a_circle_of_depends_on_is_an_error() -> None:
    with pytest.raises(ConfigError, match="circle") as caught:
        flow(f"{{id: a, {ASK}, depends_on: b}}\n{{id: b, {ASK}, depends_on: a}}", "a, b")
    assert caught.value.code == "config.cycle"


def test_ids_without_an_agent_are_left_out_with_a_warning() -> None:
    workflow = flow(f"{{id: a, {ASK}}}", "a, nobody")
    assert workflow.order == ("a",)
    (warned,) = told(workflow, warning=True)
    assert "'nobody' is left out" in warned


def test_a_file_without_a_list_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigError, match="orchestrator has no 'agents'"):
        load(f"orchestrator: {{id: f}}\nagents:\n  - {{id: a, {ASK}}}\n")


def test_agents_that_nothing_leads_to_are_dropped_with_a_warning() -> None:
    workflow = flow(f"{{id: a, {ASK}}}\n{{id: idle, type: local_llm, depends_on: a}}", "a")
    assert list(agents(workflow)) == ["a"]
    (note,) = [note for note in workflow.notes if note.warning]
    assert "nothing leads to agent 'idle'" in note.does and "line 4" in note.where


def test_places_stay_those_of_the_file_when_agents_are_dropped() -> None:
    workflow = flow(f"{{id: idle, {ASK}}}\n{{id: a, {ASK}}}", "a")
    assert "line 4" in workflow.where("a", "prompt")
    assert "line 4, column" in workflow.where("a", "base_url")


def test_an_empty_agent_is_an_error() -> None:
    with pytest.raises(ConfigError, match="an agent is empty"):
        load(f"orchestrator: {{id: f, agents: [a]}}\nagents:\n  - {{id: a, {ASK}}}\n  -\n")


def routed(table: str) -> Workflow:
    router = f"{{id: r, type: router, params: {{decision_key: a, routing_map: {table}}}}}"
    return flow(f"{{id: a, {ASK}}}\n{router}\n{{id: x, {ASK}}}\n{{id: y, {ASK}}}", "a, r")


def test_a_router_goes_on_without_a_route_and_finds_words() -> None:
    options = agents(routed("{'true': [x], 'false': [y]}"))["r"].options
    assert options == {
        "unmatched": "continue",
        "match": "words",
        "decision_key": "a",
        "routing_map": {"true": ["x"], "false": ["y"]},
    }


@pytest.mark.parametrize(
    "table", ["{yes: [x], no: [y]}", "{True: [x], False: [y]}", "{on: [x], off: [y]}"]
)
def test_the_booleans_of_old_yaml_are_true_and_false(table: str) -> None:
    options = agents(routed(table))["r"].options
    assert options["routing_map"] == {"true": ["x"], "false": ["y"]}


def test_a_route_that_is_text_leads_to_that_agent_or_to_none() -> None:
    workflow = routed("{'true': x, 'false': the end}")
    assert agents(workflow)["r"].options["routing_map"] == {"true": ["x"], "false": []}
    differences = told(workflow, warning=False)
    assert any("leads to no agent: 'the end'" in does for does in differences)


def test_a_missing_target_is_left_out_and_a_misspelt_one_is_an_error() -> None:
    workflow = flow(
        f"{{id: a, {ASK}}}\n{{id: summary, {ASK}}}\n"
        "{id: r, type: router, params: {decision_key: a, routing_map: {x: [summary, gone]}}}",
        "a, r",
    )
    assert agents(workflow)["r"].options["routing_map"] == {"x": ["summary"]}
    with pytest.raises(ConfigError, match="'sumary'"):
        flow(
            f"{{id: a, {ASK}}}\n{{id: summary, {ASK}}}\n"
            "{id: r, type: router, params: {decision_key: a, routing_map: {x: [sumary]}}}",
            "a, r",
        )


def test_what_a_router_of_the_list_decides_by_runs_before_it() -> None:
    workflow = flow(
        f"{{id: a, {ASK}}}\n{{id: idle, {ASK}}}\n"
        "{id: r, type: router, params: {decision_key: idle, routing_map: {x: [a]}}}",
        "r",
    )
    assert workflow.order == ("idle", "r")
    assert any("'idle' runs before it" in does for does in told(workflow, warning=False))


def test_a_router_that_reads_an_agent_that_never_runs_is_an_error() -> None:
    with pytest.raises(ConfigError, match="'idle', which never runs"):
        flow(
            f"{{id: a, {ASK}}}\n{{id: idle, {ASK}}}\n"
            "{id: r, type: router, params: {decision_key: a, routing_map: {x: [q]}}}\n"
            "{id: q, type: router, params: {decision_key: idle, routing_map: {x: [a]}}}",
            "a, r",
        )


def test_an_agent_of_two_routes_leads_on_by_the_route_that_was_taken() -> None:
    workflow = flow(
        f"{{id: a, {ASK}}}\n"
        "{id: r, type: router, params: {decision_key: a, routing_map: {p: [s, x], q: [s, y]}}}\n"
        f"{{id: s, {ASK}}}\n{{id: x, {ASK}}}\n{{id: y, {ASK}}}",
        "a, r",
    )
    by_id = agents(workflow)
    assert by_id["s"].when is None
    assert by_id["x"].when == "('r' in previous_outputs and previous_outputs['r']['route'] == 'p')"
    assert by_id["y"].when == "('r' in previous_outputs and previous_outputs['r']['route'] == 'q')"


def test_a_fork_keeps_its_branches_and_a_join_its_group() -> None:
    workflow = flow(
        "{id: f, type: fork, targets: [a, [b, c], [gone]]}\n"
        f"{{id: a, {ASK}}}\n{{id: b, {ASK}}}\n{{id: c, {ASK}}}\n"
        "{id: j, type: join, group: f, prompt: p, max_retries: 3}",
        "f, j",
    )
    assert agents(workflow)["f"].options == {"targets": [["a"], ["b", "c"]]}
    assert agents(workflow)["j"].options == {"group": "f", "members": ["a", "b", "c"]}
    warned = told(workflow, warning=True)
    assert [does for does in warned if "'prompt'" in does or "'max_retries'" in does]
    assert any("'gone'" in does for does in warned)


LOOP = (
    "{id: a, type: loop, max_loops: 2, prompt: p, "
    "internal_workflow: {orchestrator: {id: in, agents: [%s]}, agents: [%s]}}"
)


def body(workflow: Workflow) -> Workflow:
    loop = agents(workflow)["a"]
    return inner(workflow, loop.options["internal_workflow"], (*loop.path, "internal_workflow"))


def test_an_inner_workflow_is_rewritten_and_of_the_same_dialect() -> None:
    workflow = flow(LOOP % ("b", f"{{id: b, {ASK}, queue: q}}, {{id: idle, {ASK}}}"))
    within = body(workflow)
    assert within.dialect == "0.9" and [agent.id for agent in within.agents] == ["b"]
    assert within.agents[0].type == "llm"
    assert len(told(workflow, warning=True)) == 3


SCOUT = "type: graph-scout, params: {k_beam: 2, provider: lm_studio, model_url: 'http://h'}"


def test_a_scout_inside_a_loop_chooses_among_the_agents_outside() -> None:
    workflow = flow(
        LOOP % ("s", f"{{id: s, {SCOUT}}}")
        + "\n{id: e, type: path_executor, path_source: a}"
        + f"\n{{id: pooled, {ASK}}}",
        "a, e",
    )
    assert [agent.id for agent in body(workflow).agents] == ["s", "pooled"]
    assert "pooled" in agents(workflow)
    assert "line 5" in workflow.document.where((*body(workflow).agents[1].path, "prompt"))


def test_a_scout_that_nothing_follows_gets_what_runs_its_path() -> None:
    workflow = flow(f"{{id: s, {SCOUT}}}\n{{id: pooled, {ASK}}}\n{{id: z, {ASK}}}", "s, z")
    assert workflow.order == ("s", "s_path", "z")
    assert agents(workflow)["s_path"].options == {"path_source": "s"}
    asked = agents(workflow)["s"].options
    assert asked["base_url"] == "http://h/v1"
    assert asked["require_terminal"] is True and asked["k_beam"] == 2


def test_what_scored_paths_scores_them() -> None:
    more = (
        "score_weights: {llm: 0.5, prior: 0.5, brain: 0.1}, commit_margin: 0.2, ttl_days: 3, "
        "latency_budget_ms: 500, safety_profile: moderate, fallback_to_heuristics: false"
    )
    scout = SCOUT.replace("k_beam: 2", more)
    workflow = flow(f"{{id: s, {scout}}}\n{{id: pooled, {ASK}}}", "s", ", budgets: {max_tokens: 1}")
    asked: Json = agents(workflow)["s"].options
    assert asked["weights"] == {"llm": 0.5, "prior": 0.5} and asked["commit_margin"] == 0.2
    assert asked["budget"] == {"tokens": 1, "latency_ms": 500}
    assert asked["judge"] == {"repeat": 1, "on_failure": "fail"} and "heuristics" not in asked
    assert [each["domain"] for each in asked["priors"]] == ["structure", "safety"]
    warned = told(workflow, warning=True)
    assert [does.split(" ")[0] for does in warned if "no effect" in does] == ["the", "'ttl_days'"]


def test_a_scout_in_boolean_mode_keeps_its_rules() -> None:
    more = "scoring_mode: boolean, strict_mode: true, important_threshold: 0.5, min_success_rate: 1"
    scout = SCOUT.replace("k_beam: 2", more)
    workflow = flow(f"{{id: s, {scout}}}\n{{id: pooled, {ASK}}}", "s")
    asked: Json = agents(workflow)["s"].options
    assert asked["scoring_mode"] == "boolean" and "weights" not in asked
    assert asked["boolean"] == {
        "important_threshold": 0.5,
        "strict": True,
        "limits": {"min_success_rate": 1},
    }


@pytest.mark.parametrize("said", ["k_beam: 2", "k_beam: 2, llm_evaluation_enabled: false"])
def test_a_scout_asks_no_model_unless_its_file_names_one(said: str) -> None:
    workflow = flow(f"{{id: s, type: graph-scout, params: {{{said}}}}}\n{{id: p, {ASK}}}", "s")
    assert agents(workflow)["s"].options["judge"] == {"mode": "none"}


def test_agents_that_a_prompt_requires_are_on_every_path() -> None:
    scout = "type: graph-scout, params: {k_beam: 2}, prompt: 'Choose. REQUIRED_AGENTS: [p, q]'"
    workflow = flow(f"{{id: s, {scout}}}\n{{id: p, {ASK}}}\n{{id: q, {ASK}}}", "s")
    assert agents(workflow)["s"].options["required_agents"] == ["p", "q"]


@pytest.mark.parametrize("said", ["is_terminal: true", "capabilities: [x, answer_emit]"])
def test_agents_that_say_that_they_answer_are_the_ends_of_paths(said: str) -> None:
    pool = f"{{id: p, {ASK}, {said}}}\n{{id: q, {ASK}, capabilities: [y], is_terminal: false}}"
    workflow = flow(f"{{id: s, {SCOUT}}}\n{pool}", "s")
    assert agents(workflow)["s"].options["require_terminal"] is True
    assert "answer_emit" in agents(workflow)["p"].capabilities
    assert agents(workflow)["q"].capabilities == ("y",)
    warned = [note for note in workflow.notes if note.warning and "'p'" in note.where]
    assert not any("capab" in note.does or "is_terminal" in note.does for note in warned)


def test_a_scout_asks_ollama_at_its_openai_door() -> None:
    at = "provider: ollama, model_url: 'http://h:1/api/generate', k_beam: 1"
    workflow = flow(f"{{id: s, type: graph-scout, params: {{{at}}}}}\n{{id: p, {ASK}}}", "s")
    assert agents(workflow)["s"].options["base_url"] == "http://h:1/v1"
    assert any("'ollama' is asked" in does for does in told(workflow, warning=False))


def test_what_a_loop_reads_stays_and_the_rest_is_warned_about() -> None:
    config = (
        "score_extraction_config: {strategies: [{type: pattern, patterns: [x], note: n}, "
        "{type: guess}]}, scoring: {preset: strict, colour: red}"
    )
    text = LOOP.replace("prompt: p", config) % ("b", f"{{id: b, {ASK}}}")
    workflow = flow(text)
    options = agents(workflow)["a"].options
    assert options["score_extraction_config"] == {
        "strategies": [{"type": "pattern", "patterns": ["x"]}]
    }
    assert options["scoring"] == {"preset": "strict"} and options["max_loops"] == 2
    assert len(told(workflow, warning=True)) == 3


def test_a_child_that_is_an_id_is_the_agent_of_that_id() -> None:
    workflow = flow(f"{{id: a, type: failover, children: [b]}}\n{{id: b, {ASK}}}")
    children: Json = agents(workflow)["a"].options["children"]
    assert [child["id"] for child in children] == ["b"] and children[0]["type"] == "llm"


STREAM = """
orchestrator: {id: s, mode: streaming, executor: e, satellites: [x], refresh: {debounce_ms: 5},
  executor_invariants: {identity: Anna, tool_permissions: [kb, web]}}
agents:
  - {id: e, type: streaming-executor, prompt: p, %(here)s}
  - {id: x, type: satellite-state-writer, role: intent, prompt: p, %(here)s}
  - {id: y, type: satellite-state-writer, role: risk, prompt: p, %(here)s}
"""


def test_a_streaming_session_runs_as_one_turn() -> None:
    workflow = load(STREAM % {"here": HERE}, "s.yml")
    assert workflow.order == ("e", "satellites") and list(agents(workflow)) == [
        "e",
        "x",
        "satellites",
    ]
    told_always = agents(workflow)["e"].options["system"]
    assert told_always == "Identity: Anna\nTool permissions: kb, web"
    assert any("one turn" in does for does in told(workflow, warning=False))


def test_a_loaded_map_is_read_like_a_file() -> None:
    agent: dict[str, Json] = {"id": "a", "type": "openai-answer", "prompt": "p"}
    workflow = load({"orchestrator": {"id": "f", "agents": ["a"]}, "agents": [agent]})
    assert workflow.dialect == "0.9" and workflow.agents[0].type == "llm"
    assert agent == {"id": "a", "type": "openai-answer", "prompt": "p"}


@pytest.mark.parametrize(
    ("said", "able"),
    [
        ("capabilities: [x, y, x]", ("x", "y")),
        ("capabilities: x", ("x",)),
        ("is_terminal: true", ("answer_emit",)),
        ("capabilities: [answer_emit], is_terminal: true", ("answer_emit",)),
        ("capabilities: [x], is_terminal: true", ("x", "answer_emit")),
        ("is_terminal: false", ()),
        ("params: {capabilities: [x]}", ("x",)),
    ],
)
def test_what_agents_say_that_they_can_do_stays(said: str, able: tuple[str, ...]) -> None:
    workflow = flow(f"{{id: a, {ASK}, description: d, {said}}}", "a")
    found = agents(workflow)["a"]
    assert (found.capabilities, found.description) == (able, "d")
    assert not told(workflow, warning=True)


@pytest.mark.parametrize("said", ["capabilities: {x: 1}", "description: [d]", "is_terminal: maybe"])
def test_what_an_agent_says_unreadably_is_warned_about(said: str) -> None:
    workflow = flow(f"{{id: a, {ASK}, {said}}}", "a")
    assert agents(workflow)["a"].capabilities == ()
    (does,) = told(workflow, warning=True)
    assert "has no effect" in does
