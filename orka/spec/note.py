"""What a file will do at one place, and what an older runtime did there."""

from __future__ import annotations

import msgspec


class Note(msgspec.Struct, frozen=True):
    """`where` is a place in the file; `does` says what happens now, `did` what OrKa 0.9 made of it.
    A `warning` is about something written in vain."""

    where: str
    does: str
    did: str
    warning: bool = False
