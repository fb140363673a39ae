"""The trace in the words of the cases: their names of events and of what stands in them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from cases.faults import names
from cases.language import Fields, NotUnderstood
from cases.observed import Observed, same
from orka.event.event import Event
from orka.value import Json

# Their name of an event -> ours, and what tells it from others of that name.
_NAMES: dict[str, tuple[str, dict[str, Json]]] = {
    "schema_violation": ("violation", {}),
    "branch_skipped": ("node_skipped", {}),
    "step_started": ("node_started", {}),
    "step_finished": ("node_finished", {}),
    "step_failed": ("node_failed", {}),
    "agent_started": ("node_started", {}),
    "agent_finished": ("node_finished", {}),
    "agent_failed": ("node_failed", {}),
    "llm_call": ("effect_requested", {"kind": "llm"}),
    "model_call": ("effect_requested", {"kind": "llm"}),
    "tool_call": ("effect_requested", {"kind": "tool"}),
    "approval_requested": ("effect_requested", {"kind": "ask"}),
    "run_cancelled": ("run_finished", {"status": "cancelled"}),
    "run_failed": ("run_finished", {"status": "failed"}),
    "run_completed": ("run_finished", {"status": "completed"}),
    "timeout": ("effect_answered", {}),
    "retry": ("effect_requested", {}),
    "failover": ("noted", {"kind": "failover"}),
}
OURS = {
    "run_started", "run_resumed", "effect_answered", "deadline_passed", "cancel_asked",
    "scope_opened", "node_started", "node_skipped", "effect_requested", "violation", "noted",
    "node_finished", "node_failed", "node_stopped", "node_reopened", "scope_closed",
    "run_finished",
}  # fmt: skip
_FIELDS = {"agent": "node", "step": "node", "output": "value", "error": "failure"}


def contains(observed: Observed, expected: Json) -> None:
    """`{event, names, …}`: some event of that name holds these words and these values."""
    assert any(is_like(event, expected) for event in observed.recorded.events), (
        f"no event like {expected!r} in the trace"
    )


def is_like(event: Event, expected: Json) -> bool:
    """Whether an event is of the name, names the words and has the values that are expected."""
    data: Mapping[str, Json] = msgspec.to_builtins(event)
    with Fields(expected, "event") as fields:
        name, words = str(fields.need("event")), fields.take("names", [])
        tag, given = _NAMES.get(name, (name, {}))
        if tag not in OURS:
            raise NotUnderstood(f"no event is called {name!r}")
        wanted = {**given, **dict(fields.rest())}
    if data["type"] != tag or (name == "retry" and not data.get("retried")):
        return False
    if not all(same(_field(data, key, tag), value) for key, value in wanted.items()):
        return False
    text = json.dumps(data, ensure_ascii=False)
    return all(names(text, str(word)) for word in words)


def _field(data: Mapping[str, Json], key: str, tag: str) -> Json:
    known = event_fields(tag)
    name = key if key in known else _FIELDS.get(key, key)
    if name not in known:
        raise NotUnderstood(f"an event {tag!r} has no {key!r}")
    return data.get(name)


def event_fields(tag: str) -> set[str]:
    """The fields of our event of that tag."""
    union = msgspec.inspect.type_info(Event)
    assert isinstance(union, msgspec.inspect.UnionType)
    for kind in union.types:
        if isinstance(kind, msgspec.inspect.StructType) and kind.tag == tag:
            return {field.encode_name for field in kind.fields}
    raise NotUnderstood(f"no event is called {tag!r}")
