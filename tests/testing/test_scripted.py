"""Scripted models and tools: what is written is what is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from orka.errors import ConfigError, ModelError, ToolError
from orka.port.model import Call, Message, ModelReply, ModelRequest
from orka.testing.clock import START, clock, run_virtual
from orka.testing.script import VARIABLE, Refusal, Reply, Script, script_from
from orka.testing.scripted import ScriptedModel, ScriptedTools, scripted
from orka.value import Json

YAML = """
a:
  - plain text
  - {answer: 42}
  - {raise: {status: 429, message: slow down, retry_after: '2'}}
  - {sleep_ms: 1500, reply: late}
  - {stream: [one, two]}
  - {repeat: again, times: 2}
  - {echo_prompt: true, sleep_ms: 20}
  - {reply: {reply: x}, finish_reason: length, usage: {prompt_tokens: 3, completion_tokens: 4}}
b: just one
"""


def ask(model: ScriptedModel, node: str = "a", prompt: str = "hi", **rest: Json) -> ModelReply:
    return run_virtual(_ask(model, node, prompt, [], **rest))


async def _ask(
    model: ScriptedModel, node: str, prompt: str, pieces: list[str], **rest: Json
) -> ModelReply:
    request = ModelRequest(name="m", messages=(Message("user", prompt),), **rest)
    return await model.complete(request, Call("r", f"{node}#0", node), pieces.append)


def test_a_file_answers_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "script.yml"
    path.write_text(YAML, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(path))
    model = ScriptedModel()
    assert [ask(model).text for _ in range(2)] == ["plain text", '{"answer":42}']
    with pytest.raises(ModelError) as raised:
        ask(model)
    assert raised.value.retryable
    assert [ask(model).text for _ in range(4)] == ["late", "onetwo", "again", "again"]
    assert ask(model, prompt="What?").text == "What?"
    last = ask(model)
    assert (last.text, last.finish_reason, last.usage.completion_tokens) == (
        '{"reply":"x"}',
        "length",
        4,
    )
    assert ask(model, "b").text == "just one"
    assert model.counts == {"a": 9, "b": 1}


def test_a_call_beyond_the_script_names_its_node_and_is_not_retried() -> None:
    model = scripted({"a": ["one"]})
    ask(model)
    for node, words in (("a", "call 2 of 'a'"), ("z", "no replies for 'z'")):
        with pytest.raises(ModelError, match=words) as raised:
            ask(model, node)
        assert (raised.value.code, raised.value.retryable) == ("model.script_exhausted", False)


@pytest.mark.parametrize(
    ("status", "retryable"), [(429, True), (500, True), (503, True), (400, False), (401, False)]
)
def test_a_status_says_whether_to_ask_again_and_headers_stay_out(
    status: int, retryable: bool
) -> None:
    headers = {"Authorization": "Bearer sk-test-000SECRET111", "x-api-key": "key-222SECRET333"}
    refusal = Refusal(status=status, message="no", request_headers=headers)
    with pytest.raises(ModelError) as raised:
        ask(scripted({"a": [Reply(error=refusal)]}))
    assert raised.value.retryable is retryable
    assert str(status) in str(raised.value)
    assert "SECRET" not in str(raised.value) + repr(raised.value.failure())


def test_pieces_stream_one_by_one_and_an_error_comes_after_them() -> None:
    pieces: list[str] = []
    cut = Reply(stream=("so ", "far"), error=Refusal(status=500), gap=2)

    async def asks() -> float:
        with pytest.raises(ModelError):
            await _ask(scripted({"a": [cut]}), "a", "hi", pieces)
        return clock()

    assert run_virtual(asks()) == START + 2
    assert pieces == ["so ", "far"]


def test_a_choice_is_answered_with_certainty_and_other_text_with_no_probabilities() -> None:
    model = scripted({"a": ["yes", "perhaps"]})
    sure = ask(model, choices=("yes", "no"))
    assert (sure.probabilities, sure.mass) == ({"yes": 1.0, "no": 0.0}, 1.0)
    assert ask(model, choices=("yes", "no")).probabilities is None


def test_without_a_script_the_provider_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(ConfigError, match=VARIABLE):
        ScriptedModel()


def test_a_script_that_is_wrong_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown key 'slep_ms'"):
        Script({"a": [{"reply": "x", "slep_ms": 1}]})
    with pytest.raises(ConfigError, match="repeats"):
        Script({"a": [{"repeat": "x", "times": "many"}]})
    with pytest.raises(ConfigError, match="cannot be read"):
        script_from(tmp_path / "none.yml")


def test_scripted_tools_answer_with_values_by_node() -> None:
    tools = ScriptedTools(Script({"a": [{"n": 1}, Reply(error=Refusal(type="ValueError"))]}))
    payload = {"name": "add", "args": {"x": 1}}

    async def call() -> object:
        return (await tools(payload, Call("r", "a#0", "a"))).value

    assert run_virtual(call()) == {"n": 1}
    with pytest.raises(ToolError, match="ValueError"):
        run_virtual(call())
    with pytest.raises(ToolError, match="call 3 of 'a'"):
        run_virtual(call())
    assert [asked.args for asked in tools.calls] == [{"x": 1}] * 3
