"""What goes wrong underneath, in words of a user who knows nothing of SQLite."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from orka.errors import StoreCorrupt, StoreError

_NOTHING_LOST = "nothing that was recorded is lost"
# What SQLite raises; of a damaged file it may quote text that is no text.
FAULTS = (sqlite3.Error, UnicodeDecodeError)
# SQLite tells "disk full" only from ENOSPC; a quota or a size limit is an error of writing.
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE}
_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_COMMON = _LOCKED | _UNWRITABLE | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


def refused(error: OSError, path: Path) -> StoreError:
    """The error for a file system that says no."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return _full(path, str(error))
    return StoreError(
        f"the store cannot be written: {error.strerror}",
        where=str(path),
        fix="make the folder writable, or choose another one",
        code="store.unwritable",
    )


def explained(error: Exception, path: Path) -> StoreError:
    """What an error of SQLite means to a user who knows nothing of SQLite."""
    code = reason(error)
    if code & 0xFF == sqlite3.SQLITE_FULL or code in _FULL:
        return _full(path, str(error))
    if code & 0xFF in _UNWRITABLE:
        return StoreError(
            f"the store cannot be written: {error}",
            where=str(path),
            fix="make the folder and its files writable, or choose another folder",
            code="store.unwritable",
        )
    if code & 0xFF in _LOCKED:
        return StoreError(
            f"another program keeps the store locked; {_NOTHING_LOST}",
            where=str(path),
            fix="see who has it open (`fuser`), then resume the run",
            code="store.locked",
        )
    if code == sqlite3.SQLITE_TOOBIG:
        return StoreError(
            "a value is larger than 1 GB, which SQLite cannot hold",
            where=str(path),
            fix="write the value to a file and pass its name on",
            code="store.too_large",
        )
    if isinstance(error, (sqlite3.ProgrammingError, sqlite3.InterfaceError)):
        return StoreError(f"the store was misused: {error}", where=str(path))
    return StoreCorrupt(
        f"the store's file is damaged: {error}",
        valid=0,
        where=str(path),
        fix="`orka resume RUN --salvage --into DIR` copies what is intact to another folder",
    )


def locked(error: Exception) -> bool:
    """Whether it was only that somebody else is writing."""
    return reason(error) & 0xFF in _LOCKED


def common(error: Exception) -> bool:
    """Whether the file system or another writer is at fault: every append would meet it."""
    return reason(error) & 0xFF in _COMMON


def reason(error: Exception) -> int:
    """SQLite's extended result code, 0 if the error does not come from the library itself."""
    code = getattr(error, "sqlite_errorcode", 0)  # absent on errors raised by the Python module
    return int(code)


def _full(path: Path, detail: str) -> StoreError:
    return StoreError(
        f"no space is left to write to the store ({detail}); {_NOTHING_LOST}",
        where=str(path),
        fix="free some space (or raise the quota), then resume the run",
        code="store.full",
    )
