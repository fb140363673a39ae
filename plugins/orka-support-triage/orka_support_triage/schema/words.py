"""The words that may stand in an envelope, and the limits of what it holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec

# A time that says where it holds.
Moment: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
Trust: TypeAlias = Literal["trusted", "untrusted"]
Channel: TypeAlias = Literal["email", "zendesk", "intercom", "jira", "slack", "api"]
RiskLevel: TypeAlias = Literal["low", "medium", "high", "critical"]
Priority: TypeAlias = Literal["low", "normal", "high", "urgent"]
Tone: TypeAlias = Literal["professional", "friendly", "formal", "empathetic"]
# What a plan may propose. `issue_refund` is the one that moves money.
ActionType: TypeAlias = Literal[
    "draft_reply",
    "request_more_info",
    "escalate",
    "tag_ticket",
    "set_priority",
    "assign_agent",
    "close_ticket",
    "issue_refund",
]
CallStatus: TypeAlias = Literal["ok", "error", "timeout", "permission_denied", "rate_limited"]

RISK_LEVELS: tuple[str, ...] = get_args(RiskLevel)
ACTION_TYPES: tuple[str, ...] = get_args(ActionType)

# Characters, except where it says otherwise.
MESSAGE_LIMIT = 50_000
SUBJECT_LIMIT = 500
ATTACHMENT_LIMIT = 20  # attachments
THREAD_LIMIT = 100  # messages; more is a warning
