"""SQLite's write-ahead log, read as bytes: what was committed, and how much of it SQLite sees."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from orka.kit.stores.sqlite.layout import PAGE

_HEADER, _FRAME = 32, 24
_FRAME_HEAD = struct.Struct(">IIQ")  # page, pages after a commit (else 0), both salts


class Frame(NamedTuple):
    """One page as it was written to the log; `commit` if a transaction ended with it."""

    page: int
    commit: bool
    salts: int
    image: bytes


def torn(log: Path) -> bool:
    """True if the log ends in half a record: the process that wrote it died while it wrote."""
    size = log.stat().st_size if log.exists() else 0
    return size > _HEADER and (size - _HEADER) % (_FRAME + PAGE) != 0


def committed(log: Path) -> list[Frame]:
    """The frames up to the last commit, whatever has been damaged between them."""
    if not log.exists():
        return []
    data = log.read_bytes()
    frames = list(_frames(data))
    salts = int.from_bytes(data[16:24], "big")
    if frames and all(frame.salts != salts for frame in frames):
        salts = frames[0].salts  # the header is damaged: go by what it was the header of
    last = -1
    for at, frame in enumerate(frames):
        if frame.commit and frame.salts == salts:
            last = at
    return frames[: last + 1]


def unseen(frames: list[Frame], index: bytes) -> list[Frame]:
    """Those of the `committed` frames that SQLite does not see, by its shared index (`-shm`)."""
    if not frames:
        return []
    seen, salts = int.from_bytes(index[16:20], sys.byteorder), int.from_bytes(index[32:40], "big")
    generations = {frame.salts for frame in frames}
    if salts and salts not in generations:
        return []  # the log was begun anew: its frames are all in the file
    return frames[seen:]


def _frames(data: bytes) -> Iterator[Frame]:
    for at in range(_HEADER, len(data) - _FRAME - PAGE + 1, _FRAME + PAGE):
        page, pages, salts = _FRAME_HEAD.unpack_from(data, at)
        start = at + _FRAME
        yield Frame(page, pages > 0, salts, data[start : start + PAGE])
