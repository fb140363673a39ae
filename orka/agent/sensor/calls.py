"""Calls of tools that a model wrote as JSON into its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orka.agent.sensor.broken import Broken
from orka.agent.sensor.contract import Contract
from orka.agent.sensor.fragments import Found, whole
from orka.agent.sensor.reading import Reading, Repair, ToolCall
from orka.errors import nearest
from orka.value import Json

_NAMES = ("name", "tool", "tool_name", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "params")
_BESIDE = ("id", "type", "call_id", "index")


def calls_in(
    found: Sequence[Found], tools: Sequence[str], contract: Contract | None, now: float | None
) -> Reading | None:
    """The calls among `found`; a violation for a tool that does not exist; None without a call.

    A value that keeps the contract and names no tool is an answer, whatever it looks like.
    """
    if not tools:
        return None
    calls: list[ToolCall] = []
    repairs: list[Repair] = []
    unknown: list[ToolCall] = []
    for item in found:
        fits = contract is not None and not contract.judge(item.value, now).problems
        try:
            here = _calls(item.value)
        except ValueError as error:
            return _bad(str(error))
        known = [call for call in here if call.name in tools]
        calls += known
        repairs += item.repairs if known else ()
        unknown += [call for call in here if call.name not in tools and not fits]
    if unknown:
        return unknown_tool(unknown[0].name, tools)
    return Reading(tool_calls=tuple(calls), repairs=tuple(repairs)) if calls else None


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


def _calls(value: Json) -> list[ToolCall]:
    """The calls a value stands for: itself, or a list of them."""
    if isinstance(value, list):
        listed = [_calls(item) for item in value]
        return [call for calls in listed for call in calls] if all(listed) else []
    if not isinstance(value, Mapping):
        return []
    for holder in ("tool_calls", "tool_call", "function_call"):
        if holder in value:
            return _calls(value[holder])
    inner = value.get("function")
    if isinstance(inner, Mapping):
        return _calls(inner)
    name = next((value[key] for key in (*_NAMES, "function") if key in value), None)
    arguments = next((key for key in _ARGUMENTS if key in value), None)
    others = [key for key in value if key not in (*_NAMES, *_ARGUMENTS, *_BESIDE, "function")]
    if not isinstance(name, str) or arguments is None or others:
        return []
    return [ToolCall(name, arguments_of(value[arguments], name), str(value.get("id", "")))]


def _bad(message: str) -> Reading:
    return Reading(ok=False, kind="tool", message=message)
