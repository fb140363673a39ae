"""Other shapes that files of OrKa 0.9 have, in files of our own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

import orka
from orka.errors import ConfigErrors
from orka.event.event import Decided
from orka.value import Json
from orka09.answers import plausible
from orka09.server import Asked, Respond, Served, serving

HERE = 'provider: lm_studio, model: m, model_url: "http://localhost:1234"'

SOCIETY = """
orchestrator: {id: society, memory_preset: episodic, agents: [debate, keep, nobody]}
agents:
  - id: debate
    type: loop
    max_loops: 2
    score_threshold: 0.85
    score_extraction_pattern: "AGREEMENT: ([0-9.]+)"
    cognitive_extraction: {extract_patterns: {insights: ["shows (.+)"]}, extraction_mode: deep}
    past_loops_metadata: {iteration: "{{ loop_number }}", agreement: "{{ score }}"}
    internal_workflow:
      orchestrator: {id: in, agents: [recall, open, both, moderator, missing_one]}
      agents:
        - id: recall
          type: memory-reader
          namespace: debate
          config: {limit: 5, enable_context_search: true, search_params: {a: 1}}
          prompt: "{{ get_input() }}"
        - {id: open, type: fork, targets: [[progressive, progressive_note], [conservative]]}
        - {id: progressive, type: local_llm, %(here)s, prompt: "P {{ input.input }}"}
        - id: progressive_note
          type: memory-writer
          namespace: debate
          prompt: "{{ previous_outputs.progressive.response }}"
          metadata: {round: "{{ get_loop_number() }}"}
        - {id: conservative, type: openai-answer, temperature: 0.5, prompt: "C"}
        - {id: both, type: join, group: open}
        - id: moderator
          type: local_llm
          params: {%(here)s}
          prompt: >-
            M {{ previous_outputs.both.progressive.response }}
            and {{ previous_outputs.conservative }}
  - id: keep
    type: memory-writer
    namespace: out
    prompt: "{{ previous_outputs.debate.final_score }}"
"""

ASSESSMENT = """
orchestrator:
  id: assessment
  strategy: parallel
  agents: [probe, gathered, fine, again, facts, last]
agents:
  - {id: probe, type: fork, targets: [[a1, a2], b1]}
  - {id: a1, type: local_llm, %(here)s, prompt: "A1", depends_on: [probe]}
  - {id: a2, type: local_llm, %(here)s, prompt: "A2 {{ get_agent_response('a1') }}"}
  - {id: b1, type: openai-answer, prompt: "B1"}
  - {id: gathered, type: join, group: probe, depends_on: [a2, b1]}
  - {id: fine, type: openai-binary, prompt: "Is it fine? {{ previous_outputs.gathered }}"}
  - id: again
    type: router
    params: {decision_key: fine, routing_map: {false: [redo], true: all_is_well}}
    depends_on: [fine]
  - {id: redo, type: local_llm, %(here)s, prompt: "Redo {{ joined_results() }}"}
  - id: facts
    type: invariant_validator
    prompt: "EXECUTION_DATA_JSON: {{ get_execution_artifacts(previous_outputs) | tojson }}"
    params: {max_depth: 50, strict_tool_errors: false}
  - id: last
    type: local_llm
    params: {%(here)s}
    prompt: "{{ previous_outputs.facts.critical_failures_detected }}"
"""

MODELS = """
orchestrator: {id: models, agents: [asked, gathered, best]}
agents:
  - {id: asked, type: fork, targets: [here, there]}
  - id: here
    type: local_llm
    provider: ollama
    model: llama3
    model_url: http://localhost:11434/api/generate
    prompt: "{{ input }}"
    depends_on: asked
  - {id: there, type: openai-answer, params: {model: gpt-4o-mini}, prompt: "{{ input }}"}
  - {id: gathered, type: join, group: asked}
  - id: best
    type: openai-classification
    prompt: "Which is best? {{ get_fork_responses('asked') }}"
    params: {options: [here, there]}
"""

SEARCH = """
orchestrator: {id: search, agents: [look, other, say]}
agents:
  - id: look
    type: failover
    children:
      - {id: broken, type: failing}
      - {id: web, type: duckduckgo, prompt: "{{ get_input() }}"}
  - {id: other, type: duckduckgo, prompt: "{{ get_input() }}"}
  - id: say
    type: openai-answer
    prompt: "Found: {% if previous_outputs.look.error %}nothing{% else %}much{% endif %}."
"""

SCOUT = """
orchestrator: {id: scout, agents: [choose]}
agents:
  - id: choose
    type: graph-scout
    params: {max_depth: 2, llm_evaluation_enabled: true, %(here)s, fallback_to_heuristics: true}
  - {id: keep, type: memory-writer, prompt: x}
  - {id: look, type: memory-reader, prompt: x}
  - {id: think, type: openai-answer, prompt: "Think."}
  - {id: answer, type: openai-answer, prompt: "Answer."}
"""

OLDEST = """
orchestrator: {id: oldest}
agents:
  - {id: a, type: classification, prompt: p, options: [x, y]}
  - {id: b, type: router}
  - {id: c, type: local_llm, prompt: p}
