"""Rows found in the bytes of a page, with no help from the page's own directory.

A table row is stored as: size and rowid (varints), a header of column types, the columns, and for
rows above 4,061 bytes the number of a page where the rest is. Whether a find is what it seems is
for the sums and digests to say. Format: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from orka.kit.stores.sqlite.layout import PAGE

Column = bytes | int | None
Fetch = Callable[[int], bytes]  # the image of a page by its number, empty if there is none
Wanted = Callable[[int], bool]

_MOST = PAGE - 35
_LEAST = (PAGE - 12) * 32 // 255 - 23
_INTS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}

# The types of a row's first columns, which follow the length of its header.
ROW = re.compile(rb"\x00[\x01-\xff]", re.DOTALL)  # a key (which is kept as the rowid), then more
BLOB = re.compile(rb"\x81\x0c", re.DOTALL)  # 64 bytes, then more
_HEADER_LENGTHS = range(4, 10)


class Cell(NamedTuple):
    """A row: its rowid, and its columns as stored."""

    rowid: int
    columns: list[Column]


def cells(
    image: bytes, types: re.Pattern[bytes], fetch: Fetch, wanted: Wanted = lambda _: True
) -> Iterator[Cell]:
    """All that can be read as a row of such types and a wanted rowid, live or left over."""
    for found in types.finditer(image):
        start = found.start() - 1
        if start < 2 or image[start] not in _HEADER_LENGTHS:
            continue
        rowid, before = _rowid(image, start)
        if before and wanted(rowid):
            columns = _columns(image, start, before, fetch)
            if columns is not None:
                yield Cell(rowid, columns)


def _rowid(image: bytes, end: int) -> tuple[int, int]:
    """The varint that stops at `end`, and where it starts: all its bytes but the last are high."""
    start = end - 1
    if start < 1 or image[start] >= 0x80:
        return 0, 0
    while start > 1 and image[start - 1] >= 0x80:
        start -= 1
    return _varint(image, start)[0], start


def _columns(image: bytes, start: int, before: int, fetch: Fetch) -> list[Column] | None:
    """The columns of the row with that header, None if its size (before the rowid) disagrees."""
    at, types = image[start], _types(image, start)
    if types is None:
        return None
    size = at + sum(map(_length, types))
    written = _as_varint(size)
    if image[max(0, before - len(written)) : before] != written:
        return None
    payload = _payload(image, start, size, fetch)
    if payload is None:
        return None
    columns: list[Column] = []
    for kind in types:
        data = payload[at : at + _length(kind)]
        at += len(data)
        columns.append(_value(kind, data))
    return columns


def _types(image: bytes, start: int) -> list[int] | None:
    at, end = start + 1, start + image[start]
    types: list[int] = []
    while at < end:
        kind, at = _varint(image, at)
        if kind not in _INTS and kind != 0 and (kind < 12 or kind % 2):
            return None
        types.append(kind)
    return types if at == end else None


def _payload(image: bytes, start: int, size: int, fetch: Fetch) -> bytes | None:
    """The whole payload, gathered from overflow pages if it is long."""
    if size <= _MOST:
        whole = image[start : start + size]
        return whole if len(whole) == size else None
    local = _LEAST + (size - _LEAST) % (PAGE - 4)
    if local > _MOST:
        local = _LEAST
    parts, missing = [image[start : start + local]], size - local
    following = int.from_bytes(image[start + local : start + local + 4], "big")
    while missing > 0:
        page = fetch(following)
        part = page[4 : 4 + missing]
        if not part or (len(part) < missing and len(page) < PAGE):
            return None
        parts.append(part)
        missing -= len(part)
        following = int.from_bytes(page[:4], "big")
    return b"".join(parts)


def _length(kind: int) -> int:
    return (kind - 12) // 2 if kind >= 12 else _INTS.get(kind, 0)


def _value(kind: int, data: bytes) -> Column:
    if kind >= 12:
        return data
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(data, "big", signed=True) if kind else None


def _varint(image: bytes, at: int) -> tuple[int, int]:
    """(value, where it ends); beyond the image everything is zero."""
    value = 0
    for count in range(9):
        byte = image[at + count] if at + count < len(image) else 0
        if count == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    raise AssertionError("a varint has at most nine bytes")


def _as_varint(value: int) -> bytes:
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F | 0x80)
    return bytes(reversed(groups))
