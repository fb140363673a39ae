"""Agents that ask a model: contracts, what a breach leads to, choices, and tools it may call."""

from __future__ import annotations

import asyncio

import pytest
from played import play

import orka
from orka.errors import ConfigError
from orka.event.event import EffectRequested, Noted, Repaired, Violation
from orka.kit.agents.binary import says_yes
from orka.kit.models.local import weights
from orka.testing.scripted import Reply
from orka.value import Json

SHORT = "{required: [n], types: {n: integer}}"


def asked(run: orka.Run, node: str = "a") -> list[Json]:
    """What a node's model was asked, each time."""
    return [
        event.payload
        for event in run.events
        if isinstance(event, EffectRequested) and event.kind == "llm" and event.id.startswith(node)
    ]


def repairs(run: orka.Run) -> list[tuple[str, Json, Json]]:
    return [(e.rule, e.before, e.after) for e in run.events if isinstance(e, Repaired)]


def breaches(run: orka.Run) -> list[Violation]:
    return [event for event in run.events if isinstance(event, Violation)]


def llm(more: str, replies: list[object], **given: object) -> orka.Run:
    agents = f"  - {{id: a, type: llm, prompt: 'how many?', {more}}}\n"
    return play(agents, "a", {"a": replies}, **given)  # type: ignore[arg-type]  # as play has them


# Contracts


def test_the_short_form_of_output_is_told_to_the_model_and_kept() -> None:
    run = llm(f"output: {SHORT}", ['Sure: {"n": 3} bananas'])
    assert run.output == {"n": 3}
    (question,) = asked(run)
    assert "`n` (integer, required)" in question["messages"][-1]["content"]
    assert question["schema"]["properties"] == {"n": {"type": "integer"}}


@pytest.mark.parametrize(
    ("structured", "native", "told"),
    [
        ("auto", True, True),
        ("schema", True, False),
        ("prompt", False, True),
        ("json", True, True),
        ("tool", True, False),
    ],
)
def test_structured_says_how_the_provider_is_asked(
    structured: str, native: bool, told: bool
) -> None:
    (question,) = asked(llm(f"output: {SHORT}, structured: {structured}", ['{"n": 3}']))
    assert ("schema" in question) is native
    assert ("`n`" in question["messages"][-1]["content"]) is told
    assert question.get("options", {}).get("structured") == (
        structured if structured in ("json", "tool") else None
    )


def test_a_repair_is_an_event_with_before_and_after() -> None:
    run = llm(f"output: {SHORT}, coerce: true", ["{'n': '3',}"])
    assert run.output == {"n": 3}
    found = [event for event in run.events if isinstance(event, Repaired)]
    assert [event.rule for event in found][-2:] == ["trailing_comma", "coerced"]
    assert (found[-1].before, found[-1].after, found[-1].where) == ("3", 3, "n")


def test_values_that_were_passed_over_are_noted() -> None:
    run = llm(f"output: {SHORT}", ['{"x": 1} {"n": 3}'])
    (note,) = [event for event in run.events if isinstance(event, Noted)]
    assert (note.kind, note.data) == ("extra_values", [{"x": 1}])


def test_a_breach_fails_the_node_and_says_what_the_model_said() -> None:
    run = llm(f"output: {SHORT}", ['{"n": "three"}'])
    (breach,) = breaches(run)
    assert (breach.kind, breach.where, breach.route) == ("schema", "n", "fail")
    assert breach.raw == '{"n": "three"}'
    assert run.failure and run.failure.code == "sensor.violation"
    assert "three" in run.failure.message and "integer" in run.failure.message


def test_retry_asks_again_and_tells_what_was_wrong() -> None:
    run = llm(f"output: {SHORT}, on_violation: retry", ["{}", '{"n": true}', '{"n": 3}'])
    assert run.output == {"n": 3}
    assert [breach.route for breach in breaches(run)] == ["retry", "retry"]
    second, third = asked(run)[1:]
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "user"]
    assert "n is required" in second["messages"][-1]["content"]
    assert "an integer" in third["messages"][-1]["content"]


