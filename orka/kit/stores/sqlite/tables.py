"""Questions to the tables: answers are verified; damage shows as None or as a `sqlite3.Error`."""

from __future__ import annotations

import sqlite3

from orka.kit.stores.sqlite.layout import END, Head, Row, intact, seed

_FIND = "select n from runs where id = ?"
_FIND_SLOWLY = "select n from runs where +id = ?"
_ROWS = "select key, sum, line from events where key between ? and ? order by key"
_LAST = _ROWS + " desc limit 3"
_ROW = "select key, sum, line from events where key = ?"
_BLOB = "select data from blobs where digest = ?"
_LATEST = "select n, id from runs where n < ? order by n desc limit ?"
_INDEXED = "select id from runs indexed by sqlite_autoindex_runs_1 where n = ?"
NEWEST = 1 << 62


class Tables:
    """What SQLite makes of the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def number(self, run: str) -> int:
        """The number of `run`, 0 if it has none."""
        for statement in (_FIND, _FIND_SLOWLY):  # the second does not rely on the index
            found = self._connection.execute(statement, (run.encode(),)).fetchone()
            if found:
                return int(found[0])
        return 0

    def end(self, number: int) -> Head | None:
        """Where the run ends."""
        row = self._row(number << 32 | END)
        if row is None or type(row.line) is not int or type(row.sum) is not int:
            return None
        return Head(number, row.line, row.sum)

    def lines(self, run: str, number: int, start: int) -> list[bytes] | None:
        """The lines of `run` from `start` on."""
        first = number << 32
        found = self._connection.execute(_ROWS, (first + start, first | END))
        rows = [Row(*row) for row in found]
        if not rows or rows[-1].key != first | END or type(rows[-1].line) is not int:
            return None
        end = rows.pop()
        before = seed(run)
        if start:
            previous = self._row(first + start - 1)
            before = previous.sum if previous else 0
        if not intact(rows, Head(number, int(end.line), end.sum), start, before):
            return None
        return [row.line for row in rows if type(row.line) is bytes]

    def bounds(self, run: str, number: int) -> tuple[bytes, bytes] | None:
        """The first and the last line of `run`."""
        first = self._row(number << 32)
        last = [Row(*row) for row in self._connection.execute(_LAST, _range(number))][::-1]
        if first is None or len(last) < 2 or type(first.line) is not bytes:
            return None
        end = last.pop()
        before = last[0].sum if len(last) == 2 else seed(run)
        if end.key & END != END or type(end.line) is not int:
            return None
        tail = last[-1:]
        if not intact([first], Head(number, 1, first.sum), 0, seed(run)):
            return None
        if not intact(tail, Head(number, end.line, end.sum), end.line - 1, before):
            return None
        line = tail[0].line
        return (first.line, line) if type(line) is bytes else None

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

    def _row(self, key: int) -> Row | None:
        found = self._connection.execute(_ROW, (key,)).fetchone()
        return Row(*found) if found else None


def _text(name: object) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else ""


def _range(number: int) -> tuple[int, int]:
    return number << 32, number << 32 | END
