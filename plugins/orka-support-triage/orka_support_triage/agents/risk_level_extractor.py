"""`risk_level_extractor`: one word for a router. What is no level goes the safe way, on record."""

from __future__ import annotations

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.view import MISSING, field, text_of
from orka.errors import AgentError
from orka.value import Json
from orka_support_triage.find import heads, referred, with_fields
from orka_support_triage.options import Laid, laid, problem
from orka_support_triage.schema.words import RISK_LEVELS, RiskLevel


class RiskOptions(Laid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`source` names the output that has the level at `field` (the only one upstream that has);
    `source_agent` is the older word. A value that is missing counts as `default`, one that is no
    level as `on_invalid`."""

    source: str = ""
    source_agent: str = ""
    field: str = "overall_risk"
    default: RiskLevel = "high"
    on_invalid: RiskLevel = "high"


def _shape(options: RiskOptions) -> Shape:
    known = laid(options)
    reads = heads(known.source or known.source_agent)
    return Shape(reads=reads, output={"enum": list(RISK_LEVELS)})


def _check(options: RiskOptions) -> str:
    told = problem(options)
    known = options if told else laid(options)
    if not told and known.source and known.source_agent:
        return "`source` and `source_agent` say the same: give one of them"
    return told


@agent("risk_level_extractor", config=RiskOptions, shape=_shape, check=_check, version="1")
async def risk_level_extractor(ctx: Context) -> Json:
    """Give low, medium, high or critical."""
    options = laid(ctx.config)
    value = _level(ctx, options)
    if value is MISSING or value is None:
        told = f"no risk level at {options.field!r}: it counts as {options.default}"
        await ctx.note("triage.risk_missing", told)
        return options.default
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in RISK_LEVELS:
        return word
    await ctx.violation(
        kind="risk_level",
        message=f"no risk level: it counts as {options.on_invalid}",
        raw=text_of(value)[:200],
        where=options.field,
    )
    return options.on_invalid


def _level(ctx: Context, options: RiskOptions) -> Json:
    source = options.source or options.source_agent
    try:
        value = referred(ctx, source) if source else _only(ctx, options.field)
    except AgentError as error:
        if error.code not in ("triage.reference", "triage.no_source"):
            raise
        return MISSING
    for step in options.field.split("."):
        value = field(value, step)
        if value is MISSING:
            return MISSING
    return value


def _only(ctx: Context, path: str) -> Json:
    """The only output that has the first step of the path."""
    return with_fields(ctx, path.split(".")[:1], f"a risk level at {path!r}")
