"""Compare-and-append: many appends, one transaction, each with an outcome of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from orka.errors import Conflict, StoreError
from orka.kit.stores.sqlite.database import Database
from orka.kit.stores.sqlite.faults import FAULTS, common, explained
from orka.kit.stores.sqlite.layout import SEQS, Head
from orka.kit.stores.sqlite.tables import Tables

_KNOWN_HEADS = 10_000

_CREATE = "insert into runs(id, length, sum) values(?, ?, ?)"
_MOVE = "update runs set length = ?, sum = ? where n = ? and length = ? and sum = ?"
_INSERT = "insert into events values(?, ?, ?)"
_KEEP = "insert or ignore into blobs values(?, ?)"


class Append(NamedTuple):
    """What a caller wants to be added; no `run` stands for blobs alone."""

    run: str | None
    expected: int
    lines: Sequence[bytes]
    blobs: Mapping[str, bytes]


class Journal:
    """Writes appends to `database` and remembers where the runs end."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._heads: dict[str, Head] = {}

    def write(self, appends: Sequence[Append]) -> list[StoreError | None]:
        """Commit all that fit in one transaction; an error for each that does not."""
        with self._database.lock:
            try:
                return self._commit(appends)
            except FAULTS as error:
                self._heads.clear()
                if len(appends) == 1 or common(error):
                    return [explained(error, self._database.file)] * len(appends)
            except StoreError as error:
                if len(appends) == 1:
                    return [error]
            return [outcome for append in appends for outcome in self.write([append])]

    def length(self, run: str) -> int:
        """How many events `run` has in the file. Raises `StoreError`."""
        with self._database.lock:
            try:
                connection = self._database.reading()
                return Tables(connection).head(run).length if connection else 0
            except FAULTS as error:
                raise explained(error, self._database.file) from error

    def _commit(self, appends: Iterable[Append]) -> list[StoreError | None]:
        connection = self._database.writing()
        moved: dict[str, Head] = {}
        outcomes: list[StoreError | None] = []
        connection.execute("begin immediate")
        try:
            for append in appends:
                outcomes.append(self._stage(connection, append, moved))
            connection.execute("commit")
        finally:
            if connection.in_transaction:
                connection.execute("rollback")
        if len(self._heads) > _KNOWN_HEADS:
            self._heads.clear()
        self._heads.update(moved)
        return outcomes

    def _stage(
        self, connection: sqlite3.Connection, append: Append, moved: dict[str, Head]
    ) -> Conflict | None:
        run, expected, lines, blobs = append
        if run is not None:
            head = moved.get(run) or self._heads.get(run)
            if head is None or head.length != expected:
                head = Tables(connection).head(run)
            if head.length != expected:
                return conflict(run, expected, head.length)
            if lines:
                grown = self._extend(connection, run, head, lines)
                if grown is None:
                    self._heads.pop(run, None)
                    return conflict(run, expected, Tables(connection).head(run).length)
                moved[run] = grown
        if blobs:
            named = [(name.encode(), data) for name, data in blobs.items()]
            connection.executemany(_KEEP, named)
        return None

    def _extend(
        self, connection: sqlite3.Connection, run: str, head: Head, lines: Sequence[bytes]
    ) -> Head | None:
        """The new head, or None if the run does not end where `head` says."""
        if head.length + len(lines) > SEQS:
            raise StoreError(f"run {run!r} would exceed {SEQS} events", code="store.too_large")
        grown, rows = head.grown(lines)
        if not head.number:
            values = (run.encode(), grown.length, grown.sum)
            number = connection.execute(_CREATE, values).lastrowid
            assert number is not None  # an insert gives one
            grown, rows = head._replace(number=number).grown(lines)
        else:
            moved = (grown.length, grown.sum, head.number, head.length, head.sum)
            if connection.execute(_MOVE, moved).rowcount != 1:
                return None
        connection.executemany(_INSERT, rows)
        return grown


def conflict(run: str, expected: int, length: int) -> Conflict:
    """The error for a run that has not the length its writer believes."""
    return Conflict(
        f"run {run!r} has {length} events, not {expected}",
        where=f"run {run!r}",
        fix="read the run again: somebody else has written to it",
    )
