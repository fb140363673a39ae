"""The envelope on its way through the stages that check, redact and fence it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.agent.context import Context
from orka.agent.view import MISSING, field
from orka.errors import AgentError
from orka.value import Json, parse
from orka_support_triage.find import of_type, referred

# The stages, the last one first: what a later one gives stands for what the earlier ones gave.
STAGES = ("trust_boundary", "redaction", "envelope_validator")


def given(ctx: Context) -> Json:
    """The workflow's input: a map, the JSON text of one, or a map with one of them as `input`."""
    value = ctx.input
    if isinstance(value, Mapping) and "request_id" not in value and "input" in value:
        value = value["input"]
    if isinstance(value, str):
        try:
            return parse(value)
        except ValueError:
            return value
    return value


def envelope(ctx: Context, source: str) -> dict[str, Json]:
    """The envelope that an agent works on: of the output that `source` names, else of the last
    stage upstream, else the input. Raises `AgentError` if there is none, or if it was not valid."""
    if not source:
        source = of_type(ctx, *(kind for kind in STAGES))
    value = referred(ctx, source) if source else given(ctx)
    inner = field(value, "envelope")
    found = value if inner is MISSING else inner
    if isinstance(found, Mapping) and isinstance(found.get("case"), Mapping):
        return dict(found)
    raise AgentError(
        f"{ctx.node!r} has no envelope to work on{_because(value)}",
        where=f"node {ctx.node!r}",
        fix="route invalid envelopes elsewhere, or set `on_invalid: fail` at the validator",
        code="triage.no_envelope",
    )


def _because(value: Json) -> str:
    told = value.get("violations") if isinstance(value, Mapping) else None
    if not isinstance(told, list) or not told:
        return ""
    first = [f"{each['where'] or 'it'}: {each['message']}" for each in told[:3]]
    more = f", and {len(told) - 3} more" if len(told) > 3 else ""
    return f": it was not valid ({'; '.join(first)}{more})"


class Text(msgspec.Struct, frozen=True):
    """One text of a customer and where it stands: `case.attachments[0].text`. `kind` is message,
    subject, thread, attachment or field."""

    kind: str
    path: tuple[str | int, ...]
    text: str


def texts(envelope: Mapping[str, Json]) -> list[Text]:
    """All texts of an envelope that the customer, or a machine in the customer's name, wrote."""
    case = envelope.get("case", {})
    found = [
        Text("subject", ("case", "subject"), case.get("subject", "")),
        Text(
            "message",
            ("case", "customer_message", "text"),
            (case.get("customer_message") or {}).get("text", ""),
        ),
    ]
    for at, said in enumerate(case.get("thread_history") or ()):
        found.append(Text("thread", ("case", "thread_history", at, "text"), said.get("text", "")))
    for at, each in enumerate(case.get("attachments") or ()):
        for name in ("filename", "text"):
            path = ("case", "attachments", at, name)
            found.append(Text("attachment", path, each.get(name) or ""))
    context = envelope.get("context") or {}
    profile = context.get("customer_profile") or {}
    where = ("context", "customer_profile", "custom_fields")
    found += _inside("field", where, profile.get("custom_fields"))
    found += _inside("field", ("context", "extra"), context.get("extra"))
    return [each for each in found if isinstance(each.text, str) and each.text]


def _inside(kind: str, path: tuple[str | int, ...], value: Json) -> list[Text]:
    if isinstance(value, str):
        return [Text(kind, path, value)]
    if isinstance(value, Mapping):
        return [text for key, item in value.items() for text in _inside(kind, (*path, key), item)]
    if isinstance(value, list):
        return [text for at, item in enumerate(value) for text in _inside(kind, (*path, at), item)]
    return []


def replaced(envelope: Mapping[str, Json], path: tuple[str | int, ...], text: str) -> None:
    """Put `text` at a place of an envelope that is the agent's own copy."""
    owner: Json = envelope
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = text
