"""Whether the file has all the pages its own header counts; what it lacks may be in the log."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from orka.kit.stores.sqlite.layout import PAGE
from orka.kit.stores.sqlite.log import committed

_HEADER = 100
_COUNTS = struct.Struct(">24xII60xI4x")  # changes, pages, and the changes the pages were counted at


def shortage(handle: int, log: Path) -> tuple[int, int] | None:
    """(bytes there are, bytes there should be) of a file that was cut, None if it was not."""
    os.lseek(handle, 0, os.SEEK_SET)
    pages = _counted(os.read(handle, _HEADER))
    if os.fstat(handle).st_size >= pages * PAGE:
        return None
    # Half a checkpoint looks the same. Its pages stay in the log until the file is whole: so the
    # log is read first, then the size again.
    logged = {frame.page for frame in committed(log)}
    size = os.fstat(handle).st_size
    if all(page in logged for page in range(size // PAGE + 1, pages + 1)):
        return None
    return size, pages * PAGE


def _counted(header: bytes) -> int:
    """How many pages `header` counts, 0 if it does not say so reliably."""
    if len(header) < _HEADER:
        return 0
    changes, pages, counted_at = _COUNTS.unpack(header)
    return pages if changes == counted_at else 0
