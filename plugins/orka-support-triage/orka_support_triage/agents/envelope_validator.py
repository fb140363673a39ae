"""`envelope_validator`: is this an envelope, and is all of it within its limits?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json
from orka_support_triage.find import heads, referred
from orka_support_triage.options import Laid, laid, problem
from orka_support_triage.schema.envelope import InputEnvelope
from orka_support_triage.schema.reading import Violation, builtins, read
from orka_support_triage.schema.words import (
    ATTACHMENT_LIMIT,
    MESSAGE_LIMIT,
    SUBJECT_LIMIT,
    THREAD_LIMIT,
)
from orka_support_triage.stage import given

_HOUR = 3600.0


class EnvelopeOptions(Laid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`source` names what is read (the input). With `strict` unknown fields, and what is beyond a
    limit, make it invalid; else they are warnings. `on_invalid: fail` fails the agent."""

    source: str = ""
    strict: bool = True
    max_message_length: int = MESSAGE_LIMIT
    context_freshness_hours: float = 24
    on_invalid: Literal["report", "fail"] = "report"


def _shape(options: EnvelopeOptions) -> Shape:
    return Shape(reads=heads(laid(options).source), guards=("pii",))


@agent("envelope_validator", config=EnvelopeOptions, shape=_shape, check=problem, version="1")
async def envelope_validator(ctx: Context) -> Json:
    """Give `{valid, violations, warnings, envelope}`; without a valid one also `error`."""
    options = laid(ctx.config)
    value = referred(ctx, options.source) if options.source else given(ctx)
    envelope, broken, passed = _read(value, options)
    warnings = list(passed)
    if envelope is not None:
        warnings += _aged(envelope, options, ctx.now())
        warnings += _doubted(value)
        beyond = list(_beyond(envelope, options))
        (broken if options.strict else warnings).extend(beyond)
    if broken:
        return await _invalid(ctx, options, broken, warnings)
    known: Json = builtins(_untrusted(envelope)) if envelope is not None else None
    return {"valid": True, "violations": [], "warnings": builtins(warnings), "envelope": known}


def _read(
    value: Json, options: EnvelopeOptions
) -> tuple[InputEnvelope | None, list[Violation], list[Violation]]:
    if not isinstance(value, dict):
        kind = "text that is no JSON" if isinstance(value, str) else type(value).__name__
        return None, [Violation("json", "", f"is {kind}, not a map")], []
    return read(value, InputEnvelope, strict=options.strict)


async def _invalid(
    ctx: Context, options: EnvelopeOptions, broken: list[Violation], warnings: list[Violation]
) -> Json:
    first = f"{broken[0].where or 'the envelope'} {broken[0].message}"
    more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
    error = f"the envelope is not valid: {first}{more}"
    await ctx.note("triage.invalid_envelope", error, builtins(broken))
    if options.on_invalid == "fail":
        raise AgentError(
            error,
            where=f"node {ctx.node!r}",
            fix="correct the envelope; `python -m orka_support_triage schema` prints what it is",
            code="triage.invalid_envelope",
        )
    told: dict[str, Json] = {"valid": False, "error": error, "violations": builtins(broken)}
    return told | {"warnings": builtins(warnings), "envelope": None}


def _beyond(envelope: InputEnvelope, options: EnvelopeOptions) -> Iterator[Violation]:
    case = envelope.case
    sizes = [
        ("case.customer_message.text", case.customer_message.text, options.max_message_length),
        ("case.subject", case.subject, SUBJECT_LIMIT),
    ]
    for at, said in enumerate(case.thread_history):
        sizes.append((f"case.thread_history[{at}].text", said.text, options.max_message_length))
    for at, each in enumerate(case.attachments):
        sizes.append((f"case.attachments[{at}].text", each.text, options.max_message_length))
    for where, text, limit in sizes:
        if len(text) > limit:
            told = f"has {len(text)} characters, more than the {limit} that it may have"
            yield Violation("too_long", where, told)
    if len(case.attachments) > ATTACHMENT_LIMIT:
        told = f"has {len(case.attachments)} items, more than {ATTACHMENT_LIMIT}"
        yield Violation("too_many", "case.attachments", told)
    if not case.customer_message.text.strip():
        yield Violation("empty", "case.customer_message.text", "is empty")


def _aged(envelope: InputEnvelope, options: EnvelopeOptions, now: float) -> Iterator[Violation]:
    """What was last updated too long ago, or after now; and threads that are very long."""
    context = envelope.context
    known = {"customer_profile": context.customer_profile, "entitlements": context.entitlements}
    limit = options.context_freshness_hours
    for name, part in known.items():
        at = part.last_updated_at if part else None
        if at is not None and now - at.timestamp() > limit * _HOUR:
            told = f"was last updated more than {limit:g} hours ago"
            yield Violation("stale", f"context.{name}", told)
    if len(envelope.case.thread_history) > THREAD_LIMIT:
        told = f"has more than {THREAD_LIMIT} messages"
        yield Violation("long_thread", "case.thread_history", told)


def _doubted(value: dict[str, Json]) -> Iterator[Violation]:
    """A customer's text that calls itself trusted."""
    case = value["case"]
    places = {"case.customer_message": case["customer_message"]}
    for name in ("attachments", "thread_history"):
        places |= {f"case.{name}[{at}]": item for at, item in enumerate(case.get(name) or ())}
    for where, item in places.items():
        if item.get("trust") == "trusted":
            yield Violation("untrusted", f"{where}.trust", "is taken as untrusted")


def _untrusted(envelope: InputEnvelope) -> InputEnvelope:
    change = msgspec.structs.replace
    case = envelope.case
    doubted = change(
        case,
        customer_message=change(case.customer_message, trust="untrusted"),
        attachments=tuple(change(each, trust="untrusted") for each in case.attachments),
        thread_history=tuple(change(each, trust="untrusted") for each in case.thread_history),
    )
    return change(envelope, case=doubted)
