"""`InputEnvelope`: one ticket with all that may be known of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.value import Json
from orka_support_triage.schema.words import ActionType, Channel, Moment, Priority, Trust


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of an envelope: a field that nobody knows is an error."""


class Tenant(_Part, frozen=True, kw_only=True):
    id: str
    environment: Literal["prod", "staging", "dev"] = "prod"


class Task(_Part, frozen=True, kw_only=True):
    type: Literal["support_ticket", "incident", "feature_request"] = "support_ticket"
    goal: Literal["draft_reply_and_plan", "classify_only", "full_resolution"] = (
        "draft_reply_and_plan"
    )
    locale: str = "en-US"
    priority_hint: Priority = "normal"


class Said(_Part, frozen=True, kw_only=True):
    """What a customer wrote. It is untrusted, whatever the envelope says."""

    text: str
    source: str
    trust: Trust = "untrusted"
    received_at: Moment | None = None


class Attachment(_Part, frozen=True, kw_only=True):
    """`text` is what was read out of it, if anything was."""

    id: str
    content_type: str
    source: str
    trust: Trust = "untrusted"
    filename: str = ""
    size_bytes: int | None = None
    text: str = ""


class Case(_Part, frozen=True, kw_only=True):
    ticket_id: str
    channel: Channel
    subject: str
    customer_message: Said
    attachments: tuple[Attachment, ...] = ()
    thread_history: tuple[Said, ...] = ()


class CustomerProfile(_Part, frozen=True, kw_only=True):
    customer_id: str
    plan: str
    region: str
    source: str = "crm"
    trust: Trust = "trusted"
    last_updated_at: Moment | None = None
    custom_fields: dict[str, Json] = {}


class Entitlements(_Part, frozen=True, kw_only=True):
    refund_allowed: bool = False
    max_refund_amount_eur: float = 0
    source: str = "billing"
    trust: Trust = "trusted"
    last_updated_at: Moment | None = None
    features: tuple[str, ...] = ()


class Background(_Part, frozen=True, kw_only=True):
    customer_profile: CustomerProfile | None = None
    entitlements: Entitlements = Entitlements()
    extra: dict[str, Json] = {}


class RetrievalHandle(_Part, frozen=True, kw_only=True):
    id: str
    tool: str
    query: str
    trust: Trust = "trusted"
    created_at: Moment | None = None


class ResultReference(_Part, frozen=True, kw_only=True):
    result_id: str
    tool_call_id: str


class Evidence(_Part, frozen=True, kw_only=True):
    retrieval_handles: tuple[RetrievalHandle, ...] = ()
    tool_results: tuple[ResultReference, ...] = ()


class Privacy(_Part, frozen=True, kw_only=True):
    pii_redacted: bool = True
    redaction_level: Literal["strict", "moderate", "minimal"] = "strict"


class TokenBudgets(_Part, frozen=True, kw_only=True):
    max_input_tokens: int = 8000
    max_output_tokens: int = 1200


class Constraints(_Part, frozen=True, kw_only=True):
    policy_id: str = "default_policy_v1"
    privacy: Privacy = Privacy()
    token_budgets: TokenBudgets = TokenBudgets()
    max_latency_ms: int = 30_000


class Permissions(_Part, frozen=True, kw_only=True):
    """What may be done is one of the known actions. What may not be done is any name: to block what
    does not exist is harmless."""

    allowed_actions: tuple[ActionType, ...] = ("draft_reply", "request_more_info", "escalate")
    blocked_actions: tuple[str, ...] = ("close_ticket",)


class DesiredOutput(_Part, frozen=True, kw_only=True):
    format: Literal["json", "text", "markdown"] = "json"
    require_citations: bool = True


class InputEnvelope(_Part, frozen=True, kw_only=True):
    schema_version: Literal["1.0"] = "1.0"
    request_id: str
    tenant: Tenant
    task: Task = Task()
    case: Case
    context: Background = Background()
    evidence: Evidence = Evidence()
    constraints: Constraints = Constraints()
    permissions: Permissions = Permissions()
    desired_output: DesiredOutput = DesiredOutput()
    created_at: Moment | None = None
