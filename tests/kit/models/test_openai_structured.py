"""How an OpenAI-compatible endpoint is held to a schema, offered tools, and read."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from endpoint import Answer, Asked, chunk, serving
from test_openai import ask, refusal, request

import orka
from orka.errors import ModelError
from orka.port.model import Message, ToolOffer, ToolRequest
from orka.value import Json

SCHEMA: Json = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
OFFER = ToolOffer("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}}})


def called(index: int | None, id: str | None, name: str | None, arguments: str) -> Asked:
    """One event of a stream with a piece of a call."""
    event = chunk()
    part: dict[str, Any] = {"id": id, "function": {"name": name, "arguments": arguments}}
    event["choices"][0]["delta"] = {
        "tool_calls": [part if index is None else {"index": index, **part}]
    }
    return event


def asked_for(structured: str, answer: Answer | None = None) -> tuple[Asked, str]:
    given = answer or Answer(events=[chunk('{"n": 1}'), chunk(finish="stop")])
    with serving(lambda asked: given) as server:
        reply, _ = ask(request(server.url, schema=SCHEMA, options={"structured": structured}))
    return server.asked[0], reply.text


@pytest.mark.parametrize(
    ("structured", "kind"),
    [("auto", "json_schema"), ("schema", "json_schema"), ("json", "json_object")],
)
def test_a_schema_is_the_form_of_the_answer(structured: str, kind: str) -> None:
    body, text = asked_for(structured)
    assert body["response_format"]["type"] == kind
    assert text == '{"n": 1}'


def test_prompt_leaves_the_form_to_the_prompt() -> None:
    assert "response_format" not in asked_for("prompt")[0]


def test_tool_has_one_tool_to_call_and_its_arguments_are_the_answer() -> None:
    events = [
        called(0, "c1", "emit", '{"n"'),
        called(0, None, None, ": 1}"),
        chunk(finish="tool_calls"),
    ]
    body, text = asked_for("tool", Answer(events=events))
    (tool,) = body["tools"]
    assert (tool["function"]["name"], tool["function"]["parameters"]) == ("emit", SCHEMA)
    assert body["tool_choice"] == "required" and "response_format" not in body
    assert text == '{"n": 1}'


def test_an_endpoint_that_ignores_the_tool_is_read_all_the_same() -> None:
    assert asked_for("tool")[1] == '{"n": 1}'


def test_an_endpoint_that_refuses_the_form_says_what_to_set() -> None:
    answer = refusal(400, "'response_format.type' must be 'text'")
    with serving(lambda asked: answer) as server, pytest.raises(ModelError) as caught:
        ask(request(server.url, schema=SCHEMA))
    assert "structured: prompt" in caught.value.fix and not caught.value.retryable


def test_tools_are_offered_and_calls_come_back_whole() -> None:
    events = [
        chunk("Adding."),
        called(0, "c1", "add", '{"a":'),
        called(1, "c2", "add", "{}"),
        called(0, None, None, " 1}"),
        chunk(finish="tool_calls"),
    ]
    with serving(lambda asked: Answer(events=events)) as server:
        reply, _ = ask(request(server.url, tools=(OFFER,)))
    assert server.asked[0]["tools"][0]["function"]["description"] == "Adds."
    assert reply.tool_calls == (
        ToolRequest("c1", "add", '{"a": 1}'),
        ToolRequest("c2", "add", "{}"),
    )
    assert (reply.text, reply.finish_reason) == ("Adding.", "stop")


def test_names_that_endpoints_refuse_are_spelt_so_and_come_back_as_they_are() -> None:
    events = [called(0, "c1", "mcp_small_add", "{}"), chunk(finish="tool_calls")]
    offer = msgspec.structs.replace(OFFER, name="mcp:small/add")
    with serving(lambda asked: Answer(events=events)) as server:
        reply, _ = ask(request(server.url, tools=(offer,)))
    assert server.asked[0]["tools"][0]["function"]["name"] == "mcp_small_add"
    assert [call.name for call in reply.tool_calls] == ["mcp:small/add"]


def test_calls_without_an_index_are_told_apart() -> None:
    events = [called(None, "c1", "add", "{}"), chunk(finish="tool_calls")]
    with serving(lambda asked: Answer(events=events)) as server:
        reply, _ = ask(request(server.url, tools=(OFFER,)))
    assert [call.name for call in reply.tool_calls] == ["add"]


def test_earlier_calls_and_results_are_turns_of_their_own() -> None:
    turns = (
        Message("user", "1 + 2?"),
        Message("assistant", "", tool_calls=(ToolRequest("c1", "add", "{}"),)),
        Message("tool", "3", tool_call_id="c1", name="add"),
    )
    with serving(lambda asked: Answer(events=[chunk("3"), chunk(finish="stop")])) as server:
        question = request(server.url, tools=(OFFER,))
        ask(type(question)(name="tiny", messages=turns, options=question.options, tools=(OFFER,)))
    _, assistant, tool = server.asked[0]["messages"]
    assert assistant["content"] is None and assistant["tool_calls"][0]["id"] == "c1"
    assert tool == {"role": "tool", "content": "3", "tool_call_id": "c1"}


@orka.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def test_a_whole_run_calls_a_tool_through_the_endpoint() -> None:
    def respond(asked: Asked) -> Answer:
        if asked["messages"][-1]["role"] == "tool":
            return Answer(
                events=[chunk(f"It is {asked['messages'][-1]['content']}."), chunk(finish="stop")]
            )
        call = called(0, "c1", "add", json.dumps({"a": 1, "b": 2}))
        return Answer(events=[call, chunk(finish="tool_calls")])

    with serving(respond) as server:
        flow = f"""
version: 1
orchestrator: {{id: t, model: openai/tiny, agents: [a]}}
agents:
  - {{id: a, type: llm, base_url: "{server.url}", prompt: "1 + 2?", tools: [add]}}
"""
        run = orka.run_sync(flow, None, use=[add], store=":memory:")
    assert run.output == "It is 3."
