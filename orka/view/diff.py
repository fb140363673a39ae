"""Where two runs part, and why: the first decision or fact that differs in what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    Decided,
    EffectAnswered,
    EffectRequested,
    Event,
    Gated,
    NodeFailed,
    NodeFinished,
    NodeReopened,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
    Noted,
    Quarantined,
    Repaired,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    Violation,
)
from orka.value import Json, canonical
from orka.view.run import Run

Cause = Literal["prompt", "model", "input", "graph", "code", "rules", "answer", "timing"]
# What differs between any two runs, and says nothing about why.
_INCIDENTAL = ("at", "run", "origin", "spent", "reused", "graph", "flow", "components", "where")
# A seal, and the time a question expires, are of one run; so they are in the answer.
_SEALED = ("seal", "expires")
_INCIDENTAL_IN = {"failure": _INCIDENTAL, "payload": _SEALED, "value": _SEALED}
_QUESTION = ("messages", "prompt", "schema", "choices")
_MODEL = ("model", "params", "options")
_MISSING = object()
_CONTEXT = 24

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One run's side: the number of its event (None: it has none), and what it says, in short."""

    seq: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """`what` names the event that differs and `path` the part of it; `notes` say what else differs
    between the two runs as wholes."""

    cause: Cause
    what: str
    path: str
    left: Side
    right: Side
    notes: tuple[str, ...] = ()


def diff(left: Run, right: Run) -> Difference | None:
    """The first divergence; None if the two runs say the same in the same order.

    Events are compared by what they are about, not by their number: branches that ran at once may
    have come in another order. Only if nothing else differs is the order itself the difference.
    """
    ours, theirs = _keyed(left), _keyed(right)
    notes = _notes(left.started, right.started)
    first = _first(ours, theirs)
    if first is None:
        return _order(list(ours), list(theirs), notes)
    (our_seq, our), (their_seq, their) = (
        ours.get(first, (None, None)),
        theirs.get(first, (None, None)),
    )
    path, one, other = _part(_content(our), _content(their))
    return Difference(
        _cause(our, their, path, left.started, right.started),
        _spoken(first),
        path,
        Side(our_seq, _around(one, other) if our else _absent(left)),
        Side(their_seq, _around(other, one) if their else _absent(right)),
        notes,
    )


def _keyed(run: Run) -> dict[Key, tuple[int, Event]]:
    """Events by what they are about, and how many of the kind came before."""
    seen: Counter[Key] = Counter()
    found: dict[Key, tuple[int, Event]] = {}
    for seq, event in enumerate(run.events):
        about = _about(event)
        found[*about, str(seen[about])] = (seq, event)
        seen[about] += 1
    return found


def _about(event: Event) -> Key:
    match event:
        case RunStarted() | RunFinished() | RunResumed() | CancelAsked() | DeadlinePassed():
            return (_word(event), getattr(event, "scope", ""))
        case EffectRequested() | EffectAnswered():
            return (_word(event), event.id)
        case ScopeOpened() | ScopeClosed():
            return (_word(event), event.scope)
        case NodeStarted() | NodeSkipped():
            return ("start of node", _path(event.scope, event.node))
        case NodeFinished() | NodeFailed() | NodeStopped():
            return ("end of node", _path(event.scope, event.node))
        case NodeReopened() | Violation() | Repaired() | Noted() | Decided():
            return (_word(event), _path(event.scope, event.node))
        case Quarantined() | Gated():
            return (_word(event), _path(event.scope, event.node))


def _spoken(key: Key) -> str:
    """What an event is about, in words; the count at the end of the key is left out."""
    return " ".join(part for part in key[:-1] if part)


def _word(event: Event) -> str:
    return str(event.__struct_config__.tag).replace("_", " ")


def _path(scope: str, node: str) -> str:
    return f"{scope}/{node}" if scope else node


def _first(
    ours: Mapping[Key, tuple[int, Event]], theirs: Mapping[Key, tuple[int, Event]]
) -> Key | None:
    """The key with the lowest number, in either run, whose events do not say the same."""
    mine = _first_of(ours, theirs)
    other = _first_of(theirs, ours)
    if mine is None or other is None:
        return mine or other
    return mine if ours[mine][0] <= theirs[other][0] else other


