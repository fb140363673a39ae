"""The desk: a SQLite file with the accounts, and with what was done to tickets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from orka.value import Json, canonical, parse
from orka_support_triage.place import home

FILE = "desk.sqlite"
_ACCOUNTS = "accounts.json"
_TABLES = """
CREATE TABLE IF NOT EXISTS accounts (customer_id TEXT PRIMARY KEY, account TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS actions (
    key TEXT PRIMARY KEY, action TEXT NOT NULL, ticket_id TEXT NOT NULL, args TEXT NOT NULL
);
"""
# A writer waits for another one this long.
_PATIENCE = 10.0


@contextmanager
def desk(folder: Path | None = None) -> Iterator[sqlite3.Connection]:
    """The desk of a folder, made and filled at its first use. What is done in one `with` is done
    whole or not at all."""
    connection = sqlite3.connect((folder or home()) / FILE, timeout=_PATIENCE)
    try:
        with connection:
            connection.executescript(_TABLES)
            _fill(connection)
        with connection:
            yield connection
    finally:
        connection.close()


def _fill(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM accounts LIMIT 1").fetchone():
        return
    written = resources.files("orka_support_triage").joinpath(_ACCOUNTS).read_bytes()
    rows = [(each["customer_id"], canonical(each).decode()) for each in parse(written)]
    connection.executemany("INSERT OR IGNORE INTO accounts VALUES (?, ?)", rows)


def account_of(customer_id: str) -> dict[str, Json] | None:
    """The account of a customer, None if there is none."""
    with desk() as connection:
        row = connection.execute(
            "SELECT account FROM accounts WHERE customer_id = ?", (customer_id,)
        ).fetchone()
    return None if row is None else dict(parse(row[0]))


def act(action: str, key: str, ticket_id: str, args: Mapping[str, Json]) -> dict[str, Json]:
    """Do something to a ticket, once for each key: a second call gives what the first one gave."""
    with desk() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO actions VALUES (?, ?, ?, ?)",
            (key, action, ticket_id, canonical(dict(args)).decode()),
        )
    return {"done": action, "ticket_id": ticket_id, **args}


def done(folder: Path | None = None) -> list[dict[str, Json]]:
    """All that was done, in order."""
    with desk(folder) as connection:
        rows = connection.execute(
            "SELECT action, ticket_id, args FROM actions ORDER BY rowid"
        ).fetchall()
    return [{"action": row[0], "ticket_id": row[1], "args": parse(row[2])} for row in rows]
