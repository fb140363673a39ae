"""What is recorded on the way: calls of tools, their results, decisions, events."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.value import Json
from orka_support_triage.schema.words import CallStatus, Moment, Trust


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a record."""


class PermissionCheck(_Part, frozen=True, kw_only=True):
    result: Literal["allowed", "denied", "rate_limited"]
    policy_id: str
    reason: str = ""


class ToolCall(_Part, frozen=True, kw_only=True):
    tool_call_id: str
    request_id: str
    tool_name: str
    idempotency_key: str
    args: dict[str, Json]
    permission_check: PermissionCheck | None = None
    started_at: Moment | None = None
    finished_at: Moment | None = None
    status: CallStatus = "ok"
    error: str | None = None
    result_ref: str | None = None
    latency_ms: float | None = None


class Item(_Part, frozen=True, kw_only=True):
    """One thing that was found; `id` is what a citation names."""

    id: str
    title: str
    snippet: str
    source: str
    url: str = ""
    last_updated_at: str = ""
    metadata: dict[str, Json] = {}


class ToolResult(_Part, frozen=True, kw_only=True):
    result_id: str
    tool_name: str
    tool_call_id: str = ""
    trust: Trust = "trusted"
    created_at: Moment | None = None
    items: tuple[Item, ...] = ()
    raw_response: Json = None


class Reason(_Part, frozen=True, kw_only=True):
    claim: str
    evidence_refs: tuple[str, ...] = ()


class DecisionRisks(_Part, frozen=True, kw_only=True):
    """None: nobody has looked."""

    prompt_injection_detected: bool | None = None
    pii_risk: bool | None = None
    financial_risk: bool | None = None
    compliance_risk: bool | None = None
    custom_risks: tuple[str, ...] = ()


class Decision(_Part, frozen=True, kw_only=True):
    """`confidence` in [0, 1], None if nobody knows it."""

    decision_id: str
    request_id: str
    type: Literal["routing", "classification", "action", "escalation"]
    chosen_path: str
    confidence: float | None = None
    reasons: tuple[Reason, ...] = ()
    risks: DecisionRisks = DecisionRisks()
    created_at: Moment | None = None
    model_id: str = ""


class Write(_Part, frozen=True, kw_only=True):
    path: str
    op: Literal["replace", "append", "merge"]


class TraceEvent(_Part, frozen=True, kw_only=True):
    """An event as OrKa 0.9 named them. Here OrKa's own trace takes their place; the type is for
    readers of old files."""

    event_id: str
    request_id: str
    node_id: str
    event_type: Literal[
        "node_started",
        "node_completed",
        "node_failed",
        "tool_call_started",
        "tool_call_completed",
        "tool_call_failed",
        "decision_made",
        "human_gate_requested",
        "human_gate_approved",
        "human_gate_rejected",
        "validation_passed",
        "validation_failed",
    ]
    status: Literal["ok", "error", "warning"] = "ok"
    timing_ms: float | None = None
    inputs_hash: str = ""
    outputs_hash: str = ""
    writes: tuple[Write, ...] = ()
    created_at: Moment | None = None
    metadata: dict[str, Json] = {}
