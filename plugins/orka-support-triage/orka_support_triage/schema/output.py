"""`OutputEnvelope`: what is proposed for a ticket, and by what evidence."""

from __future__ import annotations

import msgspec

from orka.value import Json
from orka_support_triage.schema.record import Decision
from orka_support_triage.schema.words import ActionType, Moment, Priority, RiskLevel, Tone


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of an output."""


class Risk(_Part, frozen=True, kw_only=True):
    overall: RiskLevel
    reasons: tuple[str, ...]


class Classification(_Part, frozen=True, kw_only=True):
    intent: str
    category: str
    priority: Priority
    sub_intents: tuple[str, ...] = ()


class PlannedAction(_Part, frozen=True, kw_only=True):
    """`details` is a sentence, or what the tool of the action is given."""

    action: ActionType
    details: str | dict[str, Json]
    requires_human_approval: bool = True
    risk_level: RiskLevel = "low"
    preconditions: tuple[str, ...] = ()


class Reply(_Part, frozen=True, kw_only=True):
    subject: str
    body: str
    tone: Tone = "professional"
    language: str = "en"


class Citation(_Part, frozen=True, kw_only=True):
    """`quote` stands word for word in the item `item_id` of the tool result."""

    claim: str
    tool_result_id: str
    item_id: str
    quote: str = ""


class OutputEnvelope(_Part, frozen=True, kw_only=True):
    request_id: str
    risk: Risk
    classification: Classification
    action_plan: tuple[PlannedAction, ...]
    reply: Reply
    citations: tuple[Citation, ...]
    decisions: tuple[Decision, ...] = ()
    created_at: Moment | None = None
    model_versions: dict[str, str] = {}
