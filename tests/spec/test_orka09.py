"""Files written for OrKa 0.9, in today's words: which they are, and what each agent becomes."""

from __future__ import annotations

import pytest

from orka.errors import ConfigError, ConfigErrors
from orka.spec.load import load
from orka.spec.note import Note
from orka.spec.workflow import AgentSpec, Workflow
from orka.value import Json

HERE = "provider: lm_studio, model: m, model_url: 'http://localhost:1234'"
LOCAL: Json = {
    "model": "openai/m",
    "base_url": "http://localhost:1234/v1",
    "api_key_env": "LOCAL_LLM_API_KEY",
}


def flow(agents: str, order: str = "a", head: str = "", rest: str = "") -> Workflow:
    lines = "\n".join(f"  - {line}" for line in agents.strip().splitlines())
    head = f"orchestrator: {{id: f, agents: [{order}]{head}}}"
    return load(f"{head}\n{rest}agents:\n{lines}\n", "f.yml")


def one(agent: str, head: str = "") -> AgentSpec:
    return flow(f"{{id: a, {agent}}}", head=head).agents[0]


def told(workflow: Workflow, *, warning: bool) -> list[str]:
    return [note.does for note in workflow.notes if note.warning is warning]


@pytest.mark.parametrize(
    ("agent", "head"),
    [
        (f"type: local_llm, prompt: p, {HERE}", ""),
        ("type: duckduckgo, prompt: p", ""),
        ("type: memory-reader", ""),
        ("type: openai-gpt-4, prompt: p", ""),
        ("type: memory, config: {operation: read}", ""),
        ("type: tool, tool: t, queue: q", ""),
        ("type: tool, tool: t", ", queue: q"),
        ("type: tool, tool: t", ", memory_preset: working"),
        ("type: loop, internal_workflow: {agents: [{id: b, type: local_llm}]}", ""),
        ("type: failover, children: [{id: b, type: duckduckgo}]", ""),
        ("type: router, params: {decision_key: a, routing_map: {x: []}}", ""),
    ],
)
def test_one_old_word_makes_a_file_one_of_the_old_runtime(agent: str, head: str) -> None:
    try:
        assert flow(f"{{id: a, {agent}}}", head=head).dialect == "0.9"
    except ConfigError as error:
        assert "provider" in str(error)


@pytest.mark.parametrize("agent", ["type: llm, prompt: p", "type: memory, operation: read"])
def test_a_file_in_todays_words_is_strict(agent: str) -> None:
    workflow = flow(f"{{id: a, {agent}}}")
    assert (workflow.dialect, workflow.notes) == ("1", ())


@pytest.mark.parametrize("version", ["1", "'1'"])
def test_a_file_that_declares_its_version_is_never_rewritten(version: str) -> None:
    agents = "{id: a, type: local_llm, queue: q}"
    workflow = flow(agents, rest=f"version: {version}\n")
    assert workflow.dialect == "1" and workflow.agents[0].type == "local_llm"


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("http://h:1234", "http://h:1234/v1"),
        ("http://h:1234/", "http://h:1234/v1"),
        ("http://h:1234/v1", "http://h:1234/v1"),
        ("http://h:1234/v1/chat/completions", "http://h:1234/v1"),
        ("https://h/proxy/v1/", "https://h/proxy/v1"),
        ("localhost:1234", "http://localhost:1234/v1"),
    ],
)
def test_a_server_is_asked_at_its_openai_door(written: str, asked: str) -> None:
    agent = one(
        f"type: local_llm, prompt: p, provider: lm_studio, model: m, model_url: '{written}'"
    )
    assert agent.options["base_url"] == asked


def test_ollama_is_asked_at_its_openai_door_and_the_note_says_so() -> None:
    url = "model_url: 'http://h:11434/api/generate'"
    workflow = flow(f"{{id: a, type: local_llm, prompt: p, provider: ollama, model: m, {url}}}")
    assert workflow.agents[0].options["base_url"] == "http://h:11434/v1"
    assert any("Ollama" in note.does and "/api/generate" in note.did for note in workflow.notes)


def test_a_local_model_keeps_its_settings_wherever_they_stand() -> None:
    agent = one(
        "type: local_llm, prompt: p, temperature: 0.2, "
        f"params: {{{HERE}, temperature: 0.9, max_tokens: 5, timeout: 7}}"
    )
    expected = {"prompt": "p", "parse": "auto", "temperature": 0.2, "max_tokens": 5}
    assert (agent.type, agent.timeout) == ("llm", 7.0)
    assert agent.options == LOCAL | expected