"""


Run = Callable[..., tuple[orka.Run, Served]]


@pytest.fixture
def run(environment: pytest.MonkeyPatch) -> Run:
    """Run a file against a server; no search is ever answered."""

    def ran(text: str, respond: Respond, input: Json = "a topic") -> tuple[orka.Run, Served]:
        with serving(respond) as server:
            environment.setenv("ORKA_OPENAI_BASE_URL", f"{server.url}/v1")
            environment.setenv("ORKA_SEARCH_URL", "http://127.0.0.1:9/search")
            return asyncio.run(_once(text.replace("%(here)s", HERE), input)), server

    return ran


async def _once(text: str, input: Json) -> orka.Run:
    async with orka.Runtime(store=":memory:") as runtime:
        run = await runtime.run(text, input)
        runtime.replay(run.id)
        return run


def test_a_society_debates_in_a_loop(run: Run) -> None:
    scores = iter(["0.5", "0.9"])

    def respond(asked: Asked) -> str:
        return f"AGREEMENT: {next(scores)}" if asked.prompt.startswith("M") else "I think."

    ran, server = run(SOCIETY, respond)
    assert ran.status == "completed", ran.failure
    assert ran.outputs["debate"]["final_score"] == 0.9
    assert server.prompts("M I think. and I think.") and server.prompts("P a topic")
    written = [node for node in ran.nodes if node.id == "progressive_note"]
    assert len(written) == 2 and all(node.state == "done" for node in written)
    notes = orka.load(SOCIETY.replace("%(here)s", HERE)).notes
    warned = " ".join(note.does for note in notes if note.warning)
    for word in ("'nobody'", "'missing_one'", "'extraction_mode'", "'config.search_params'"):
        assert word.strip("'").rpartition(".")[2] in warned


@pytest.mark.parametrize("answer", ["true", "false"])
def test_an_assessment_goes_on_whichever_way_it_went(answer: str, run: Run) -> None:
    def respond(asked: Asked) -> str:
        return answer if "Is it fine?" in asked.prompt else f"seen {asked.prompt[:2]}"

    ran, server = run(ASSESSMENT, respond)
    assert ran.status == "completed", ran.failure
    assert ran.outputs["gathered"] == {"a1": "seen A1", "a2": "seen A2", "b1": "seen B1"}
    assert ("redo" in ran.outputs) is (answer == "false")
    assert server.asked[-1].prompt.lower() == "false"


def test_several_models_are_compared(run: Run) -> None:
    def respond(asked: Asked) -> str:
        return "there" if "best" in asked.prompt else asked.model

    ran, server = run(MODELS, respond)
    assert {asked.model for asked in server.asked} == {"llama3", "gpt-4o-mini", "the-default"}
    assert ran.outputs["gathered"] == {"here": "llama3", "there": "gpt-4o-mini"}
    assert ran.output == "there"


def test_without_a_network_a_search_is_a_failure_and_the_list_goes_on(run: Run) -> None:
    ran, server = run(SEARCH, plausible)
    assert ran.status == "completed", ran.failure
    states = {node.id: node.state for node in ran.nodes}
    assert (states["look"], states["web"], states["other"]) == ("failed", "failed", "done")
    assert ran.outputs["other"] == []
    assert server.asked[-1].prompt == "Found: nothing."


def test_a_scout_whose_model_gives_no_opinion_goes_by_its_other_factors(run: Run) -> None:
    ran, _ = run(SCOUT, lambda asked: "I cannot say.")
    assert ran.status == "completed", ran.failure
    assert ran.outputs["choose"]["path"] == ["look", "answer"]
    decided = [r.value for r in ran.nodes[0].remarks if isinstance(r, Decided)]
    lost = decided[0]["candidates"][0]["factors"]["llm"]
    assert lost["is"] == "unknown" and "sensor.violation" in lost["cause"]
    assert ran.outputs["choose_path"]["executed_path"] == ["look", "answer"]


def test_what_the_old_runtime_could_not_run_is_refused_with_the_causes() -> None:
    with pytest.raises(ConfigErrors) as caught:
        orka.check(OLDEST)
    told = str(caught.value)
    assert "orchestrator has no 'agents'" in told and "agent 'c' has no 'provider'" in told


@pytest.mark.parametrize("value", ['["a", "b"]', '{"a": 1}', "true", "7", '"words"'])
def test_a_required_field_without_a_type_is_what_the_prompt_asked_for(value: str, run: Run) -> None:
    schema = "{required: [queries, count], types: {count: integer}}"
    flow = f"""
orchestrator: {{id: plans, queue: q, agents: [plan]}}
agents:
  - id: plan
    type: local_llm
    params: {{%(here)s, structured_output: {{enabled: true, mode: prompt, schema: {schema}}}}}
    prompt: Plan it.
"""
    ran, server = run(flow, lambda asked: f'{{"queries": {value}, "count": 2}}')
    assert ran.status == "completed", ran.failure
    assert len(server.asked) == 1 and ran.output == {"queries": json.loads(value), "count": 2}
