"""`output_verification`: is what was drafted an answer to this ticket, founded on what was found,
and free of what must not go out?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import AgentError
from orka.value import Json
from orka_support_triage.citing import results_in, unfounded
from orka_support_triage.find import heads, referred, with_fields
from orka_support_triage.looks import guard_named, refusal
from orka_support_triage.options import Laid, laid, problem
from orka_support_triage.schema.output import OutputEnvelope
from orka_support_triage.schema.reading import Violation, builtins, read
from orka_support_triage.stage import envelope

DRAFT = ("action_plan", "reply")
# What no customer is sent: a placeholder that nobody can undo, or the mark of a fence.
_LEFT_OVER = re.compile(
    r"\[[A-Z][A-Z0-9_]{0,40}_REDACTED\]|</?untrusted-data\b|<\|[^|<>\n]{1,40}\|>"
)
_LEAKS: dict[str, Json] = {"kinds": ["SECRET", "CREDIT_CARD", "IBAN", "NATIONAL_ID"]}


class VerificationOptions(Laid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`source` names the draft (the only output upstream with an `action_plan` and a `reply`),
    `envelope` the envelope, `results` the outputs with tool results (all upstream).
    `require_citations`: that there is one (what the envelope wants). Without `strict_schema`
    unknown fields are warnings. `on_violation: fail` fails the agent."""

    source: str = ""
    envelope: str = ""
    results: tuple[str, ...] = ()
    require_citations: bool | None = None
    strict_schema: bool = True
    on_violation: Literal["report", "fail"] = "report"


def _check(options: VerificationOptions) -> str:
    return problem(options) or refusal("pii", _LEAKS)


def _shape(options: VerificationOptions) -> Shape:
    known = laid(options)
    return Shape(reads=heads(known.source, known.envelope, *known.results))


@agent("output_verification", config=VerificationOptions, shape=_shape, check=_check, version="1")
async def output_verification(ctx: Context) -> Json:
    """Give `{valid, violations, warnings, output}`; what is not valid also has an `error`."""
    options = laid(ctx.config)
    known = envelope(ctx, options.envelope)
    draft = referred(ctx, options.source) if options.source else _draft(ctx)
    output, broken, warnings = read(draft, OutputEnvelope, strict=options.strict_schema)
    broken += _against(draft, known)
    broken += _leaks(draft)
    broken += _citations(ctx, options, known, draft)
    told: dict[str, Json] = {
        "valid": not broken,
        "violations": builtins(broken),
        "warnings": builtins(warnings),
        "output": draft if output is None else builtins(output),
    }
    if not broken:
        return told
    first = f"{broken[0].where or 'the draft'} {broken[0].message}"
    more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
    error = f"the draft is not valid: {first}{more}"
    await ctx.note("triage.invalid_output", error, builtins(broken))
    if options.on_violation == "fail":
        raise AgentError(error, where=f"node {ctx.node!r}", code="triage.invalid_output")
    return told | {"error": error}


def _draft(ctx: Context) -> Json:
    return with_fields(ctx, DRAFT, "a draft")


def _part(value: Json, *path: str) -> Json:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _against(draft: Json, known: Mapping[str, Json]) -> Iterator[Violation]:
    """What the schema cannot say: it is about this request, and nothing that matters is empty."""
    request = _part(draft, "request_id")
    if request is not None and request != known.get("request_id"):
        told = f"is {str(request)[:80]!r}, and the ticket's is {known.get('request_id')!r}"
        yield Violation("request_id", "request_id", told)
    for path in (
        ("risk", "reasons"),
        ("classification", "intent"),
        ("action_plan",),
        ("reply", "subject"),
        ("reply", "body"),
    ):
        value = _part(draft, *path)
        if value in ("", [], ()) or (isinstance(value, str) and not value.strip()):
            yield Violation("empty", ".".join(path), "is empty")


def _leaks(draft: Json) -> Iterator[Violation]:
    guard = guard_named("pii", _LEAKS)
    for name in ("subject", "body"):
        text = _part(draft, "reply", name)
        if not isinstance(text, str):
            continue
        where = f"reply.{name}"
        for found in _LEFT_OVER.finditer(text):
            yield Violation("placeholder", where, f"holds {found.group()[:60]!r}")
        for each in guard.screen(text).findings:
            yield Violation("leak", where, f"holds a {each.kind.lower()}")


def _citations(
    ctx: Context, options: VerificationOptions, known: Mapping[str, Json], draft: Json
) -> Iterator[Violation]:
    wanted = options.require_citations
    if wanted is None:
        wanted = (known.get("desired_output") or {}).get("require_citations", True)
    cited = _part(draft, "citations")
    citations = [each for each in cited if isinstance(each, Mapping)] if _list(cited) else []
    if wanted and not citations:
        yield Violation("citations", "citations", "is empty, and citations are required")
    sources = [referred(ctx, each) for each in options.results] or list(ctx.outputs.values())
    yield from unfounded(citations, results_in(sources))


def _list(value: Json) -> bool:
    return isinstance(value, list)
