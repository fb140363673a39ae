"""Questions to the tables: answers are verified; damage shows as None or as a `sqlite3.Error`."""

from __future__ import annotations

import sqlite3

from orka.kit.stores.sqlite.layout import Head, Row, intact, seed

_HEAD = "select n, length, sum from runs where id = ?"
_HEAD_SLOWLY = "select n, length, sum from runs where +id = ?"
_HEAD_OF = "select n, length, sum from runs where n = ?"
_ROWS = "select key, sum, line from events where key between ? and ? order by key"
_BLOB = "select data from blobs where digest = ?"
_LATEST = "select n, id from runs where n < ? order by n desc limit ?"
_INDEXED = "select id from runs indexed by sqlite_autoindex_runs_1 where n = ?"
_COUNTS = (
    "select count(*) from runs not indexed",
    "select count(*) from runs indexed by sqlite_autoindex_runs_1 where id >= x''",
)
NEWEST = 1 << 62


class Tables:
    """What SQLite makes of the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def head(self, run: str) -> Head:
        """Where `run` ends; number 0 if it is not there."""
        for statement in (_HEAD, _HEAD_SLOWLY):  # the second does not rely on the index
            found = self._connection.execute(statement, (run.encode(),)).fetchone()
            if found:
                return _head(found)
        return Head(0, 0, seed(run))

    def lines(self, run: str, head: Head, start: int) -> list[bytes] | None:
        """The lines of `run` from `start` on."""
        if start > head.length:
            return []
        rows, before = self._rows(head, start, head.length), seed(run)
        if start:
            previous = self._rows(head, start - 1, start)
            before = previous[0].sum if previous else 0
        last = rows[-1].sum if rows else before
        if len(rows) != head.length - start or last != head.sum:
            return None
        return [row.line for row in rows] if intact(rows, head.key(start), before) else None

    def bounds(self, run: str, number: int) -> tuple[bytes, bytes] | None:
        """The first and the last line of `run`."""
        head = _head(self._connection.execute(_HEAD_OF, (number,)).fetchone())
        first = self._rows(head, 0, 1)
        last = self.lines(run, head, head.length - 1) if head.length else None
        if not first or not last or not intact(first, head.key(0), seed(run)):
            return None
        return first[0].line, last[0]

    def blob(self, digest: str) -> bytes | None:
        found = self._connection.execute(_BLOB, (digest.encode(),)).fetchone()
        return found[0] if found and type(found[0]) is bytes else None

    def latest(self, limit: int, before: int = NEWEST) -> list[tuple[int, str]]:
        """(number, run), newest first."""
        found = self._connection.execute(_LATEST, (before, limit))
        return [(number, _text(name)) for number, name in found]

    def indexed(self, number: int) -> str:
        """The name of a run by way of the index alone, which keeps it a second time."""
        found = self._connection.execute(_INDEXED, (number,)).fetchone()
        return _text(found[0]) if found else ""

    def counts(self) -> tuple[int, int]:
        """How many runs the table has, and how many the index of it: two ways to miss one."""
        table, index = (self._connection.execute(sql).fetchone()[0] for sql in _COUNTS)
        return table, index

    def _rows(self, head: Head, start: int, stop: int) -> list[Row]:
        keys = (head.key(start), head.key(stop) - 1)
        return [Row(*row) for row in self._connection.execute(_ROWS, keys)]


def _head(found: tuple[object, object, object] | None) -> Head:
    match found:
        case (int(number), int(length), int(total)) if number > 0 and length >= 0:
            return Head(number, length, total)
    raise sqlite3.DatabaseError("the row of a run is damaged")


def _text(name: object) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else ""
