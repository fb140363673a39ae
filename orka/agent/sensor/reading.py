"""What was read out of an answer: a value that keeps its contract, or what is wrong with it."""

from __future__ import annotations

import msgspec

from orka.value import Json


class Repair(msgspec.Struct, frozen=True):
    """One change that was made to an answer: by which `rule`, the text or value `before` and
    `after`, and `where` (an offset in the text, or a dotted path)."""

    rule: str
    before: Json
    after: Json
    where: str = ""


class ToolCall(msgspec.Struct, frozen=True):
    """A tool that the answer asks for, written as JSON in the text or given by the provider."""

    name: str
    arguments: dict[str, Json]
    id: str = ""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """`value` if `ok`; else the `kind` of the breach, the `message` and `where` it is.

    `partial` is what there is of an answer that was cut (never a value); `extra` are objects of the
    text that were passed over; `tool_calls` are tools the answer asks for in place of a value.
    Kinds: empty, truncated, unterminated_reasoning, syntax, non_finite_number, duplicate_key,
    ambiguous, too_deep, too_large, schema, confidence, stale, choice, tool.
    """

    value: Json = None
    ok: bool = True
    kind: str = ""
    message: str = ""
    where: str = ""
    repairs: tuple[Repair, ...] = ()
    partial: Json = None
    extra: tuple[Json, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