def _first_of(
    ours: Mapping[Key, tuple[int, Event]], theirs: Mapping[Key, tuple[int, Event]]
) -> Key | None:
    for key, (_, event) in ours.items():
        other = theirs.get(key)
        if other is None or _content(event) != _content(other[1]):
            return key
    return None


def _content(event: Event | None) -> Json:
    if event is None:
        return None
    body: dict[str, Json] = msgspec.to_builtins(event)
    kept = {key: item for key, item in body.items() if key not in _INCIDENTAL}
    for name, incidental in _INCIDENTAL_IN.items():
        if isinstance(part := kept.get(name), dict):
            sealed = name == "failure" or "seal" in part
            kept[name] = {k: v for k, v in part.items() if not (sealed and k in incidental)}
    return kept


def _cause(
    our: Event | None, their: Event | None, path: str, left: RunStarted, right: RunStarted
) -> Cause:
    match our, their:
        case RunStarted(), RunStarted():
            return "rules" if our.rules != their.rules else "input"
        case EffectAnswered(), EffectAnswered():
            return "answer"
        case EffectRequested(), EffectRequested():
            return _of_question(path, left, right)
    lone = our or their
    outside = (RunResumed, CancelAsked, DeadlinePassed, NodeStopped, NodeReopened, EffectAnswered)
    if isinstance(lone, outside) or isinstance(our or their, RunFinished):
        return "timing"
    return _of_decision(left, right)


def _of_question(path: str, left: RunStarted, right: RunStarted) -> Cause:
    """The same effect asks something else: by its text, its model, or (a tool) its arguments."""
    part = path.removeprefix("payload.").partition(".")[0].partition("[")[0]
    if part in _QUESTION:
        return "prompt"
    return "model" if part in _MODEL else _of_decision(left, right)


def _of_decision(left: RunStarted, right: RunStarted) -> Cause:
    """Different decisions after the same facts: the workflow, else somebody's code."""
    return "graph" if left.graph != right.graph else "code"


def _notes(left: RunStarted, right: RunStarted) -> tuple[str, ...]:
    notes = []
    if left.rules != right.rules:
        notes.append(f"rules {left.rules} and {right.rules}")
    if left.graph != right.graph:
        notes.append(f"the workflows differ ({left.graph[:12]} and {right.graph[:12]})")
    for name in dict.fromkeys([*left.components, *right.components]):
        one, other = left.components.get(name, "none"), right.components.get(name, "none")
        if one != other:
            notes.append(f"{name} is {one or 'unnumbered'} and {other or 'unnumbered'}")
    return tuple(notes)


def _order(ours: list[Key], theirs: list[Key], notes: tuple[str, ...]) -> Difference | None:
    for seq, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if one != other:
            sides = Side(seq, _spoken(one)), Side(seq, _spoken(other))
            return Difference("timing", "order of events", "", *sides, notes)
    return None


def _part(left: Json, right: Json, path: str = "") -> tuple[str, Json, Json]:
    """The first part in which two values differ: its path, and both sides."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            one, other = left.get(key, _MISSING), right.get(key, _MISSING)
            if one is _MISSING or other is _MISSING or one != other:
                return _part(one, other, f"{path}.{key}" if path else key)
    if isinstance(left, list) and isinstance(right, list):
        for at in range(max(len(left), len(right))):
            one = left[at] if at < len(left) else _MISSING
            other = right[at] if at < len(right) else _MISSING
            if one is _MISSING or other is _MISSING or one != other:
                return _part(one, other, f"{path}[{at}]")
    return path, left, right


def _around(one: Json, other: Json) -> str:
    """One side in short; of long texts the place where they part."""
    if one is _MISSING:
        return "(nothing)"
    text = one if isinstance(one, str) else canonical(one).decode()
    if isinstance(one, str) and isinstance(other, str):
        same = _common(one, other)
        if same > 2 * _CONTEXT:
            text = f"…{one[same - _CONTEXT :]}"
    return _short(text)


def _common(one: str, other: str) -> int:
    at = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        at += 1
    return at


def _short(text: str, limit: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _absent(run: Run) -> str:
    return f"(no such event; the run is {run.status})"
