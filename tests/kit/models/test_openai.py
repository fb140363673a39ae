"""The OpenAI provider against a real server on this machine."""

from __future__ import annotations

import asyncio
import math
import socket
import traceback
from typing import Any

import pytest
from endpoint import Answer, Asked, Endpoint, chunk, serving, usage

from orka.errors import ModelError
from orka.kit.models.openai import OpenAIModel
from orka.port.model import Call, Message, ModelReply, ModelRequest

CALL = Call("run", "effect", "node")
KEY = "sk-secret-0123456789"
HELLO = [chunk("Hel"), chunk("lo"), chunk(finish="stop"), usage(7, 2, 3)]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def ignore(piece: str) -> None:
    """Nobody watches."""


def request(url: str, **more: Any) -> ModelRequest:
    options = {"base_url": url, **more.pop("options", {})}
    messages = (Message("system", "Be brief."), Message("user", "Hi"))
    return ModelRequest(name="tiny", messages=messages, options=options, **more)


def ask(question: ModelRequest) -> tuple[ModelReply, list[str]]:
    async def once() -> tuple[ModelReply, list[str]]:
        model, pieces = OpenAIModel(), list[str]()
        try:
            return await model.complete(question, CALL, pieces.append), pieces
        finally:
            await model.close()

    return asyncio.run(once())


def refusal(status: int, message: str, **more: Any) -> Answer:
    error = {"message": message, "code": more.pop("code", None)}
    return Answer(status=status, body={"error": error}, **more)


def failure(answer: Answer, **more: Any) -> ModelError:
    with serving(lambda asked: answer) as server, pytest.raises(ModelError) as caught:
        ask(request(server.url, **more))
    return caught.value


def test_an_answer_streams_and_is_counted() -> None:
    with serving(lambda asked: Answer(events=HELLO)) as server:
        reply, pieces = ask(request(server.url, params={"temperature": 0.5, "top_k": 3}))
    assert (reply.text, reply.finish_reason, pieces) == ("Hello", "stop", ["Hel", "lo"])
    assert reply.model == "tiny-1"
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (7, 2)
    assert reply.usage.cached_tokens == 3
    (asked,) = server.asked
    assert asked["messages"][0] == {"role": "system", "content": "Be brief."}
    assert asked["temperature"] == 0.5
    assert asked["top_k"] == 3
    assert asked["stream_options"] == {"include_usage": True}
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_cut_off_answer_says_so() -> None:
    with serving(lambda asked: Answer(events=[chunk("Hel"), chunk(finish="length")])) as server:
        reply, _ = ask(request(server.url))
    assert reply.finish_reason == "length"
    assert reply.usage.prompt_tokens is None


def test_an_endpoint_that_refuses_stream_options_is_asked_without() -> None:
    def respond(asked: Asked) -> Answer:
        if "stream_options" in asked:
            return refusal(400, "Unrecognized request argument: stream_options")
        return Answer(events=HELLO[:-1])

    async def twice(server: Endpoint) -> list[str]:
        model = OpenAIModel()
        replies = [await model.complete(request(server.url), CALL, ignore) for _ in range(2)]
        await model.close()
        return [reply.text for reply in replies]

    with serving(respond) as server:
        assert asyncio.run(twice(server)) == ["Hello", "Hello"]
    assert ["stream_options" in asked for asked in server.asked] == [True, False, False]


def test_one_provider_serves_one_event_loop_after_another() -> None:
    model = OpenAIModel()
    with serving(lambda asked: Answer(events=HELLO)) as server:
        for _ in range(2):
            reply = asyncio.run(model.complete(request(server.url), CALL, ignore))
            assert reply.text == "Hello"


def test_a_closed_schema_is_asked_for_strictly_and_an_open_one_is_not() -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    with serving(lambda asked: Answer(events=HELLO)) as server:
        ask(request(server.url, schema=closed))
        ask(request(server.url, schema={**closed, "required": []}))
        ask(request(server.url, schema=closed, options={"response_format": "json_object"}))
        ask(request(server.url, schema=closed, options={"response_format": "none"}))
    formats: list[Any] = [asked.get("response_format") for asked in server.asked]
    assert formats[0]["json_schema"] == {"name": "answer", "schema": closed, "strict": True}
    assert formats[1]["json_schema"]["strict"] is False
    assert formats[2:] == [{"type": "json_object"}, None]


def test_choices_get_probabilities_from_the_first_token() -> None:
    top = [("Yes", math.log(0.6)), (" yes", math.log(0.1)), ("No", math.log(0.2)), ("Hm", -9.0)]
    events = [chunk("Yes", top=top), chunk(finish="stop")]
    with serving(lambda asked: Answer(events=events)) as server:
        reply, _ = ask(request(server.url, choices=("yes", "no")))
    assert reply.probabilities == {"yes": 0.777778, "no": 0.222222}
    assert reply.mass == 0.9
    assert server.asked[0]["top_logprobs"] == 20


