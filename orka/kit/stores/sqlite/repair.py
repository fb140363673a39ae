"""Commits that SQLite cannot reach, because the log is damaged before them, are written again."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from orka.kit.stores.sqlite.layout import Head, seed
from orka.kit.stores.sqlite.log import Frame
from orka.kit.stores.sqlite.salvage import Salvage
from orka.kit.stores.sqlite.tables import Tables

_RUN = "insert or replace into runs values(?, ?, ?, ?)"
_LINE = "insert or ignore into events values(?, ?, ?)"
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
    images = [frame.image for frame in unseen]
    moved = salvage.moved_in(images)
    for number, run in salvage.runs():
        if number not in moved:
            continue
        prefix, head = salvage.prefix(run, number), Tables(connection).head(run)
        length, total = max(prefix.ends)
        if head.length < length:
            connection.execute(_RUN, (number, run.encode(), length, total))
            connection.executemany(_LINE, Head(number, 0, seed(run)).grown(prefix.lines)[1])
    for digest, data in salvage.blobs_in(images):
        connection.execute(_KEEP, (digest.encode(), data))
