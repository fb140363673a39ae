"""`memory`: keeps a text in a namespace, or looks for what was kept there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

import msgspec

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.view import text_of
from orka.errors import AgentError
from orka.value import Json

STORED = "stored"
LIMIT = 10
SHORT_HOURS, LONG_HOURS, HALF_LIFE_HOURS = 1.0, 24.0, 24.0
HOUR = 3600.0
_SPAN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([smhd])\s*")
_SECONDS = {"s": 1.0, "m": 60.0, "h": HOUR, "d": 24 * HOUR}
# What acts only with an embedder, which a memory does not have yet.
_WAITING = (
    "enable_vector_search",
    "enable_hybrid_search",
    "enable_context_search",
    "vector_weight",
    "text_weight",
    "context_weight",
    "ef_runtime",
    "vector",
)

# What acts only in a write, or only in a read: beside `config`, and in it.
OF_WRITE = ("decay", "metadata", "key_template")
IN_WRITE = ("category", "memory_type", "importance", "ttl", "renew_on_read")
OF_READ = ("filters",)
IN_READ = (
    *("limit", "similarity_threshold", "memory_category_filter", "memory_type_filter"),
    *("enable_temporal_ranking", "temporal_weight", "temporal_decay_hours"),
)


class MemoryConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a read: `limit` to `temporal_decay_hours`. Of a write: `category` to `renew_on_read`.
    The rest acts only with an embedder."""

    limit: int | None = None
    similarity_threshold: float | None = None
    memory_category_filter: str | None = None
    memory_type_filter: str | None = None
    enable_temporal_ranking: bool | None = None
    temporal_weight: float | None = None
    temporal_decay_hours: float | None = None
    category: str = ""
    memory_type: Literal["", "short_term", "long_term"] = ""
    importance: float | None = None
    ttl: float | str | None = None
    renew_on_read: bool = False
    enable_vector_search: bool | None = None
    enable_hybrid_search: bool | None = None
    enable_context_search: bool | None = None
    vector_weight: float | None = None
    text_weight: float | None = None
    context_weight: float | None = None
    ef_runtime: int | None = None
    vector: bool | None = None


class Decay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long entries live. `short_term_hours` is the same as `default_short_term_hours`."""

    enabled: bool = True
    default_short_term_hours: float | None = None
    default_long_term_hours: float | None = None
    short_term_hours: float | None = None
    long_term_hours: float | None = None
    default_long_term: bool = False


class Preset(msgspec.Struct, frozen=True):
    """A kind of human memory: hours of short and long term, importance, and how it is read. None
    as `weight` leaves age out of the order."""

    short: float
    long: float
    importance: float
    limit: int
    threshold: float
    weight: float | None = None
    category: str = ""


PRESETS: Mapping[str, Preset] = {
    "sensory": Preset(0.25, 1, 0.1, 3, 0.95, 0.8),
    "working": Preset(2, 8, 0.3, 5, 0.7, 0.4),
    "episodic": Preset(24, 168, 0.5, 8, 0.6, 0.3),
    "semantic": Preset(72, 2160, 0.7, 10, 0.65, None, STORED),
    "procedural": Preset(168, 4320, 0.6, 6, 0.7, 0.1, STORED),
    "meta": Preset(48, 8760, 0.8, 4, 0.8, 0.2, STORED),
}


class MemoryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`prompt` is the query or the content; without it, the run's input. Namespace and user are
    exact. `filters` are metadata that must be equal."""

    operation: Literal["read", "write"] = "read"
    namespace: str = "default"
    user: str = ""
    prompt: str = ""
    key_template: str = ""
    metadata: dict[str, Json] = {}
    filters: dict[str, Json] = {}
    memory_preset: Literal[
        "", "sensory", "working", "episodic", "semantic", "procedural", "meta"
    ] = ""
    decay: Decay | None = None
    config: MemoryConfig = MemoryConfig()


def _check(options: MemoryOptions) -> str:
    config, decay = options.config, options.decay or Decay()
    shares = (config.similarity_threshold, config.temporal_weight, config.importance)
    if any(share is not None and not 0 <= share <= 1 for share in shares):
        return "`similarity_threshold`, `temporal_weight` and `importance` are between 0 and 1"
    if config.limit is not None and config.limit < 1:
        return "`limit` must be 1 or more"
    lives = (
        decay.short_term_hours,
        decay.default_short_term_hours,
        decay.long_term_hours,
        decay.default_long_term_hours,
        config.temporal_decay_hours,
        _span(config.ttl),
    )
    if any(life is not None and not 0 < life < float("inf") for life in lives):
        return "hours must be more than 0, and `ttl` seconds, or a text like '90s', '2h' or '7d'"
    return _misplaced(options)


def _misplaced(options: MemoryOptions) -> str:
    """What belongs to the other operation."""
    read = options.operation == "read"
    other, names, inner = ("write", OF_WRITE, IN_WRITE) if read else ("read", OF_READ, IN_READ)
    plain = MemoryOptions()
    wrong = [name for name in names if getattr(options, name) != getattr(plain, name)]
    wrong += [
        f"config.{name}"
        for name in inner
        if getattr(options.config, name) != getattr(plain.config, name)
    ]
    if not wrong:
        return ""
    told = ", ".join(f"`{name}`" for name in wrong)
    return f"{told}: only for `operation: {other}`, and this is a {options.operation}"