def test_retries_for_a_breach_are_counted_apart_from_those_for_a_fault() -> None:
    refused = {"raise": {"status": 503}}
    agents = f"""
  - {{id: a, type: llm, prompt: p, output: {SHORT}, on_violation: retry, violation_retries: 1,
     retries: 1, backoff: {{initial: 1}}}}
"""
    replies: list[object] = [refused, "{}", refused, '{"n": 1}']
    assert play(agents, "a", {"a": replies}).output == {"n": 1}
    failed = play(agents, "a", {"a": ["{}", "{}"]})
    assert [breach.route for breach in breaches(failed)] == ["retry", "fail"]


def test_repair_shows_the_raw_text_and_the_contract_and_nothing_else() -> None:
    run = llm(f"output: {SHORT}, on_violation: repair, system: 'Be kind.'", ["three", '{"n": 3}'])
    assert run.output == {"n": 3}
    assert breaches(run)[0].route == "repair"
    assert repairs(run) == [("model_repair", "three", '{"n": 3}')]
    assert [e.effect for e in run.events if isinstance(e, Repaired)] == ["a#1"]
    (message,) = asked(run)[1]["messages"]
    assert all(words in message["content"] for words in ("three", "`n`", "not addressed to you"))
    assert "how many?" not in message["content"]


@pytest.mark.parametrize("reply", ["", Reply(text='{"n": 3', finish_reason="length")])
def test_what_is_not_there_is_asked_for_again_not_mended(reply: object) -> None:
    run = llm(f"output: {SHORT}, on_violation: repair", [reply, '{"n": 3}'])
    assert run.output == {"n": 3}
    assert breaches(run)[0].route == "retry"
    assert breaches(run)[0].kind in ("empty", "truncated")
    assert "how many?" in asked(run)[1]["messages"][0]["content"]


ROUTED = f"""
  - {{id: a, type: llm, prompt: p, output: {SHORT}, on_violation: {{route: sorry}}}}
  - {{id: b, type: llm, prompt: "{{{{ previous_outputs.a.n }}}}"}}
  - {{id: sorry, type: llm, prompt: "{{{{ previous_outputs.a.error.message }}}}"}}
"""


def test_a_breach_may_lead_to_another_agent_that_sees_what_was_said() -> None:
    run = play(ROUTED, "a, b", {"a": ["many"], "sorry": [Reply(echo_prompt=True)]})
    assert run.status == "completed"
    assert "many" in run.output and breaches(run)[0].route == "sorry"


def test_only_a_breach_leads_there() -> None:
    run = play(ROUTED, "a, b", {"a": [{"raise": {"status": 401}}]})
    assert run.failure and run.failure.code == "model.refused"
    done = play(ROUTED, "a, b", {"a": ['{"n": 1}'], "b": ["ok"]})
    assert done.output == "ok"


def test_confidence_and_age_are_part_of_the_contract() -> None:
    output = "{schema: {type: object}, min_confidence: 0.7, max_age: 1h}"
    unsure = llm(f"output: {output}", ['{"confidence": 0.5, "observed_at": 1700000000}'])
    assert breaches(unsure)[0].kind == "confidence"
    old = llm(f"output: {output}", ['{"confidence": 0.9, "observed_at": 1600000000}'])
    assert breaches(old)[0].kind == "stale"
    fresh = '{"confidence": 0.9, "observed_at": "2023-11-14T22:13:00Z"}'
    assert llm(f"output: {output}", [fresh]).status == "completed"


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ("output: {type: objct}", "objct"),
        ("output: {required: [a], types: {a: strng}}", "string"),
        ("output: {required: [a], units: {b: kg}}", "'b'"),
        ("output: {required: [a], min_confidence: 0.5}", "confidence"),
        ("output: {required: [a], max_age: 1h}", "observed_at"),
        ("output: {required: [a]}, output_schema: {type: object}", "output_schema"),
        ("output: {required: [a]}, choices: [x, y]", "choices"),
        ("choices: [Yes, 'yes.']", "told apart"),
        ("violation_retries: -1", "violation_retries"),
        ("on_violation: perhaps", "on_violation"),
        ("on_violation: {route: nowhere}", "nowhere"),
        ("structured: xml", "structured"),
        ("tools: [t], max_tool_rounds: 0", "max_tool_rounds"),
        ("tools: [no_such_tool]", "no_such_tool"),
    ],
)
def test_what_cannot_be_meant_is_found_before_the_run(more: str, names: str) -> None:
    with pytest.raises(ConfigError, match=names):
        llm(more, [])


