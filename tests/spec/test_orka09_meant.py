"""What files of OrKa 0.9 mean where the old runtime had settings or names of its own."""

from __future__ import annotations

import pytest

from orka.spec.load import load
from orka.spec.orka09.asks import single_braces
from orka.spec.orka09.loopvar import renamed
from orka.spec.workflow import AgentSpec, Workflow
from orka.value import Json

HERE = "provider: lm_studio, model: m, model_url: 'http://localhost:1234'"


def flow(agent: str) -> Workflow:
    return load(f"orchestrator: {{id: f, queue: q, agents: [a]}}\nagents:\n  - {agent}\n", "f.yml")


def one(agent: str) -> AgentSpec:
    return flow(f"{{id: a, {agent}}}").agents[0]


def body(*ids: str) -> str:
    agents = ", ".join(f"{{id: {id}, type: local_llm, prompt: p, {HERE}}}" for id in ids)
    listed = ", ".join(ids)
    return f"internal_workflow: {{orchestrator: {{id: i, agents: [{listed}]}}, agents: [{agents}]}}"


def test_a_loop_has_the_threshold_of_the_old_runtime() -> None:
    assert one(f"type: loop, {body('b')}").options["score_threshold"] == 0.8
    own = one(f"type: loop, score_threshold: 0.3, {body('b')}")
    assert own.options["score_threshold"] == 0.3


def test_a_loop_asks_a_moderator_first_if_it_has_one() -> None:
    assert "high_priority_agents" not in one(f"type: loop, {body('b')}").options
    has = one(f"type: loop, {body('score_moderator', 'b', 'agreement_moderator')}")
    assert has.options["high_priority_agents"] == ["agreement_moderator", "score_moderator"]
    own = one(f"type: loop, high_priority_agents: [b], {body('b', 'agreement_moderator')}")
    assert own.options["high_priority_agents"] == ["b"]


def test_facts_come_from_the_trace_and_the_warning_says_so() -> None:
    workflow = flow("{id: a, type: invariant_validator, prompt: 'EXECUTION_DATA_JSON: {}'}")
    note = next(note for note in workflow.notes if note.warning and "'prompt'" in note.does)
    assert "the facts come from the trace now" in note.does
    assert note.did == "OrKa 0.9 read EXECUTION_DATA_JSON there"
    assert "prompt" not in workflow.agents[0].options


@pytest.mark.parametrize(
    ("written", "form"),
    [
        (
            '\'{"fact": "string", "sure": 0.9, "ok": true, "of": {"n": 1}}\'',
            {"fact": "string", "sure": "number", "ok": "boolean", "of": {"n": "number"}},
        ),
        ("{fact: string, tags: [string]}", {"fact": "string", "tags": ["string"]}),
        ("'a record with a fact'", None),
        ("'[1]'", None),
    ],
)
def test_a_form_of_a_record_may_be_an_example_or_none(written: str, form: Json) -> None:
    text = f"{{id: a, type: validate_and_structure, prompt: p, store_structure: {written}}}"
    workflow = flow(text)
    assert workflow.agents[0].options.get("store_structure") == form
    warned = [note.does for note in workflow.notes if note.warning and "store_str" in note.does]
    assert bool(warned) is (form is None)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('Judge {content}: {{"a": {{}}}}', 'Judge {content}: {"a": {}}'),
        ('Judge {content}: {"a": 1}', 'Judge {content}: {"a": 1}'),
        ("Judge {content} {", "Judge {content} {"),
    ],
)
def test_a_custom_prompt_was_a_format_string(written: str, meant: str) -> None:
    assert single_braces(written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "{% for loop in past %}{{ loop.n }} {{ a.loop }} 'loop' {% endfor %}{{ loop.x }}",
            "{% for each_loop in past %}{{ each_loop.n }} {{ a.loop }} 'loop' {% endfor %}"
            "{{ loop.x }}",
        ),
        (
            "{%- for loop in a -%}{% for b in loop.all %}{{ f(loop, k='loop') }}{% endfor %}"
            "{% if loop %}x{% endif %}{% endfor %}",
            "{%- for each_loop in a -%}{% for b in each_loop.all %}{{ f(each_loop, k='loop') }}"
            "{% endfor %}{% if each_loop %}x{% endif %}{% endfor %}",
        ),
        ("{% for b in a %}{{ loop.index }}{% endfor %}",) * 2,
        ("{% for loop in a %}{{ loop.n }}", "{% for each_loop in a %}{{ each_loop.n }}"),
    ],
)
def test_a_loop_variable_called_loop_is_a_variable(written: str, meant: str) -> None:
    assert renamed({"a": [written, 1, None]}) == {"a": [meant, 1, None]}


