"""The memory: entries in one SQLite file, or in ":memory:"."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import isfinite
from pathlib import Path

import msgspec
from msgspec import structs

from orka.errors import RecallError
from orka.kit.memory.sqlite.search import matches, mismatch, ranked
from orka.kit.memory.sqlite.tables import APPLICATION, SCHEMA, VERSION, Row, Tables
from orka.port.memory import Draft, Entry, Matches, Query, Stats, Written
from orka.value import canonical

FILE = "memory.db"
# Entries that are gone and that a write takes out on its way.
SWEEP = 100


class SqliteMemory:
    """Implements `orka.port.memory.Memory` in `<folder>/memory.db`; ":memory:" ends with the
    process. Nothing is created before the first write. A write that has returned survives a power
    cut. `patience` is how many seconds to wait for another process that is writing."""

    backend = "sqlite"

    def __init__(self, folder: str = ".orka", *, patience: float = 10.0) -> None:
        self._own = folder == ":memory:"
        self._file = Path(folder) / FILE
        self._patience = patience
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def write(self, draft: Draft, *, now: float, once: str = "") -> Written:
        """Raises `RecallError`, also for a draft that cannot be kept."""
        _check(draft)
        with self._writing() as tables:
            if once and (known := tables.answer(once)):
                return msgspec.json.decode(known, type=Written)
            self._check_vector(tables, draft)
            written = _written(tables, draft, now)
            tables.remove(tables.gone(now, SWEEP))
            if once and written.status != "conflict":
                tables.keep_answer(once, canonical(written))
            return written

    def search(self, query: Query, *, now: float) -> Matches:
        with self._reading() as tables:
            if tables is None:
                return Matches(method="none")
            method, found = ranked(tables, query, now)
        renewed = [row for row, _ in found if row.renew]
        if not renewed:
            return matches(method, found)
        with self._writing() as tables:
            until = {row.n: _renew(tables, row, now) for row in renewed}
        return matches(
            method,
            [
                (row, structs.replace(match, entry=_until(match.entry, until.get(row.n))))
                for row, match in found
            ],
        )

    def get(self, namespace: str, key: str, *, user: str = "", now: float) -> Entry | None:
        with self._reading() as tables:
            row = _find(tables, namespace, user, key) if tables else None
        if row is None or not row.alive(now):
            return None
        if not row.renew:
            return row.entry
        with self._writing() as tables:
            return _until(row.entry, _renew(tables, row, now))

    def delete(
        self, namespace: str, key: str, *, user: str = "", now: float, once: str = ""
    ) -> bool:
        with self._writing() as tables:
            if once and (known := tables.answer(once)):
                return msgspec.json.decode(known, type=bool)
            row = _find(tables, namespace, user, key)
            there = row is not None and row.alive(now)
            if row is not None:
                tables.remove([row.n])
            if once:
                tables.keep_answer(once, canonical(there))
            return there

    def stats(self, *, now: float, namespace: str = "") -> Stats:
        with self._reading() as tables:
            if tables is not None:
                return tables.seen.stats(self.backend, now, namespace)
        empty: dict[str, int] = {}
        return Stats(
            backend=self.backend,
            total=0,
            expired=0,
            by_namespace=empty,
            by_type=empty,
            by_category=empty,
        )

    def expire(self, now: float) -> int:
        with self._reading() as tables:
            if tables is None:
                return 0
        with self._writing() as tables:
            return tables.remove(tables.gone(now, -1))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _reading(self) -> Iterator[Tables | None]:
        """None if nothing was ever written."""
        with self._lock, self._told():
            if self._connection is None and not self._own and not self._file.exists():
                yield None
                return
            yield Tables(self._opened())

    @contextmanager
    def _writing(self) -> Iterator[Tables]:
        with self._lock, self._told():
            connection = self._opened()
            connection.execute("begin immediate")
            try:
                yield Tables(connection)
                connection.execute("commit")
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong underneath, in words of a user who knows nothing of SQLite."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeError, msgspec.DecodeError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            waits = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            raise RecallError(
                f"the memory {str(self._file)!r} cannot be used: {error}",
                fix="see who keeps it locked" if waits else "look at the file and its folder",
                code="memory.locked" if waits else "memory.failed",
                retryable=waits,
            ) from error

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            place = ":memory:" if self._own else str(self._file)
            if not self._own:
                self._file.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                place, timeout=self._patience, isolation_level=None, check_same_thread=False
            )
            with ExitStack() as undo:
                undo.callback(connection.close)
                self._log_ahead(connection)
                connection.execute("pragma synchronous = full")
                _lay_out(connection, str(self._file))
                undo.pop_all()
            self._connection = connection
        return self._connection

    def _log_ahead(self, connection: sqlite3.Connection) -> None:
        """SQLite does not wait for others by itself when it changes the way a file is written."""
        until = time.monotonic() + self._patience
        while True:
            try:
                connection.execute("pragma journal_mode = wal")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.005)

    def _check_vector(self, tables: Tables, draft: Draft) -> None:
        kept = None if draft.vector is None else tables.seen.dimension(draft.namespace)
        if draft.vector is not None and kept not in (None, len(draft.vector)):
            raise mismatch(draft.namespace, kept or 0, len(draft.vector))


def _lay_out(connection: sqlite3.Connection, file: str) -> None:
    """Make the tables of a new file; refuse one that is not ours, or too new."""
    connection.execute("begin immediate")
    try:
        version: int = connection.execute("pragma user_version").fetchone()[0]
        mark: int = connection.execute("pragma application_id").fetchone()[0]
        tables: int = connection.execute("select count(*) from sqlite_master").fetchone()[0]
        if not tables:
            for statement in SCHEMA:
                connection.execute(statement)
        elif (version, mark) != (VERSION, APPLICATION | VERSION):
            raise RecallError(
                f"{file!r} is no memory this OrKa can read (layout {version}, mark {mark:#x})",
                fix="update OrKa, or use another folder",
                code="memory.layout",
                retryable=False,
            )
        connection.execute("commit")
    finally:
        if connection.in_transaction:
            connection.execute("rollback")


def _check(draft: Draft) -> None:
    problem = ""
    if not draft.content.strip():
        problem = "there is nothing to remember: the content is empty"
    elif draft.ttl is not None and not (isfinite(draft.ttl) and draft.ttl > 0):
        problem = f"an entry cannot live for {draft.ttl} s"
    elif draft.importance is not None and not 0 <= draft.importance <= 1:
        problem = f"importance {draft.importance} is not between 0 and 1"
    elif draft.vector is not None and not all(map(isfinite, draft.vector)):
        problem = "the vector holds a number that is none"
    if problem:
        raise RecallError(
            problem,
            where=f"namespace {draft.namespace!r}",
            fix="see what the `prompt` of the writer gave",
            code="memory.arguments",
            retryable=False,
        )


def _written(tables: Tables, draft: Draft, now: float) -> Written:
    expires = None if draft.ttl is None else now + draft.ttl
    if draft.key:
        row = tables.by_key(draft.namespace, draft.user, draft.key)
    else:
        row = tables.by_words(draft, now)
    if row is not None and not row.alive(now):
        tables.remove([row.n])
        row = None
    version = row.entry.version if row else 0
    if draft.expect is not None and draft.expect != version:
        return Written(status="conflict", id="", key=draft.key, version=version, at=now)
    if row is None:
        id = f"m{tables.insert(draft, now, expires)}"
        return Written(
            status="stored", id=id, key=draft.key or id, version=1, at=now, expires_at=expires
        )
    known = row.entry
    if not draft.key:
        until = None if expires is None or row.expires is None else max(expires, row.expires)
        merged = canonical({**known.metadata, **draft.metadata}).decode()
        tables.refresh(row.n, merged, now, until)
        kept = Written(status="duplicate", id=known.id, key=known.key, version=version, at=now)
        return structs.replace(kept, expires_at=until)
    tables.update(row.n, draft, now, expires)
    renewed = Written(status="updated", id=known.id, key=known.key, version=version + 1, at=now)
    return structs.replace(renewed, expires_at=expires)


def _find(tables: Tables, namespace: str, user: str, key: str) -> Row | None:
    """By key, or by id."""
    found = tables.by_key(namespace, user, key)
    if found is None and key[:1] == "m" and key[1:].isascii() and key[1:].isdigit():
        number = int(key[1:])
        found = tables.by_id(namespace, user, number) if number < 1 << 62 else None
    return found


def _renew(tables: Tables, row: Row, now: float) -> float | None:
    """The later of the entry's end and a whole life from now."""
    if row.ttl is None or row.expires is None:
        return row.expires
    until = max(row.expires, now + row.ttl)
    tables.renew(row.n, until)
    return until


def _until(entry: Entry, expires: float | None) -> Entry:
    return structs.replace(entry, expires_at=expires) if expires is not None else entry