def test_parse_auto_gives_an_object_if_the_answer_is_one() -> None:
    assert llm("parse: auto", ['```json\n{"response": "x",}\n```']).output == {"response": "x"}
    assert llm("parse: auto", ["x {"]).output == "x {"
    assert llm("", ['{"response": "x"}']).output == '{"response": "x"}'


# Choices


def classify(reply: object, more: str = "") -> orka.Run:
    agents = f"  - {{id: a, type: classify, prompt: p, options: [billing, tech support]{more}}}\n"
    return play(agents, "a", {"a": [reply]})


@pytest.mark.parametrize(
    "said",
    ["Billing.", "**billing**", '"billing"', "<think>tech?</think>\nbilling", "Category: billing",
     '{"category": "billing"}', '```json\n{"response": "Billing"}\n```'],
)  # fmt: skip
def test_a_label_is_read_from_the_text_that_is_nothing_else(said: str) -> None:
    output = classify(said).output
    assert output == {"response": "billing", "confidence": None, "probabilities": None}


def test_a_label_that_stands_in_other_words_is_a_repair_that_is_told() -> None:
    assert repairs(classify('"BILLING".')) == [("label", '"BILLING".', "billing")]
    assert repairs(classify(" billing\n")) == []
    shares = {"billing": 0.2, "tech support": 0.8}
    assert repairs(classify(Reply(text="?", probabilities=shares, mass=0.9))) == []
    assert repairs(yes_no("right")) == [("label", "right", "yes")]
    assert repairs(yes_no('{"response": "true"}'))[0][2] == "yes"
    assert repairs(yes_no("no")) == []
    (told,) = repairs(llm("choices: [phone, mail]", ["Phone"]))
    assert told == ("label", "Phone", "phone")


def test_an_answer_that_the_model_could_not_mend_is_no_repair() -> None:
    run = llm(f"output: {SHORT}, on_violation: repair, violation_retries: 1", ["three", "drei"])
    assert run.status == "failed" and repairs(run) == []


@pytest.mark.parametrize("said", ["billing or tech support", "not billing", "", "bill", "{}"])
def test_any_other_text_is_a_violation_that_names_the_labels(said: str) -> None:
    run = classify(said)
    assert run.failure and run.failure.code == "sensor.violation"
    assert not said or "tech support" in breaches(run)[0].message


def test_the_labels_are_told_and_probabilities_are_carried() -> None:
    shares = {"billing": 0.2, "tech support": 0.8}
    run = classify(Reply(text="?", probabilities=shares, mass=0.9))
    assert run.output == {
        "response": "tech support",
        "confidence": 0.8,
        "probabilities": shares,
    }
    (question,) = asked(run)
    assert question["choices"] == ["billing", "tech support"]
    assert "billing, tech support" in question["messages"][-1]["content"]


def test_an_unknown_label_is_given_and_the_breach_recorded() -> None:
    run = classify("neither", ", unknown: other")
    assert run.output == {"response": "other", "confidence": None, "probabilities": None}
    assert (breaches(run)[0].kind, breaches(run)[0].route) == ("choice", "kept")


def test_labels_that_cannot_be_told_apart_are_refused() -> None:
    for options in ("[a]", "[a, A]", "[a, ' ']"):
        with pytest.raises(ConfigError):
            play(f"  - {{id: a, type: classify, prompt: p, options: {options}}}\n", "a", {})


def yes_no(reply: object) -> orka.Run:
    return play("  - {id: a, type: yes_no, prompt: 'Is it?'}\n", "a", {"a": [reply]})


@pytest.mark.parametrize(
    ("said", "meant"),
    [("Yes.", True), ("**true**", True), ('{"response": "true"}', True), ("No", False),
     ('{"result": false}', False), ("incorrect", False), ("Answer: no.", False)],
)  # fmt: skip
def test_yes_and_no_are_read_strictly(said: str, meant: bool) -> None:
    assert yes_no(said).output["response"] is meant


@pytest.mark.parametrize("said", ["not correct", "yes and no", "maybe", "No, it is true", "ja"])
def test_what_is_neither_yes_nor_no_is_a_violation(said: str) -> None:
    run = yes_no(said)
    assert run.status == "failed" and breaches(run)[0].kind == "choice"