def test_a_search_gives_texts_unless_the_file_says_what() -> None:
    assert one("type: duckduckgo, prompt: p").options["results"] == "texts"
    assert one("type: duckduckgo, prompt: p, results: maps").options["results"] == "maps"


LOCAL = f"prompt: p, {HERE}"
STRATEGIES = "{strategies: [{type: computed, weights: {b: 1}}, {type: direct_key, key: score}]}"


@pytest.mark.parametrize(
    ("agent", "does", "did"),
    [
        ("type: openai-answer, prompt: p, temperature: 0", "'temperature' acts", "at 0.7"),
        ("type: openai-binary, prompt: p, max_tokens: 5", "'max_tokens' acts", "ignored it"),
        ("type: openai-answer, prompt: p, provider: x", "provider has no effect", "the same"),
        (f"type: local_llm, {LOCAL}, max_tokens: 0", "0' is no limit", "the same"),
        (f"type: local_llm, {LOCAL}, top_p: null", "'top_p' is null", "let it pass"),
        (f"type: local_llm, {LOCAL}, response_format: {{type: x}}", "'response_format'", "ignored"),
        (f"type: local_llm, {LOCAL}, max_concurrency: 2", "'max_concurrency' has", "this agent"),
        (f"type: plan_validator, {LOCAL}", "'prompt' acts", "ignored it"),
        (f"type: plan_validator, {HERE}, scoring_context: quality", "'scoring_context'", "ignored"),
        (f"type: plan_validator, {HERE}, structured_output: {{}}", "'structured_output'", "asked"),
        (f"type: loop_validator, {HERE}, scoring_preset: strict", "'strict' judges", "error"),
        (f"type: loop, fallback_score: 0.1, {body('b')}", "has this score", "never read"),
        (f"type: loop, timeout_score: 0.1, {body('b')}", "ran out of time", "never read"),
        (f"type: loop, {body('b')}, score_extraction_config: {STRATEGIES}", "'computed'", "know"),
        ("type: memory, config: {limit: 1}, params: {limit: 2}", "'params.limit' has no", "params"),
        ("type: duckduckgo, prompt: p", "fails the run", "as a success"),
    ],
)
def test_each_difference_is_told_once(agent: str, does: str, did: str) -> None:
    notes = [note for note in flow(f"{{id: a, {agent}}}").notes if does in note.does]
    assert len(notes) == 1 and did in notes[0].did


def test_a_key_without_effect_is_told_once() -> None:
    workflow = flow("{id: a, type: memory, config: {operation: read}, params: {nonsense: 1}}")
    assert sum("nonsense" in note.does for note in workflow.notes) == 1
    assert "nonsense" not in str(workflow.agents[0].options)


def test_debug_kept_what_agents_were_given() -> None:
    head = "orchestrator: {id: f, debug: {keep_previous_outputs: true}, queue: q, agents: [a]}"
    workflow = load(f"{head}\nagents:\n  - {{id: a, type: duckduckgo, prompt: p}}\n", "f.yml")
    (note,) = [note for note in workflow.notes if "'debug'" in note.does]
    assert "kept" in note.did


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{{ a.b.raw() | upper }} x.raw()", "{{ a.b | upper }} x.raw()"),
        ("{% if a.raw( ) == '.raw()' %}y{% endif %}", "{% if a == '.raw()' %}y{% endif %}"),
    ],
)
def test_raw_is_left_out_of_templates(written: str, meant: str) -> None:
    assert renamed({"prompt": written}) == {"prompt": meant}
    assert renamed({"when": "a.raw() == 1"}) == {"when": "a == 1"}