@pytest.mark.parametrize("missing", ["provider", "model_url"])
def test_a_local_model_without_a_server_is_an_error_that_names_the_key(missing: str) -> None:
    keys = {"provider": "lm_studio", "model": "m", "model_url": "'http://h'"}
    written = ", ".join(f"{key}: {value}" for key, value in keys.items() if key != missing)
    with pytest.raises(ConfigError, match=f"'a' has no '{missing}'") as caught:
        one(f"type: local_llm, prompt: p, {written}")
    assert caught.value.code == "config.missing_key" and "line 3" in caught.value.where


def test_an_unknown_provider_is_an_error() -> None:
    with pytest.raises(ConfigError, match="unknown provider 'vllm_cloud'"):
        one("type: local_llm, prompt: p, provider: vllm_cloud, model: m, model_url: 'http://h'")


def test_structured_output_becomes_a_contract() -> None:
    structured = "{enabled: true, mode: prompt, schema: {required: [n], types: {n: int}}}"
    agent = one(f"type: local_llm, prompt: p, {HERE}, params: {{structured_output: {structured}}}")
    assert agent.options == LOCAL | {
        "prompt": "p",
        "output": {"required": ["n"], "optional": {}, "types": {"n": "integer"}},
        "structured": "prompt",
        "coerce": True,
        "on_violation": "retry",
    }


def test_structured_output_takes_what_it_leaves_out_from_the_file() -> None:
    head = ", structured_output_defaults: {enabled: true, mode: model_json, coerce_types: false}"
    agent = one(f"type: local_llm, prompt: p, {HERE}", head)
    assert (agent.options["structured"], agent.options["coerce"]) == ("auto", False)
    assert agent.options["output"]["required"] == ["response"]
    assert agent.options["text_field"] == "response"
    off = one(f"type: local_llm, prompt: p, {HERE}, structured_output: {{enabled: false}}", head)
    assert off.options["parse"] == "auto" and "output" not in off.options


def test_a_strict_schema_has_no_other_fields() -> None:
    structured = "{enabled: true, strict: true, schema: {required: [a], optional: {b: list}}}"
    output = one(f"type: openai-answer, prompt: p, structured_output: {structured}")
    assert output.options["output"] == {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}, "b": {"type": "array"}},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("mode", "here", "there"),
    [
        ("auto", "auto", "auto"),
        ("model_json", "auto", "json"),
        ("tool_call", "auto", "tool"),
        ("prompt", "prompt", "prompt"),
    ],
)
def test_each_mode_asks_for_the_form_in_its_way(mode: str, here: str, there: str) -> None:
    structured = f"structured_output: {{enabled: true, mode: {mode}}}"
    assert one(f"type: local_llm, prompt: p, {HERE}, {structured}").options["structured"] == here
    asked = one(f"type: openai-answer, prompt: p, {structured}").options
    assert asked["structured"] == there


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no mode 'magic'"):
        one("type: openai-answer, prompt: p, structured_output: {enabled: true, mode: magic}")


def test_openai_agents_ask_the_model_that_is_named() -> None:
    named = one("type: openai-answer, prompt: p, params: {model: gpt-4o, temperature: 0.1}")
    expected = {"model": "openai/gpt-4o", "temperature": 0.1, "prompt": "p", "parse": "auto"}
    assert named.options == expected
    assert one("type: openai-answer, prompt: p").options["model"] == "openai/default"
    assert one("type: openai-gpt-4, prompt: p").options["model"] == "openai/gpt-4"


def test_anthropic_is_asked_at_its_openai_door() -> None:
    asked = one("type: anthropic, prompt: p, model: claude-3-haiku").options
    assert asked["model"] == "openai/claude-3-haiku" and "anthropic.com" in asked["base_url"]
    assert asked["api_key_env"] == "ANTHROPIC_API_KEY"


def test_binary_and_classification_questions() -> None:
    assert one("type: openai-binary, prompt: p").type == "yes_no"
    for key in ("options", "categories"):
        agent = one(f"type: openai-classification, prompt: p, params: {{{key}: [x, y]}}")
        assert (agent.type, agent.options["options"]) == ("classify", ["x", "y"])
        assert agent.options["unknown"] == "not-classified"
    assert one("type: openai-classification, prompt: p").type == "llm"


def test_keys_that_nobody_reads_are_warned_about_where_they_stand() -> None:
    workflow = flow(f"{{id: a, type: local_llm, prompt: p, {HERE}, queue: q, flavour: x}}")
    queue, flavour = [note for note in workflow.notes if note.warning]
    assert "'queue' has no effect" in queue.does and "did nothing" in queue.did
    assert "line 3, column" in queue.where and "agent 'a'" in queue.where
    assert "'flavour' has no effect" in flavour.does and "any key" in flavour.did


