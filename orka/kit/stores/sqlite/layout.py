"""What the bytes in `runs.db` mean: tables, keys, and the sums that bind a line to its place.

The events of all runs are one table, clustered by key: `run number << 32 | seq`, so that a run's
lines lie side by side and an append touches one page. A run's rows close with an *end row* (key
`run number << 32 | END`) that holds the length and the last sum: rows cannot vanish unnoticed.
A sum is the CRC-32 of the run's name and all its lines so far; a line that verifies is the right
line of the right run at the right place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

APPLICATION = 0x4F724B00  # "OrK" and, in the last byte, the version once more (below 256)
VERSION = 1
PAGE = 4096
END = 0xFFFFFFFF

SCHEMA = (
    "create table runs(n integer primary key, id blob not null unique)",
    "create table events(key integer primary key, sum int not null, line blob not null)",
    "create table blobs(digest blob not null unique, data blob not null)",
    f"pragma application_id = {APPLICATION | VERSION}",
    f"pragma user_version = {VERSION}",
)


class Row(NamedTuple):
    """One row of `events`; `line` is the length in an end row."""

    key: int
    sum: int
    line: bytes | int


class Head(NamedTuple):
    """Where a run ends: its number in the file, its length and its last sum."""

    number: int
    length: int
    sum: int

    @property
    def first_key(self) -> int:
        return self.number << 32

    @property
    def end_key(self) -> int:
        return self.number << 32 | END

    def grown(self, lines: Sequence[bytes]) -> tuple[Head, list[Row]]:
        """The head after `lines`, and their rows."""
        rows, total = [], self.sum
        for key, line in enumerate(lines, self.first_key + self.length):
            total = crc32(line, total)
            rows.append(Row(key, total, line))
        return Head(self.number, self.length + len(lines), total), rows


def seed(run: str) -> int:
    """The sum of a run that has no lines yet."""
    return crc32(run.encode())


def intact(rows: Sequence[Row], head: Head, start: int, before: int) -> bool:
    """Whether `rows` are exactly the lines from `start` on, up to the end `head` speaks of."""
    if len(rows) != max(0, head.length - start):
        return False
    for key, (found, kept, line) in enumerate(rows, head.first_key + start):
        if found != key or type(line) is not bytes:
            return False
        before = crc32(line, before)
        if before != kept:
            return False
    return start > head.length or before == head.sum
