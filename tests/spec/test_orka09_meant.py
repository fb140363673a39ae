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
