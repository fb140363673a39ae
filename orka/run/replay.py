"""Replay: feed the recorded facts, re-make every decision, and insist on the same bytes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from orka.errors import Diverged
from orka.event.codec import Chain, decode
from orka.event.event import FACTS, Decided, EffectRequested, Event, Fact
from orka.graph.graph import Graph
from orka.run.scheduler import RULES, Scheduler
from orka.value import Json, canonical

_CHANGED = "did the workflow, a plugin or an agent's code change? `orka fork` runs the new one"

Blob = Callable[[str], bytes]


@dataclass(slots=True)
class Refolded:
    """A scheduler that stands where the trace ends. `unwritten` are the lines of decisions that a
    crash cut off, with their `blobs`; `last` is the clock of the last fact."""

    scheduler: Scheduler
    chain: Chain
    unwritten: list[bytes] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)


def refold(graph: Graph, lines: Sequence[bytes], blob: Blob) -> Refolded:
    """Replay `lines`. Raises `Diverged` at the first decision that is not the recorded one."""
    folded = Refolded(Scheduler(graph), Chain())
    whole = False
    try:
        _refold(folded, graph, lines, blob)
        whole = True
    finally:
        if not whole:
            folded.scheduler.close()
    return folded


def _refold(folded: Refolded, graph: Graph, lines: Sequence[bytes], blob: Blob) -> None:
    chain, blobs = folded.chain, folded.blobs
    while chain.seq < len(lines):
        fact = decode(lines[chain.seq], blob)
        if not isinstance(fact, FACTS):
            raise _unexpected(folded, fact)
        _check_rules(fact, graph)
        if not folded.scheduler.accepts(fact):
            raise _unexpected(folded, fact)
        first, events = chain.seq, folded.scheduler.learn(fact)
        made = chain.extend(events, blobs)
        if made == lines[first : chain.seq]:
            continue
        for seq, line in enumerate(made, first):
            if seq >= len(lines):
                folded.unwritten.append(line)
            elif line != lines[seq]:
                raise _diverged(lines, seq, events[seq - first], blob)


def _check_rules(fact: Fact, graph: Graph) -> None:
    rules = getattr(fact, "rules", RULES)
    if rules != RULES:
        raise Diverged(
            f"the run was decided by rules {rules}, this is rules {RULES}",
            seq=0,
            fix="replay it with the release of OrKa that recorded it",
        )


def _unexpected(folded: Refolded, event: Event) -> Diverged:
    return Diverged(
        f"event {folded.chain.seq} is {_words(event)}, but this graph decides nothing more here",
        seq=folded.chain.seq,
        fix=_CHANGED,
    )


def _diverged(lines: Sequence[bytes], seq: int, made: Event, blob: Blob) -> Diverged:
    recorded = decode(lines[seq], blob)
    nearest = ""
    if isinstance(made, EffectRequested):
        nearest = _nearest_request(lines, made, blob)
    if isinstance(made, Decided) and isinstance(recorded, Decided) and made.node == recorded.node:
        return _decided_otherwise(seq, recorded, made)
    return Diverged(
        f"event {seq} is {_words(recorded)}; this graph decides {_words(made)}{nearest}",
        seq=seq,
        where=f"event {seq}",
        fix=_CHANGED,
    )


def _decided_otherwise(seq: int, recorded: Decided, made: Decided) -> Diverged:
    """A decision comes out differently: the first part of it that does."""
    path, then, now = _part(recorded.value, made.value)
    return Diverged(
        f"event {seq} is a decision of {recorded.node!r} that comes out differently: "
        f"{path or 'all of it'} was {_short(repr(then))} and is {_short(repr(now))}",
        seq=seq,
        where=f"event {seq}, node {recorded.node!r}",
        fix=_CHANGED,
    )


def _part(then: Json, now: Json, path: str = "") -> tuple[str, Json, Json]:
    """Where two values first differ, by sorted keys and by place."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in sorted({**then, **now}):
            if then.get(key) != now.get(key):
                return _part(then.get(key), now.get(key), f"{path}.{key}".lstrip("."))
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for at, (one, other) in enumerate(zip(then, now, strict=True)):
            if one != other:
                name = one.get("id", at) if isinstance(one, dict) else at
                return _part(one, other, f"{path}[{name}]")
    return path, then, now


def _nearest_request(lines: Sequence[bytes], made: EffectRequested, blob: Blob) -> str:
    """The recorded question most like the one that was not recorded, for the error message."""
    wanted = canonical(made.payload).decode()
    requests = [
        event
        for line in lines
        if b'"effect_requested"' in line
        and isinstance(event := decode(line, blob), EffectRequested)
        and event.kind == made.kind
    ]
    texts = {event.id: canonical(event.payload).decode() for event in requests}
    best = max(
        texts,
        key=lambda id: difflib.SequenceMatcher(None, wanted[:4000], texts[id][:4000]).ratio(),
        default=None,
    )
    if best is None:
        return f"; no {made.kind} request was recorded"
    return f"; the nearest recorded question is {best}: {_short(texts[best])}"


def _words(event: Event) -> str:
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    shown = {name: item for name, item in fields.items() if item not in (None, "", (), {}, 0.0)}
    return f"{type(event).__name__}({_short(', '.join(f'{k}={v!r}' for k, v in shown.items()))})"


def _short(text: str, limit: int = 400) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
