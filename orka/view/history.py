"""What recorded runs say of agents and paths: what they took, and how they fared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from orka.event.event import FACTS, RunResumed
from orka.value import Json
from orka.view.run import Attempt, NodeView, Run
from orka.view.tried import Tried, tried

# Effects of which somebody may send a bill.
_PRICED = ("llm", "tool")
_QUANTILES = {"p50": 50, "p90": 90}

Models = Mapping[str, tuple[str, ...]]
"""The models that were asked, by where in the node (its own questions stand under "")."""

Span = tuple[float, float]
"""From, to: seconds since the epoch."""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """One time that a node ran, with all that it opened. `seconds` are those in which it was not
    kept waiting by a person, or by a run that stood still. `counts`: it ended well, and asked
    everything itself. None: nobody knows."""

    agent: str
    models: Models
    counts: bool
    seconds: float
    cost: float | None
    currency: str
    tokens: int | None


class Past(msgspec.Struct, frozen=True):
    """What one run says."""

    ran: tuple[Ran, ...]
    tried: tuple[Tried, ...]


def past(run: Run) -> Past:
    """Read a run that has ended."""
    nodes, still = run.nodes, _still(run)
    below = _below(nodes)
    ran = [_ran(node, below[node.path], still) for node in nodes if not _skipped(node)]
    return Past(tuple(ran), tuple(tried(run)))


def told(pasts: Sequence[Past], asked: Mapping[str, Json], currency: str) -> dict[str, Json]:
    """What runs, the newest first, say of the `agents` and `paths` that are asked about. What never
    ran is left out. Costs count that are in `currency`; paths that were run for `tenant` and in
    `domain`, where they are given."""
    ran: dict[str, list[Ran]] = {id: [] for id in asked["agents"]}
    for each in (each for past in pasts for each in reversed(past.ran)):
        if each.agent in ran:
            ran[each.agent].append(each)
    paths: dict[tuple[str, ...], list[bool]] = {tuple(path): [] for path in asked["paths"]}
    for one in (one for past in pasts for one in past.tried):
        if one.path in paths and _meant(one, asked):
            paths[one.path].append(one.ok)
    agents = {id: _agent(found, currency) for id, found in ran.items()}
    fared = {path: {"runs": len(oks), "succeeded": sum(oks)} for path, oks in paths.items() if oks}
    return {
        "agents": {id: found for id, found in agents.items() if found},
        "paths": {" → ".join(path): found for path, found in fared.items()},
    }


def _meant(one: Tried, asked: Mapping[str, Json]) -> bool:
    return all(asked[name] in ("", getattr(one, name)) for name in ("tenant", "domain"))


# ---- agents


def _agent(ran: Sequence[Ran], currency: str) -> dict[str, Json] | None:
    """Only what ran with the models of today counts: those that were asked last, place by place."""
    today: dict[str, tuple[str, ...]] = {}
    for each in ran:
        for place, models in each.models.items():
            today.setdefault(place, models)
    same = [r for r in ran if r.counts and all(today[at] == m for at, m in r.models.items())]
    if not same:
        return None
    names = dict.fromkeys(m for r in same for models in r.models.values() for m in models)
    costs = [r.cost for r in same if r.cost is not None and r.currency in ("", currency)]
    tokens = [r.tokens for r in same if r.tokens is not None]
    return {
        "model": ", ".join(names),
        "samples": len(same),
        "seconds": _quantiles([r.seconds for r in same]),
        "cost": {**_quantiles(costs), "known": len(costs)},
        "tokens": {**_quantiles(tokens), "known": len(tokens)},
    }


def _quantiles(values: Sequence[float]) -> dict[str, Json]:
    """The smallest value that at least so many per cent do not exceed: one that was measured."""
    ranked = sorted(values)
    return {
        name: ranked[-(-len(ranked) * share // 100) - 1] if ranked else None
        for name, share in _QUANTILES.items()
    }


def _below(nodes: Sequence[NodeView]) -> dict[str, list[tuple[str, NodeView]]]:
    """For each node itself and all that ran in what it opened, with the place there."""
    found: dict[str, list[tuple[str, NodeView]]] = {}
    for node in nodes:
        path, place = node.path, ""
        while path:
            found.setdefault(path, []).append((place, node))
            scope, _, id = path.rpartition("/")
            path, place = scope.rpartition("#")[0], f"{id}/{place}" if place else id
    return found


def _ran(node: NodeView, parts: Sequence[tuple[str, NodeView]], still: Sequence[Span]) -> Ran:
    attempts = [each for _, part in parts for each in part.attempts]
    priced = [each for each in attempts if each.kind in _PRICED]
    asked = [each for each in attempts if each.kind == "llm"]
    models: dict[str, list[Attempt]] = {}
    for place, part in parts:
        models.setdefault(place, []).extend(a for a in part.attempts if a.kind == "llm")
    costs, tokens = [each.spent.get("cost") for each in priced], [_tokens(a) for a in asked]
    currencies = list(dict.fromkeys(c for a in priced if (c := a.spent.get("currency"))))
    return Ran(
        agent=node.id,
        models={
            place: tuple(dict.fromkeys(str(each.payload["model"]) for each in found))
            for place, found in models.items()
            if found
        },
        counts=node.state == "done" and not any(each.reused for each in attempts),
        seconds=_seconds(node, attempts, still),
        cost=_sum(costs) if len(currencies) < 2 else None,
        currency=currencies[0] if currencies else "",
        tokens=None if (total := _sum(tokens)) is None else int(total),
    )


def _tokens(attempt: Attempt) -> int | None:
    counts = [attempt.spent.get(name) for name in ("prompt_tokens", "completion_tokens")]
    return None if None in counts else sum(int(count) for count in counts if count is not None)


def _sum(parts: Sequence[float | None]) -> float | None:
    """Rounded to nine places, as costs are; None if one part is not known."""
    known = [part for part in parts if part is not None]
    return round(math.fsum(known), 9) if len(known) == len(parts) else None


# ---- time


def _seconds(node: NodeView, attempts: Sequence[Attempt], still: Sequence[Span]) -> float:
    end = node.started_at if node.ended_at is None else node.ended_at
    asks = [_span(each, end) for each in attempts if each.kind == "ask"]
    if not asks and not still:
        return round(end - node.started_at, 6)
    busy = [_span(each, end) for each in attempts if each.kind not in ("ask", "graph")]
    idle = _union([*_without(_union(asks), _union(busy)), *still])
    spans = _without([(node.started_at, end)], idle)
    return round(math.fsum(until - since for since, until in spans), 6)


def _span(attempt: Attempt, end: float) -> Span:
    return attempt.asked_at, end if attempt.answered_at is None else attempt.answered_at


def _still(run: Run) -> list[Span]:
    """When nobody drove the run: from its last event to where it was taken up again."""
    found, last = list[Span](), run.started.at
    for event in run.events:
        if isinstance(event, FACTS):
            if isinstance(event, RunResumed):
                found.append((last, event.at))
            last = event.at
    return found


def _union(spans: Sequence[Span]) -> list[Span]:
    """The same time, in order and without overlaps."""
    merged: list[Span] = []
    for since, until in sorted(spans):
        if merged and since <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(until, merged[-1][1])
        else:
            merged.append((since, until))
    return merged


def _without(spans: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """What of `spans` lies in none of `others`; both are in order and without overlaps."""
    left: list[Span] = []
    for since, until in spans:
        for start, end in others:
            if since < start < until:
                left.append((since, start))
            if start < until and since < end:
                since = end
        if since < until:
            left.append((since, until))
    return left


def _skipped(node: NodeView) -> bool:
    return node.state.startswith("skipped")
