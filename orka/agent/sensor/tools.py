"""Tools that a model may call while it answers: asked, performed, told, within bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orka.agent.context import Context
from orka.agent.sensor.calls import arguments_of, unknown_tool
from orka.agent.sensor.reading import Reading, ToolCall
from orka.errors import AgentError, EffectFailed
from orka.value import Json, canonical

UNKNOWN = "tool.unknown"
# What a tool says that was called wrongly: the model's mistake, which it can mend.
_MISTAKEN = "tool.arguments"


def requested(written: Sequence[Mapping[str, Json]], tools: Sequence[str]) -> Reading:
    """The calls that a provider gives beside the text; a violation for one that cannot be made."""
    calls = []
    for call in written:
        if call["name"] not in tools:
            return unknown_tool(call["name"], tools)
        try:
            arguments = arguments_of(call["arguments"], call["name"])
        except ValueError as error:
            return Reading(ok=False, kind="tool", message=str(error))
        calls.append(ToolCall(call["name"], arguments, call.get("id", "")))
    return Reading(tool_calls=tuple(calls))


class Rounds:
    """The rounds of one question: at most `most` replies that call tools."""

    def __init__(self, ctx: Context, tools: Sequence[str], most: int) -> None:
        self._ctx, self._tools, self._left = ctx, tools, most
        self._most = most

    async def answered(
        self, reply: Mapping[str, Json], calls: Sequence[ToolCall]
    ) -> list[Mapping[str, Json]] | Reading:
        """Call the tools in order and give the messages that tell the model; a violation for
        arguments that do not fit. Raises `AgentError` (`tool.rounds`), `EffectFailed`."""
        if not self._left:
            raise AgentError(
                f"the model of {self._ctx.node!r} called tools {self._most} times and again",
                where=f"node {self._ctx.node!r}",
                fix="raise `max_tool_rounds`, or say in the prompt when to stop",
                code="tool.rounds",
            )
        self._left -= 1
        named = [
            ToolCall(call.name, call.arguments, call.id or f"call_{self._left}_{at}")
            for at, call in enumerate(calls)
        ]
        talk: list[Mapping[str, Json]] = [_asked(reply["text"], named)]
        for call in named:
            try:
                result = await self._ctx.tool(call.name, **call.arguments)
            except EffectFailed as error:
                if error.code != _MISTAKEN:
                    raise
                return Reading(ok=False, kind="tool", message=f"{error.what}; {error.fix}")
            talk.append(_told(call, result))
        return talk


def _asked(text: str, calls: Sequence[ToolCall]) -> Mapping[str, Json]:
    made = [
        {"id": call.id, "name": call.name, "arguments": canonical(call.arguments).decode()}
        for call in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def _told(call: ToolCall, result: Json) -> Mapping[str, Json]:
    text = result if isinstance(result, str) else canonical(result).decode()
    return {"role": "tool", "content": text, "tool_call_id": call.id, "name": call.name}
