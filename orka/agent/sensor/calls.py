"""Calls of tools that a model wrote as JSON into its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from orka.agent.sensor.broken import Broken
from orka.agent.sensor.contract import Contract
from orka.agent.sensor.fragments import Found, whole
from orka.agent.sensor.reading import Reading, Repair, ToolCall
from orka.errors import nearest
from orka.value import Json

_NAMES = ("name", "tool", "tool_name", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "params", "action_input")
_BESIDE = ("id", "type", "call_id", "index", "thought", "thoughts", "reasoning", "rationale")
_HOLDERS = ("tool_calls", "tool_call", "function_call", "functionCall", "toolUse")
_PARTS = ("tool_use", "tool_call", "function_call", "function")
# How models write the name of a tool before its arguments.
_NAMED = re.compile(
    r"(?:<function=|\[TOOL_CALLS\]\s*|<｜tool▁sep｜>|\bAction:\s*)[\"'`]?(?P<name>[\w.-]+)[\"'`]?"
    r"(?:>|\[ARGS\]|\s*```(?:json)?|\s*\n\s*Action Input:)\s*$"
)
_LOOKED_AT = 160


class _Written(NamedTuple):
    """A call as it stands in an answer; what its arguments are is not known yet."""

    name: str
    arguments: Json
    id: str = ""


def calls_in(
    found: Sequence[Found],
    tools: Sequence[str],
    contract: Contract | None,
    now: float | None,
    text: str = "",
) -> Reading | None:
    """The calls among `found`; a violation for a tool that does not exist; None without a call.
    `text` is where they were found: a tool may be named before its arguments.

    A value that keeps the contract and names no tool is an answer, whatever it looks like.
    """
    if not tools:
        return None
    calls: list[ToolCall] = []
    repairs: list[Repair] = []
    unknown: list[str] = []
    for item in found:
        fits = contract is not None and not contract.judge(item.value, now).problems
        written = _before(text, item) or _calls(item.value, tools)
        try:
            known = [
                ToolCall(call.name, arguments_of(call.arguments, call.name), call.id)
                for call in written
                if call.name in tools
            ]
        except ValueError as error:
            return _bad(str(error))
        calls += known
        repairs += item.repairs if known else ()
        unknown += [c.name for c in written if c.name not in tools and not fits and _may_be(c)]
    if unknown:
        return unknown_tool(unknown[0], tools)
    return Reading(tool_calls=tuple(calls), repairs=tuple(repairs)) if calls else None


def calls_of_parts(parts: Json, tools: Sequence[str]) -> Reading | None:
    """The calls that stand as parts of their own beside the text."""
    listed = parts if isinstance(parts, list) else []
    found = [Found(part, 0, 0) for part in listed if is_call(part)]
    return calls_in(found, tools, None, None)


def is_call(part: Json) -> bool:
    """Whether a part of an answer is the call of a tool."""
    if not isinstance(part, Mapping):
        return False
    return part.get("type") in _PARTS or any(holder in part for holder in _HOLDERS)


def unknown_tool(name: str, tools: Sequence[str]) -> Reading:
    """The violation that a tool of this name is not offered."""
    hint = nearest(name, tools)
    told = f"there is no tool {name!r}; those offered: {', '.join(tools)}"
    return _bad(told + (f" ({hint})" if hint.startswith("did") else ""))


def arguments_of(written: Json, name: str) -> dict[str, Json]:
    """The arguments of a call: a map, or the text of one. Raises `ValueError`."""
    if isinstance(written, str):
        try:
            decoded = whole(written) if written.strip() else None
        except Broken as error:
            raise ValueError(f"the arguments of {name!r} are not JSON: {error.told}") from None
        if written.strip() and (decoded is None or decoded.repairs):
            raise ValueError(f"the arguments of {name!r} are not JSON: {written[:80]!r}")
        written = decoded.value if decoded else {}
    if written is None:
        return {}
    if not isinstance(written, dict):
        raise ValueError(f"the arguments of {name!r} are no map")
    return written


def _before(text: str, item: Found) -> list[_Written]:
    """The call whose name stands before its arguments."""
    if not isinstance(item.value, dict):
        return []
    named = _NAMED.search(text[max(0, item.start - _LOOKED_AT) : item.start])
    return [_Written(named["name"], item.value)] if named else []


def _may_be(call: _Written) -> bool:
    """Whether this can be the call of a tool, though there is none of that name."""
    try:
        arguments_of(call.arguments, call.name)
    except ValueError:
        return False
    return True


def _calls(value: Json, tools: Sequence[str]) -> list[_Written]:
    """The calls a value stands for: itself, or a list of them."""
    if isinstance(value, list):
        listed = [_calls(item, tools) for item in value]
        return [call for calls in listed for call in calls] if all(listed) else []
    if not isinstance(value, Mapping):
        return []
    for holder in _HOLDERS:
        if holder in value:
            return _calls(value[holder], tools)
    inner = value.get("function")
    if isinstance(inner, Mapping):
        return _calls(inner, tools)
    action = value.get("action")
    named = (*_NAMES, "function", *(["action"] if action in tools else []))
    name = next((value[key] for key in named if key in value), None)
    arguments = next((key for key in _ARGUMENTS if key in value), None)
    others = [key for key in value if key not in (*named, *_ARGUMENTS, *_BESIDE)]
    if not isinstance(name, str) or arguments is None or others:
        return []
    return [_Written(name, value[arguments], str(value.get("id", "")))]


def _bad(message: str) -> Reading:
    return Reading(ok=False, kind="tool", message=message)
