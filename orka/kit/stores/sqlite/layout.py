"""What the bytes in `runs.db` mean: tables, keys, and the sums that bind a line to its place.

The events of all runs are one table, clustered by key: `run number << 32 | seq`, so that a run's
lines lie side by side and no second index grows with them. A run's row holds its length and its
last sum: lines cannot vanish unnoticed. A sum is the CRC-32 of the run's name and all its lines so
far; a line that verifies is the right line of the right run at the right place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

APPLICATION = 0x4F724B00  # "OrK" and, in the last byte, the version once more (below 256)
VERSION = 1
PAGE = 4096
SEQS = 1 << 32  # events that fit into a run; as many runs fit into a file

SCHEMA = (
    "create table runs"
    "(n integer primary key, id blob not null unique, length int not null, sum int not null)",
    "create table events(key integer primary key, sum int not null, line blob not null)",
    "create table blobs(digest blob not null unique, data blob not null)",
    f"pragma application_id = {APPLICATION | VERSION}",
    f"pragma user_version = {VERSION}",
)


class Row(NamedTuple):
    """One row of `events`."""

    key: int
    sum: int
    line: bytes


class Head(NamedTuple):
    """Where a run ends: its number in the file (0: it has none yet), its length and last sum."""

    number: int
    length: int
    sum: int

    def key(self, seq: int) -> int:
        return self.number * SEQS + seq

    def grown(self, lines: Sequence[bytes]) -> tuple[Head, list[tuple[int, int, bytes]]]:
        """The head after `lines`, and their rows (plain, for speed)."""
        rows, total = [], self.sum
        for key, line in enumerate(lines, self.key(self.length)):
            total = crc32(line, total)
            rows.append((key, total, line))
        return Head(self.number, self.length + len(lines), total), rows


def seed(run: str) -> int:
    """The sum of a run that has no lines yet."""
    return crc32(run.encode())


def intact(rows: Sequence[Row], first: int, before: int) -> bool:
    """Whether `rows` have the keys from `first` on, and sums that follow from the one before."""
    for key, (found, kept, line) in enumerate(rows, first):
        if found != key or type(line) is not bytes:
            return False
        before = crc32(line, before)
        if before != kept:
            return False
    return True
