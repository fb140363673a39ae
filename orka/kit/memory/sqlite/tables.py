"""What the bytes in the file mean, and the questions that are asked of them."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable

import msgspec

from orka.kit.memory.sqlite.seen import ALIVE, PLACE, Seen
from orka.kit.memory.sqlite.terms import sameness, words
from orka.port.memory import Draft, Entry
from orka.value import canonical, digest, parse

APPLICATION = 0x4F724D00  # "OrM" and, in the last byte, the version once more
VERSION = 1
SCHEMA = (
    "create table entries(n integer primary key autoincrement, namespace text not null,"
    " user text not null, key text, same text not null, content text not null,"
    " metadata text not null, memory_type text not null, category text not null, importance real,"
    " created real not null, updated real not null, expires real, version int not null,"
    " node text not null, run text not null, ttl real, renew int not null, vector blob)",
    "create unique index by_key on entries(namespace, user, key) where key is not null",
    "create index by_same on entries(namespace, user, same)",
    "create index by_expiry on entries(expires) where expires is not null",
    # Words come folded from `terms`; here they only have to be told apart.
    "create virtual table words using fts5(text, tokenize = 'ascii')",
    "create table answers(once text primary key, answer blob not null) without rowid",
    f"pragma application_id = {APPLICATION | VERSION}",
    f"pragma user_version = {VERSION}",
)
_COLUMNS = (
    "n, namespace, user, key, content, metadata, memory_type, category, importance, created,"
    " updated, expires, version, node, run, ttl, renew"
)


class Row(msgspec.Struct, frozen=True):
    """One row of `entries`: the entry, and what only the memory needs to know."""

    n: int
    entry: Entry
    ttl: float | None
    renew: bool

    @property
    def expires(self) -> float | None:
        return self.entry.expires_at

    def alive(self, now: float) -> bool:
        return self.expires is None or self.expires > now


class Tables:
    """What SQLite makes of the file. Raises `sqlite3.Error`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.seen = Seen(connection)

    def row(self, n: int) -> Row:
        found = self._one(f"select {_COLUMNS} from entries where n = ?", n)
        if found is None:
            raise sqlite3.DatabaseError(f"entry {n} has words but is not there")
        return found

    def by_key(self, namespace: str, user: str, key: str) -> Row | None:
        where = f"{PLACE} and key = ?"
        return self._one(f"select {_COLUMNS} from entries where {where}", namespace, user, key)

    def by_id(self, namespace: str, user: str, n: int) -> Row | None:
        where = f"n = ? and {PLACE}"
        return self._one(f"select {_COLUMNS} from entries where {where}", n, namespace, user)

    def by_words(self, draft: Draft, now: float) -> Row | None:
        """The oldest entry that says the same."""
        where = f"{PLACE} and same = ? and {ALIVE} order by n limit 1"
        same = _same(draft.content)
        sql = f"select {_COLUMNS} from entries where {where}"
        return self._one(sql, draft.namespace, draft.user, same, now)

    def insert(self, draft: Draft, now: float, expires: float | None) -> int:
        values = (*_values(draft), now, now, expires, 1)
        marks = ", ".join("?" * len(values))
        added = self._connection.execute(
            "insert into entries(namespace, user, key, same, content, metadata, memory_type,"
            " category, importance, node, run, ttl, renew, vector, created, updated, expires,"
            f" version) values ({marks})",
            values,
        )
        n = int(added.lastrowid or 0)
        self._index(n, draft.content)
        return n

    def update(self, n: int, draft: Draft, now: float, expires: float | None) -> None:
        self._connection.execute(
            "update entries set namespace = ?, user = ?, key = ?, same = ?, content = ?,"
            " metadata = ?, memory_type = ?, category = ?, importance = ?, node = ?, run = ?,"
            " ttl = ?, renew = ?, vector = ?, updated = ?, expires = ?, version = version + 1"
            " where n = ?",
            (*_values(draft), now, expires, n),
        )
        self._connection.execute("delete from words where rowid = ?", (n,))
        self._index(n, draft.content)

    def refresh(self, n: int, metadata: str, now: float, expires: float | None) -> None:
        sql = "update entries set metadata = ?, updated = ?, expires = ? where n = ?"
        self._connection.execute(sql, (metadata, now, expires, n))

    def renew(self, n: int, expires: float) -> None:
        self._connection.execute("update entries set expires = ? where n = ?", (expires, n))

    def remove(self, numbers: Iterable[int]) -> int:
        rows = [(n,) for n in numbers]
        self._connection.executemany("delete from entries where n = ?", rows)
        self._connection.executemany("delete from words where rowid = ?", rows)
        return len(rows)

    def gone(self, now: float, limit: int) -> list[int]:
        """Entries whose time is over; a negative limit is none."""
        sql = "select n from entries where expires <= ? order by expires, n limit ?"
        return [n for (n,) in self._connection.execute(sql, (now, limit))]

    def answer(self, once: str) -> bytes | None:
        sql = "select answer from answers where once = ?"
        found = self._connection.execute(sql, (once,)).fetchone()
        return found[0] if found else None

    def keep_answer(self, once: str, answer: bytes) -> None:
        self._connection.execute("insert into answers values (?, ?)", (once, answer))

    def _index(self, n: int, content: str) -> None:
        sql = "insert into words(rowid, text) values (?, ?)"
        self._connection.execute(sql, (n, " ".join(words(content))))

    def _one(self, sql: str, *values: object) -> Row | None:
        found = self._connection.execute(sql, values).fetchone()
        return _row(*found) if found else None


def _same(content: str) -> str:
    return digest(sameness(content).encode())


def _values(draft: Draft) -> tuple[object, ...]:
    return (
        draft.namespace,
        draft.user,
        draft.key or None,
        _same(draft.content),
        draft.content,
        canonical(draft.metadata).decode(),
        draft.memory_type,
        draft.category,
        draft.importance,
        draft.node,
        draft.run,
        draft.ttl,
        draft.renew_on_read,
        None if draft.vector is None else array("d", draft.vector).tobytes(),
    )


def _row(
    n: int,
    namespace: str,
    user: str,
    key: str | None,
    content: str,
    metadata: str,
    memory_type: str,
    category: str,
    importance: float | None,
    created: float,
    updated: float,
    expires: float | None,
    version: int,
    node: str,
    run: str,
    ttl: float | None,
    renew: int,
) -> Row:
    entry = Entry(
        id=f"m{n}",
        namespace=namespace,
        key=key or f"m{n}",
        user=user,
        content=content,
        metadata=parse(metadata),
        memory_type=memory_type,
        category=category,
        importance=importance,
        created_at=created,
        updated_at=updated,
        expires_at=expires,
        version=version,
        node=node,
        run=run,
    )
    return Row(n, entry, ttl, bool(renew))
