"""How much of a damaged trace can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from orka.errors import StoreCorrupt
from orka.event.codec import GENESIS, decode, verify


def valid_prefix(lines: Sequence[bytes], blob: Callable[[str], bytes]) -> int:
    """How many lines, from the first on, are linked, can be decoded, and have all their blobs."""
    prev = GENESIS
    for seq, line in enumerate(lines):
        try:
            prev = verify([line], "", seq, prev)
            decode(line, blob)
        except (StoreCorrupt, msgspec.DecodeError):
            return seq
    return len(lines)
