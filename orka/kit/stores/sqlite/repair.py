"""Commits that SQLite cannot reach, because the log is damaged before them, are written again."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from orka.kit.stores.sqlite.layout import END, Row
from orka.kit.stores.sqlite.log import Frame
from orka.kit.stores.sqlite.salvage import Prefix, Salvage
from orka.kit.stores.sqlite.tables import Tables

_NAME = "insert or ignore into runs values(?, ?)"
_LINE = "insert or ignore into events values(?, ?, ?)"
_CLOSE = "insert or replace into events values(?, ?, ?)"
_KEEP = "insert or ignore into blobs values(?, ?)"


def keep_aside(file: Path) -> Path:
    """A durable copy of `file` under a name that is free; what is damaged is never lost."""
    data = file.read_bytes()
    for number in count(1):
        copy = file.with_name(f"{file.name}.damaged-{number}")
        if not copy.exists():
            break
    with copy.open("xb") as target:
        target.write(data)
        target.flush()
        os.fsync(target.fileno())
    return copy


def rewrite(connection: sqlite3.Connection, salvage: Salvage, unseen: Iterable[Frame]) -> None:
    """Bring back, in one transaction of the caller, what the `unseen` frames prove.

    A run whose lost part cannot be proven whole keeps the end it had, so that the loss shows.
    """
    tables, images = Tables(connection), [frame.image for frame in unseen]
    touched = salvage.ended_in(images)
    for number, run in salvage.runs():
        if number not in touched:
            continue
        prefix, end = salvage.prefix(run, number), tables.end(number)
        length, total = max(prefix.ends)
        if end is None or end.length < length:
            connection.execute(_NAME, (number, run.encode()))
            connection.executemany(_LINE, _rows(number, prefix))
            end_row = Row(number << 32 | END, total, length)
            connection.execute(_CLOSE, end_row)
    for digest, data in salvage.blobs_in(images):
        connection.execute(_KEEP, (digest.encode(), data))


def _rows(number: int, prefix: Prefix) -> list[Row]:
    return [
        Row(number << 32 | seq, total, line)
        for seq, (line, total) in enumerate(zip(prefix.lines, prefix.sums[1:], strict=True))
    ]
