"""What may be seen: the entries of one namespace and user that are not gone."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator

from orka.kit.memory.sqlite.terms import phrase
from orka.port.memory import Query, Stats

PLACE = "namespace = ? and user = ?"
ALIVE = "(expires is null or expires > ?)"


class Seen:
    """Questions that change nothing. Raises `sqlite3.Error`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def having(self, tokens: list[str], query: Query, now: float) -> set[int]:
        """The entries the query may see that hold `tokens` one after another."""
        where, values = _visible(query, now)
        join = "words cross join entries on n = words.rowid"  # words first, whatever SQLite thinks
        sql = f"select n from {join} where words match ? and {where}"
        return {n for (n,) in self._connection.execute(sql, (phrase(tokens), *values))}

    def newest(self, query: Query, now: float) -> Iterator[int]:
        where, values = _visible(query, now)
        sql = f"select n from entries where {where} order by updated desc, n desc"
        return (n for (n,) in self._connection.execute(sql, values))

    def updated(self, numbers: Iterable[int]) -> dict[int, float]:
        """When each of them was written last."""
        sql = "select updated from entries where n = ?"
        return {n: self._connection.execute(sql, (n,)).fetchone()[0] for n in numbers}

    def vectors(self, query: Query, now: float) -> Iterator[tuple[int, array[float]]]:
        where, values = _visible(query, now)
        sql = f"select n, vector from entries where vector is not null and {where} order by n"
        for n, data in self._connection.execute(sql, values):
            yield n, array("d", data)

    def dimension(self, namespace: str) -> int | None:
        """How long the vectors of a namespace are, None if it has none."""
        sql = "select length(vector) from entries where namespace = ? and vector is not null"
        found = self._connection.execute(f"{sql} limit 1", (namespace,)).fetchone()
        return found[0] // array("d").itemsize if found else None

    def stats(self, backend: str, now: float, namespace: str) -> Stats:
        where, values = ("namespace = ? and ", (namespace,)) if namespace else ("", ())
        gone = f"select count(*) from entries where {where}expires <= ?"
        expired: int = self._connection.execute(gone, (*values, now)).fetchone()[0]

        def by(column: str) -> dict[str, int]:
            sql = f"select {column}, count(*) from entries where {where}{ALIVE} group by 1"
            return dict(self._connection.execute(f"{sql} order by 1", (*values, now)))

        spaces = by("namespace")
        return Stats(
            backend=backend,
            total=sum(spaces.values()),
            expired=expired,
            by_namespace=spaces,
            by_type=by("memory_type"),
            by_category=by("category"),
        )


def _visible(query: Query, now: float) -> tuple[str, tuple[object, ...]]:
    where, values = f"{PLACE} and {ALIVE}", [query.namespace, query.user, now]
    for column, wanted in (("category", query.category), ("memory_type", query.memory_type)):
        if wanted:
            where, values = f"{where} and {column} = ?", [*values, wanted]
    return where, tuple(values)