@pytest.mark.parametrize("first", [chunk("re", top=[("re", -0.1), ("x", -4.0)]), chunk("refund")])
def test_choices_that_open_alike_or_without_logprobs_stay_unknown(first: Asked) -> None:
    with serving(lambda asked: Answer(events=[first, chunk(finish="stop")])) as server:
        reply, _ = ask(request(server.url, choices=("refund", "return")))
    assert reply.probabilities is None
    assert reply.mass is None
    assert reply.text.startswith("re")


def test_an_endpoint_that_refuses_logprobs_answers_with_text() -> None:
    def respond(asked: Asked) -> Answer:
        if asked.get("top_logprobs", 0) > 5:
            return refusal(400, "top_logprobs must be at most 5")
        if "logprobs" in asked:
            return refusal(422, "logprobs are not supported")
        return Answer(events=[chunk("yes"), chunk(finish="stop")])

    with serving(respond) as server:
        reply, _ = ask(request(server.url, choices=("yes", "no")))
    assert (reply.text, reply.probabilities) == ("yes", None)


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (400, "model.refused", False),
        (401, "model.refused", False),
        (403, "model.refused", False),
        (404, "model.refused", False),
        (408, "model.timeout", True),
        (429, "model.rate_limited", True),
        (500, "model.server", True),
        (503, "model.server", True),
    ],
)
def test_a_status_becomes_an_honest_error(status: int, code: str, retryable: bool) -> None:
    error = failure(refusal(status, "no"))
    assert (error.code, error.retryable) == (code, retryable)
    assert f"status {status}" in error.what
    assert "127.0.0.1:" in error.what
    assert "'tiny'" in error.what
    assert error.fix


def test_a_used_up_quota_and_a_too_long_prompt_are_not_worth_a_retry() -> None:
    assert not failure(refusal(429, "pay", code="insufficient_quota")).retryable
    error = failure(refusal(400, "too long", code="context_length_exceeded"))
    assert (error.code, error.retryable) == ("model.context_overflow", False)


def test_a_rate_limit_says_how_long_to_wait() -> None:
    assert "after 20 s" in failure(refusal(429, "slow down", headers={"retry-after": "20"})).fix


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_no_error_shows_a_key_or_a_header(status: int) -> None:
    leak = (
        f'headers: {{"Authorization": "Bearer {KEY}", "x-api-key": "abc-other-key"}} '
        f"Incorrect API key provided: sk-proj-****6789, {KEY}"
    )
    error = failure(refusal(status, leak))
    shown = "".join(traceback.format_exception(error)) + str(error) + repr(error.failure())
    for secret in (KEY, "abc-other-key", "6789", "Bearer"):
        assert secret not in shown
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_url_with_a_password_is_not_shown() -> None:
    with serving(lambda asked: refusal(500, "no")) as server, pytest.raises(ModelError) as caught:
        ask(request(server.url.replace("127", "me:hunter2@127")))
    assert "hunter2" not in str(caught.value)


def test_a_connection_that_closes_in_mid_answer_is_an_error() -> None:
    for answer in (
        Answer(events=[chunk("Hel")], cut=True),
        Answer(events=[chunk("Hel")], done=False),
        Answer(events=["{not json"]),
        Answer(events=[{"error": {"message": "out of memory"}}]),
    ):
        error = failure(answer)
        assert (error.code, error.retryable) == ("model.server", True)


def test_a_closed_port_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ModelError) as caught:
        ask(request(f"http://127.0.0.1:{port}/v1"))
    assert (caught.value.code, caught.value.retryable) == ("model.unreachable", True)
    assert f"127.0.0.1:{port}" in caught.value.what


def test_without_a_key_a_base_url_gets_a_placeholder_and_the_official_one_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with serving(lambda asked: Answer(events=HELLO)) as server:
        ask(request(server.url))
    assert server.headers[0]["authorization"] == "Bearer no-key-needed"
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set"):
        ask(request(""))


def test_the_key_and_the_endpoint_can_come_from_other_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "mine")
    with serving(lambda asked: Answer(events=HELLO)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        ask(request("", options={"api_key_env": "MY_KEY"}))
    assert server.headers[0]["authorization"] == "Bearer mine"


def test_an_unknown_option_is_named_with_a_suggestion() -> None:
    with pytest.raises(ModelError, match="did you mean 'base_url'"):
        ask(request("", options={"base_urll": "x"}))
