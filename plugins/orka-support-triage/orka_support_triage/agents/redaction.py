"""`redaction`: what of a customer's texts was taken out, and nothing left that should have been.

The engine's filter has looked before anything was recorded; this agent counts what it put there,
looks once more, and takes out what the options add.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Literal

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.port.guard import Guard, masked, redacted
from orka.value import Json, copied
from orka_support_triage.find import heads
from orka_support_triage.looks import custom, guard_named, refusal
from orka_support_triage.options import Laid, laid, problem
from orka_support_triage.stage import Text, envelope, replaced, texts

# `[EMAIL_REDACTED]`, or `[EMAIL_1]` where the vault keeps the value.
PLACEHOLDER = re.compile(r"\[([A-Z][A-Z0-9_]{0,40})_(?:REDACTED|[0-9]{1,6})\]")


class RedactionOptions(Laid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`source` names the envelope (that of the last stage upstream). `redaction_level` says what is
    looked for: `minimal` leaves out addresses and names. `custom_patterns` are regular expressions,
    each a text or `{name, pattern}`."""

    source: str = ""
    redaction_level: Literal["strict", "moderate", "minimal"] = "strict"
    custom_patterns: tuple[str | dict[str, Json], ...] = ()


def _wanted(options: RedactionOptions) -> dict[str, Json]:
    return {
        "level": options.redaction_level,
        "custom": custom(options.custom_patterns, "CUSTOM"),
    }


def _check(options: RedactionOptions) -> str:
    return problem(options) or refusal("pii", _wanted(laid(options)))


def _shape(options: RedactionOptions) -> Shape:
    held = laid(options)
    own = held.custom_patterns or held.redaction_level != "strict"
    return Shape(
        reads=heads(held.source), guards=({"use": "pii", **_wanted(held)} if own else "pii",)
    )


@agent("redaction", config=RedactionOptions, shape=_shape, check=_check, version="1")
async def redaction(ctx: Context) -> Json:
    """Give the envelope without personal data, and what was taken out: by text, kind and match."""
    options = laid(ctx.config)
    known = copied(envelope(ctx, options.source))
    guard = guard_named("pii", _wanted(options))
    done: dict[str, list[Json]] = {}
    for text in texts(known):
        done.setdefault(text.kind, []).append(_redacted(known, text, guard))
    total = sum(each["total"] for group in done.values() for each in group)
    await ctx.note("triage.redactions", f"{total} redactions", _by_kind(done))
    message = done.get("message", [{}])[0]
    return {
        "message_redaction": {
            "redacted_text": message.get("redacted_text", ""),
            "redactions": message.get("redactions", []),
            "pii_detected": bool(message.get("total")),
        },
        "subject_redaction": done.get("subject", [None])[0],
        "thread_redactions": done.get("thread", []),
        "attachment_redactions": done.get("attachment", []),
        "field_redactions": done.get("field", []),
        "counts": _by_kind(done),
        "total_pii_found": total,
        "envelope": known,
    }


def _redacted(known: dict[str, Json], text: Text, guard: Guard) -> dict[str, Json]:
    """Redact one text where it stands, and say what is gone from it."""
    found = guard.screen(text.text).findings
    kept = masked(text.text, found, redacted)
    if kept != text.text:
        replaced(known, text.path, kept)
    counts = Counter(match.group(1).lower() for match in PLACEHOLDER.finditer(kept))
    return {
        "where": ".".join(map(str, text.path)),
        "redacted_text": kept,
        "redactions": [{"type": kind, "count": counts[kind]} for kind in sorted(counts)],
        "total": counts.total(),
    }


def _by_kind(done: Mapping[str, list[Json]]) -> dict[str, Json]:
    counts: Counter[str] = Counter()
    for group in done.values():
        for each in group:
            counts.update({one["type"]: one["count"] for one in each["redactions"]})
    return dict(sorted(counts.items()))