def test_a_misspelt_key_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="'promt' is not a key") as caught:
        one(f"type: local_llm, promt: p, {HERE}")
    assert "'prompt'" in caught.value.fix and caught.value.code == "config.unknown_key"


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ConfigErrors) as caught:
        flow(
            "{id: a, type: local_llm, prompt: p}\n"
            "{id: b, type: openai-answer, prompt: p, temprature: 1}",
            "a, b",
        )
    assert len(caught.value.problems) == 3


def test_keys_of_the_head_and_of_the_top() -> None:
    workflow = flow(
        f"{{id: a, type: local_llm, prompt: p, {HERE}}}",
        head=", queue: q, strategy: decision-tree, memory: {config: {redis_url: x}}",
        rest="llm: {model: x}\nmeta: {any: thing}\n",
    )
    assert workflow.strategy == "sequential"
    warned = told(workflow, warning=True)
    assert [does.split(" ")[0] for does in warned] == ["'queue'", "'memory.config'", "'llm'"]
    assert any("decision-tree" in does for does in told(workflow, warning=False))


def test_memory_settings_that_stood_under_params_count() -> None:
    agent = one(
        "type: memory, memory_preset: semantic, namespace: n, prompt: p, "
        "config: {operation: read, vector_field: v}, params: {limit: 3, top_k: 9}"
    )
    assert agent.options == {
        "operation": "read",
        "memory_preset": "semantic",
        "namespace": "n",
        "prompt": "p",
        "config": {"limit": 3},
    }


@pytest.mark.parametrize(
    ("kind", "operation"),
    [("memory-reader", "read"), ("memory_writer", "write"), ("memory-writer", "write")],
)
def test_the_other_names_of_memory(kind: str, operation: str) -> None:
    agent = one(f"type: {kind}, namespace: n, prompt: p", ", memory_preset: working")
    assert (agent.type, agent.options["operation"]) == ("memory", operation)
    assert agent.options["memory_preset"] == "working"


def test_a_write_keeps_its_metadata_and_its_decay() -> None:
    agent = one(
        "type: memory, prompt: p, config: {operation: write, key_template: k}, "
        "metadata: {a: '1'}, decay: {enabled: true, short_term_hours: 2, importance_rules: {}}",
        ", memory: {decay: {default_long_term_hours: 9}}",
    )
    assert agent.options["metadata"] == {"a": "1"} and agent.options["key_template"] == "k"
    assert agent.options["decay"] == {
        "default_long_term_hours": 9,
        "enabled": True,
        "short_term_hours": 2,
    }


@pytest.mark.parametrize(
    ("operation", "kept", "dropped"),
    [
        ("read", {"limit": 3}, ["'decay'", "'config.ttl'"]),
        ("write", {"ttl": 60}, ["'config.limit'"]),
    ],
)
def test_what_belongs_to_the_other_operation_of_a_memory_is_dropped(
    operation: str, kept: dict[str, Json], dropped: list[str]
) -> None:
    workflow = flow(
        f"{{id: a, type: memory, prompt: p, decay: {{enabled: true}}, config: "
        f"{{operation: {operation}, limit: 3, ttl: 60}}}}"
    )
    (agent,) = workflow.agents
    assert agent.options["config"] == kept
    assert ("decay" in agent.options) is (operation == "write")
    warned = told(workflow, warning=True)
    assert [does.split(" ")[0] for does in warned] == dropped
    assert all(f"has no effect on a {operation}" in does for does in warned)


def test_a_search_fails_inside_a_failover_only() -> None:
    alone = one("type: duckduckgo, prompt: p, max_results: 3")
    empty = {"on_failure": "empty", "results": "texts"}
    assert alone.options == {**empty, "prompt": "p", "max_results": 3}
    inside = one("type: failover, input: x, children: [{id: b, type: duckduckgo, prompt: p}]")
    assert inside.options == {
        "report": True,
        "children": [{"id": "b", "type": "websearch", "prompt": "p", "results": "texts"}],
    }


def test_validators_name_their_model_in_one_way() -> None:
    keys = "llm_model: m, provider: lm_studio, model_url: 'http://localhost:1234'"
    plan = one(f"type: plan_validator, {keys}, temperature: 0.1, scoring_preset: strict")
    assert plan.options == LOCAL | {"temperature": 0.1, "scoring_preset": "strict"}
    loop = one(f"type: loop_validator, {keys}, evaluation_target: b")
    assert loop.options == LOCAL | {"evaluation_target": "b"}
    with pytest.raises(ConfigError, match="'provider'"):
        one("type: plan_validator, llm_model: m, model_url: 'http://h'")


def test_a_note_is_a_value() -> None:
    note = Note("f.yml", "does", "did")
    assert not note.warning and note == Note("f.yml", "does", "did", warning=False)
