"""What candidates are called in tables: by their ids, or by letters where those would not fit."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence

from orka.cli import words

Names = Mapping[str, str]

_LETTERS = 26


def room() -> int | None:
    """Characters to a line of the terminal; None if there is no terminal, so that all fits."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def fits(tables: Sequence[str], room: int | None) -> bool:
    """Whether the lines of tables are short enough."""
    return room is None or _width(tables) <= room


def fitted(
    ids: Sequence[str], tables: Callable[[Names], Sequence[str]], room: int | None
) -> list[str]:
    """Tables about candidates. Where their ids make them too wide for the room there is they are
    called by letters, and a list before the tables says which is which."""
    plain = list(tables({id: id for id in ids}))
    if fits(plain, room):
        return plain
    names = {id: _letter(at) for at, id in enumerate(ids)}
    lettered = list(tables(names))
    if _width(lettered) >= _width(plain):
        return plain
    return [words.columns([(letter, id) for id, letter in names.items()]), *lettered]


def _width(tables: Sequence[str]) -> int:
    lines = [line for table in tables for line in words.bare(table).splitlines()]
    return max(map(len, lines), default=0)


def _letter(at: int) -> str:
    """A, B … Z, A1, B1 …"""
    round, place = divmod(at, _LETTERS)
    return f"{chr(ord('A') + place)}{round or ''}"