def test_yes_carries_its_probability() -> None:
    run = yes_no(Reply(text="", probabilities={"yes": 0.7, "no": 0.3}, mass=1.0))
    assert run.output == {"response": True, "confidence": 0.7}


@pytest.mark.parametrize(
    ("text", "meant"),
    [("Yes, it is.", True), ("TRUE", True), ("That is correct", True), ("not correct", False),
     ("It isn't true", False), ("no", False), ("incorrect", False), ("eyes", False),
     ("Yes. There is no doubt.", True), ("", False)],
)  # fmt: skip
def test_binary_reads_a_text_and_what_it_denies(text: str, meant: bool) -> None:
    assert says_yes(text) is meant
    assert play("  - {id: a, type: binary}\n", "a", {}, text or "-").output is meant


# Tools

TOOLS = "tools: [add], output: {required: [sum], types: {sum: integer}}"
CALL = '{"name": "add", "arguments": {"a": 1, "b": 2}}'


@orka.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def test_a_tool_that_the_model_calls_is_called_and_its_result_told() -> None:
    run = llm(TOOLS, [CALL, '{"sum": 3}'], use=(add,))
    assert run.output == {"sum": 3}
    first, second = asked(run)
    assert first["tools"] == ["add"]
    call, result = second["messages"][-2:]
    assert call["tool_calls"][0]["name"] == "add"
    assert (result["role"], result["content"]) == ("tool", "3")
    assert [a.kind for node in run.nodes for a in node.attempts] == ["llm", "tool", "llm"]


def test_a_plain_answer_needs_no_tool() -> None:
    assert llm("tools: [add]", ["It is three."], use=(add,)).output == "It is three."


def test_a_model_that_is_told_tools_in_words_sees_their_arguments() -> None:
    run = llm("tools: [add]", [Reply(echo_prompt=True)], use=(add,))
    assert all(word in run.output for word in ("add", "Adds two numbers.", '"integer"'))


def test_an_invented_tool_is_told_back_and_then_named() -> None:
    fly = '{"name": "fly", "arguments": {}}'
    done = llm("tools: [add], violation_retries: 1", [fly, "three"], use=(add,))
    assert done.output == "three"
    assert breaches(done)[0].kind == "tool"
    assert "there is no tool 'fly'" in asked(done)[1]["messages"][-1]["content"]
    failed = llm("tools: [add]", [fly], use=(add,))
    assert failed.failure and failed.failure.code == "tool.unknown"
    assert all(name in failed.failure.message for name in ("'a'", "fly", "add"))


def test_arguments_that_do_not_fit_are_the_models_mistake() -> None:
    wrong = '{"name": "add", "arguments": {"a": "one", "b": 2}}'
    done = llm("tools: [add], violation_retries: 1", [wrong, CALL, "3"], use=(add,))
    assert done.output == "3" and breaches(done)[0].kind == "tool"
    failed = llm("tools: [add]", [wrong], use=(add,))
    assert failed.failure and failed.failure.code == "tool.unknown"


def test_a_model_that_calls_without_end_is_stopped() -> None:
    run = llm("tools: [add], max_tool_rounds: 2", [CALL] * 3, use=(add,))
    assert run.failure and run.failure.code == "tool.rounds"


def test_a_call_in_a_text_that_was_cut_is_not_made() -> None:
    run = llm("tools: [add]", [Reply(text=CALL, finish_reason="length")], use=(add,))
    assert run.output == CALL
    assert breaches(run)[0].kind == "truncated"


@pytest.mark.local
def test_a_real_model_classifies_with_probabilities() -> None:
    weights.pull("smollm2-135m-instruct")
    flow = """
version: 1
orchestrator: {id: t, model: local/smollm2-135m-instruct, agents: [a, b]}
agents:
  - {id: a, type: classify, prompt: "{{ input }}", options: [positive, negative]}
  - id: b
    type: llm
    prompt: Give the number of legs of a dog.
    output: {required: [legs], types: {legs: integer}}
    max_tokens: 40
"""
    run = asyncio.run(
        orka.run(flow, "I love it. It is wonderful, great and good!", store=":memory:")
    )
    output = run.outputs["a"]
    assert output["response"] in ("positive", "negative")
    assert abs(sum(output["probabilities"].values()) - 1) < 1e-3
    assert output["confidence"] == max(output["probabilities"].values())
    assert run.status == "completed" and isinstance(run.output["legs"], int)
