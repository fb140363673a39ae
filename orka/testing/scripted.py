"""Models and tools that answer from a script instead of reaching anything."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from orka.errors import HandlerError, ModelError, ToolError
from orka.port.handler import Answer
from orka.port.model import Call, Emit, ModelReply, ModelRequest
from orka.testing.script import Exhausted, Refusal, Reply, Script, script_of_environment
from orka.value import Json

__all__ = ["Refusal", "Reply", "Script", "ScriptedModel", "ScriptedTools", "scripted"]


class Asked(msgspec.Struct, frozen=True):
    """One call that a scripted model or tool got. `prompt` is what it was asked, as text."""

    run: str
    node: str
    effect: str
    attempt: int
    prompt: str
    args: Json = None


class _Calls:
    """What was asked, in the order it came."""

    def __init__(self) -> None:
        self.calls: list[Asked] = []

    @property
    def counts(self) -> dict[str, int]:
        """Calls by node."""
        return dict(Counter(asked.node for asked in self.calls))

    def prompts(self, node: str) -> list[str]:
        return [asked.prompt for asked in self.calls if asked.node == node]


class ScriptedModel(_Calls):
    """A model provider that answers from its script: `model: scripted`.

    Without a script it takes the one that the environment variable ORKA_SCRIPT names. A call
    beyond the script raises `ModelError` (`model.script_exhausted`), which is not retried.
    """

    def __init__(self, script: Script | None = None) -> None:
        super().__init__()
        self.script = script_of_environment() if script is None else script

    async def complete(self, request: ModelRequest, call: Call, emit: Emit) -> ModelReply:
        prompt = "\n".join(message.content for message in request.messages)
        self.calls.append(Asked(call.run, call.node, call.effect, call.attempt, prompt))
        try:
            reply = self.script.take(call.node)
        except Exhausted as error:
            raise ModelError(
                str(error),
                where=f"node {call.node!r}, effect {call.effect!r}",
                fix="add a reply for it, or find out why it is called again",
                code="model.script_exhausted",
                retryable=False,
            ) from None
        pieces = (prompt,) if reply.echo_prompt else reply.stream
        if reply.error is None and not pieces:
            pieces = (reply.words,)
        await _stream(reply, pieces, emit)
        if reply.error is not None:
            raise _refused(reply.error, call)
        return _answer(reply, "".join(pieces), request)


class ScriptedTools(_Calls):
    """A handler for `tool` effects: each tool node answers from its script, whatever the tool."""

    def __init__(self, script: Script | None = None) -> None:
        super().__init__()
        self.script = script_of_environment() if script is None else script

    async def __call__(self, payload: Json, call: Call) -> Answer:
        asked = Asked(
            call.run, call.node, call.effect, call.attempt, payload["name"], payload["args"]
        )
        self.calls.append(asked)
        try:
            reply = self.script.take(call.node)
        except Exhausted as error:
            raise ToolError(
                str(error),
                where=f"node {call.node!r}, tool {payload['name']!r}",
                fix="add a reply for it, or find out why it is called again",
                code="tool.script_exhausted",
                retryable=False,
            ) from None
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if (refusal := reply.error) is not None:
            raise ToolError(
                refusal.text,
                where=f"node {call.node!r}",
                code=refusal.code or "tool.failed",
                retryable=refusal.may_retry,
            )
        return Answer(reply.words if reply.text is not None or reply.stream else reply.value)


def scripted(replies: Mapping[str, Iterable[Reply | Json]]) -> ScriptedModel:
    """A scripted model of `{node: [reply, …]}`."""
    return ScriptedModel(Script(replies))


async def _stream(reply: Reply, pieces: Iterable[str], emit: Emit) -> None:
    if reply.delay:
        await asyncio.sleep(reply.delay)
    for at, piece in enumerate(pieces):
        if at and reply.gap:
            await asyncio.sleep(reply.gap)
        emit(piece)


def _refused(error: Refusal, call: Call) -> HandlerError:
    """As a provider's client would raise it; headers are nobody's business."""
    later = f" after {error.retry_after} s" if error.retry_after is not None else " later"
    return ModelError(
        error.text,
        where=f"node {call.node!r}",
        fix=f"try again{later}" if error.may_retry else "",
        code=error.code or _code(error.status),
        retryable=error.may_retry,
        retry_after=_seconds(error.retry_after),
    )


def _seconds(retry_after: float | str | None) -> float | None:
    """A wait in seconds; a date, which HTTP allows too, is not one."""
    try:
        return None if retry_after is None else float(retry_after)
    except ValueError:
        return None


def _code(status: int | None) -> str:
    if status is None:
        return "model.failed"
    if status == 429:
        return "model.rate_limited"
    return "model.server" if status == 408 or status >= 500 else "model.refused"


def _answer(reply: Reply, text: str, request: ModelRequest) -> ModelReply:
    """A one-of-n question answered with one of its choices is answered with certainty."""
    probabilities, mass = reply.probabilities, reply.mass
    if probabilities is None and text in request.choices:
        probabilities = {choice: float(choice == text) for choice in request.choices}
        mass = 1.0
    return ModelReply(
        text=text,
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        model=request.name or "scripted",
        probabilities=probabilities,
        mass=mass,
    )
