"""Ranking. A score says how well an entry fits and never depends on what others hold.

By words: 1 for an entry that holds the query's words one after another, else 0.95 times the share
of the query's distinct words it holds. By vector: the cosine; what points away, or nowhere, is not
found. Equal ones are ordered by how rare the found words are among the entries that may be seen,
then the newest comes first.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import fsum, hypot

from orka.errors import RecallError
from orka.kit.memory.sqlite.tables import Row, Tables
from orka.kit.memory.sqlite.terms import asked, words
from orka.port.memory import Match, Matches, Method, Query
from orka.value import Json

SCATTERED = 0.95


def ranked(tables: Tables, query: Query, now: float) -> tuple[Method, list[tuple[Row, Match]]]:
    """What the query finds, best first, at most its limit."""
    if query.vector is not None:
        return "vector", _chosen(tables, query, now, _near(tables, query, now), {})
    if query.text is None:
        rows = (tables.row(n) for n in tables.seen.newest(query, now))
        kept = (row for row in rows if _fits(row, query))
        found = islice(kept, max(query.limit, 0))
        return "recent", [(row, Match(entry=row.entry)) for row in found]
    scores, rarity = _worded(tables, query, now)
    return ("keyword" if words(query.text) else "none"), _chosen(tables, query, now, scores, rarity)


def matches(method: Method, found: Sequence[tuple[Row, Match]]) -> Matches:
    return Matches(method=method, found=tuple(match for _, match in found))


def _worded(tables: Tables, query: Query, now: float) -> tuple[dict[int, float], dict[int, float]]:
    """Score and rarity by entry."""
    tokens, terms = words(query.text or ""), asked(query.text or "")
    counts: dict[int, int] = {}
    rarity: dict[int, float] = {}
    for term in terms:
        holders = tables.seen.having([term], query, now)
        for n in holders:
            counts[n] = counts.get(n, 0) + 1
            rarity[n] = rarity.get(n, 0.0) + 1 / len(holders)
    scores = {n: SCATTERED * count / len(terms) for n, count in counts.items()}
    if tokens and len(counts):
        scores |= dict.fromkeys(tables.seen.having(tokens, query, now), 1.0)
    return scores, rarity


def _near(tables: Tables, query: Query, now: float) -> dict[int, float]:
    asked_for = array("d", query.vector or ())
    length = hypot(*asked_for)
    unit = [x / length for x in asked_for] if length else []
    scores = {}
    for n, vector in tables.seen.vectors(query, now):
        if len(vector) != len(asked_for):
            raise mismatch(query.namespace, len(vector), len(asked_for))
        norm = hypot(*vector)
        if length and norm:
            scores[n] = min(1.0, fsum(x * y for x, y in zip(unit, vector, strict=True)) / norm)
    return scores


def mismatch(namespace: str, kept: int, given: int) -> RecallError:
    return RecallError(
        f"the vectors in namespace {namespace!r} have dimension {kept}, this one has {given}",
        fix="use the embedder the namespace was written with, or another namespace",
        code="memory.embedding_dimension",
        retryable=False,
    )


def _chosen(
    tables: Tables,
    query: Query,
    now: float,
    scores: dict[int, float],
    rarity: dict[int, float],
) -> list[tuple[Row, Match]]:
    rounded = {n: round(score, 6) for n, score in scores.items()}
    good = {n: score for n, score in rounded.items() if score >= max(query.threshold, 0.0)}
    written = tables.seen.updated(good)
    final = {n: _final(score, now - written[n], query) for n, score in good.items()}
    order = sorted(final, key=lambda n: (-final[n], -rarity.get(n, 0.0), -written[n], -n))
    return list(_first(tables, query, order, good, final))


def _first(
    tables: Tables,
    query: Query,
    order: Sequence[int],
    scores: dict[int, float],
    final: dict[int, float],
) -> Iterator[tuple[Row, Match]]:
    left = query.limit
    for n in order:
        if left <= 0:
            return
        row = tables.row(n)
        if _fits(row, query):
            left -= 1
            yield row, Match(entry=row.entry, score=scores[n], final=final[n])


def _fits(row: Row, query: Query) -> bool:
    kept = row.entry.metadata
    return all(name in kept and _same(kept[name], value) for name, value in query.filters.items())


def _same(kept: Json, wanted: Json) -> bool:
    """Equal as JSON: true is not 1, at any depth."""
    if isinstance(kept, Mapping) and isinstance(wanted, Mapping):
        return kept.keys() == wanted.keys() and all(_same(kept[key], wanted[key]) for key in kept)
    if isinstance(kept, list) and isinstance(wanted, list):
        return len(kept) == len(wanted) and all(map(_same, kept, wanted))
    return isinstance(kept, bool) == isinstance(wanted, bool) and bool(kept == wanted)


def _final(score: float, age: float, query: Query) -> float:
    freshness: float = 0.5 ** (max(age, 0.0) / query.half_life)
    return round(score * (1 - query.recency + query.recency * freshness), 6)