@agent(
    "memory",
    config=MemoryOptions,
    templates=("namespace", "user", "prompt", "key_template", "metadata", "filters"),
    check=_check,
    version="1",
)
async def memory(ctx: Context) -> Json:
    """Read from a memory, or write to it."""
    options: MemoryOptions = ctx.config
    if waiting := [name for name in _WAITING if getattr(options.config, name) is not None]:
        told = f"{', '.join(waiting)}: no effect, this memory has no embedder"
        await ctx.note("memory.no_embedder", told)
    text = ctx.render("prompt") if options.prompt else text_of(_given(ctx.input))
    place = {"namespace": ctx.render("namespace"), "user": ctx.render("user")}
    return await (_write if options.operation == "write" else _read)(ctx, text.strip(), place)


def _given(given: Json) -> Json:
    """The run's input; of a map with one, its `input`."""
    return given["input"] if isinstance(given, Mapping) and "input" in given else given


async def _read(ctx: Context, text: str, place: Mapping[str, str]) -> Json:
    config: MemoryConfig = ctx.config.config
    preset = PRESETS.get(ctx.config.memory_preset, Preset(0, 0, 0, LIMIT, 0.0))
    weight = _given_or(config.temporal_weight, preset.weight)
    if config.enable_temporal_ranking is False:
        weight = None
    elif config.enable_temporal_ranking and weight is None:
        weight = 0.1
    found = await ctx.memory(
        "search",
        **place,
        text=text,
        limit=_given_or(config.limit, preset.limit),
        threshold=_given_or(config.similarity_threshold, preset.threshold),
        category=_given_or(config.memory_category_filter, preset.category),
        memory_type=config.memory_type_filter or "",
        filters=ctx.render("filters"),
        recency=weight or 0.0,
        half_life=_given_or(config.temporal_decay_hours, HALF_LIFE_HOURS) * HOUR,
    )
    memories = [_memory(match, found["at"]) for match in found["found"]]
    return {
        "memories": memories,
        "query": text,
        "num_results": len(memories),
        "search_type": found["method"],
        "backend": found["backend"],
    }


async def _write(ctx: Context, text: str, place: Mapping[str, str]) -> Json:
    options: MemoryOptions = ctx.config
    if not text:
        raise AgentError(
            f"memory {ctx.node!r} has nothing to write: its prompt rendered to nothing",
            code="memory.empty",
            fix="see what its template reads; `when:` can skip the node",
        )
    config, preset = options.config, PRESETS.get(options.memory_preset)
    metadata = ctx.render("metadata")
    named = metadata.get("category")
    category = config.category or (named if isinstance(named, str) and named else STORED)
    kind = config.memory_type or _kind(options.decay, category)
    metadata = {**metadata, "category": category}
    written = await ctx.memory(
        "write",
        **place,
        content=text,
        key=ctx.render("key_template"),
        metadata=metadata,
        category=category,
        memory_type=kind,
        importance=_given_or(config.importance, preset.importance if preset else None),
        ttl=_life(options, preset, kind),
        renew_on_read=config.renew_on_read,
    )
    return {
        "status": "success",
        "outcome": written["status"],
        "memory_key": written["key"],
        "namespace": place["namespace"],
        "memory_type": kind,
        "content_length": len(text),
        "stored_metadata": metadata,
        "expires_at": written["expires_at"],
    }


def _kind(decay: Decay | None, category: str) -> str:
    long = (decay is not None and decay.default_long_term) or category == STORED
    return "long_term" if long else "short_term"


def _life(options: MemoryOptions, preset: Preset | None, kind: str) -> float | None:
    """Seconds an entry lives; None for ever, which is so unless something says otherwise."""
    if options.config.ttl is not None:
        return _span(options.config.ttl)
    decay = options.decay
    if (decay is None and preset is None) or (decay is not None and not decay.enabled):
        return None
    decay = decay or Decay()
    if kind == "long_term":
        own = _given_or(decay.long_term_hours, decay.default_long_term_hours)
        hours = _given_or(own, preset.long if preset else LONG_HOURS)
    else:
        own = _given_or(decay.short_term_hours, decay.default_short_term_hours)
        hours = _given_or(own, preset.short if preset else SHORT_HOURS)
    return float(hours) * HOUR


def _span(ttl: float | str | None) -> float | None:
    """Seconds; 0 for a text that says none."""
    if not isinstance(ttl, str):
        return ttl
    found = _SPAN.fullmatch(ttl)
    return float(found.group(1)) * _SECONDS[found.group(2)] if found else 0.0


def _given_or(value: Json, otherwise: Json) -> Json:
    return otherwise if value is None else value


def _memory(match: Mapping[str, Json], now: float) -> dict[str, Json]:
    entry = match["entry"]
    until = entry["expires_at"]
    return {
        "content": entry["content"],
        "metadata": entry["metadata"],
        "key": entry["key"],
        "score": match["score"],
        "similarity_score": match["score"],
        "node_id": entry["node"],
        "trace_id": entry["run"],
        "namespace": entry["namespace"],
        "memory_type": entry["memory_type"],
        "category": entry["category"],
        "importance_score": entry["importance"],
        "timestamp": entry["updated_at"],
        "expires_at": until,
        "has_expiry": until is not None,
        "ttl_seconds": None if until is None else round(until - now, 6),
        "ttl_formatted": "N/A" if until is None else _length(int(until - now)),
        "expires_at_formatted": "N/A" if until is None else _moment(until),
    }


def _length(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60}s"
    if seconds < 86_400:
        return f"{seconds // 3600}h {seconds % 3600 // 60}m"
    return f"{seconds // 86_400}d"


def _moment(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{at:.0f} s since 1970"
