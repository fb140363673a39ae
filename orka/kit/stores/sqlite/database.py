"""The file `runs.db`: opened when it is first needed, created when it is first written."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from pathlib import Path

from orka.errors import StoreCorrupt, StoreError
from orka.kit.stores.sqlite.layout import APPLICATION, PAGE, SCHEMA, VERSION
from orka.kit.stores.sqlite.locks import LockFile

_BUSY_SECONDS = 10.0
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE}
_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NOTHING_LOST = "nothing that was recorded is lost"


class Database:
    """One connection to the file in `folder`. Hold `lock` while using what it hands out."""

    def __init__(self, folder: Path, *, synchronous: str) -> None:
        self.folder, self.file = folder, folder / "runs.db"
        self.log = folder / "runs.db-wal"
        self.lock = threading.RLock()
        self.locks = LockFile(folder / "locks")
        self._synchronous = synchronous
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None

    def reading(self) -> sqlite3.Connection | None:
        """A connection to read with, or None when nothing was ever written."""
        if self._writer or self._reader:
            return self._writer or self._reader
        if not self.file.exists() or not (self.file.stat().st_size or _size(self.log)):
            return None
        connection = self._connect("ro")
        self._check_version(connection)
        self._reader = connection
        return connection

    def writing(self) -> sqlite3.Connection:
        """A connection to write with; makes folder, file and tables if need be."""
        if self._writer is None:
            self.prepare()
            with self.locks.alone():
                self._writer = self._open()
            if self._reader:
                self._reader.close()
                self._reader = None
        return self._writer

    def prepare(self) -> None:
        """Make the folder. Raises `StoreError` when that is not allowed."""
        if self.folder.is_dir():
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / ".gitignore").write_text("*\n")
            _sync(self.folder.parent)
        except OSError as error:
            raise refused(error, self.folder) from error

    def close(self) -> None:
        for connection in (self._writer, self._reader):
            if connection:
                connection.close()
        self._writer = self._reader = None

    def _connect(self, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.file.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )

    def _open(self) -> sqlite3.Connection:
        connection = self._connect("rwc")
        try:
            if not self._check_version(connection):
                self._create(connection)
            connection.execute(f"pragma synchronous = {self._synchronous}")
            connection.execute("pragma journal_size_limit = 16777216")
        except BaseException:
            connection.close()
            raise
        return connection

    def _create(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"pragma page_size = {PAGE}")
        connection.execute("pragma journal_mode = wal")
        connection.execute("begin immediate")
        for statement in SCHEMA:
            connection.execute(statement)
        connection.execute("commit")

    def _check_version(self, connection: sqlite3.Connection) -> int:
        """The version of the layout, 0 for a file that is new."""
        version: int = connection.execute("pragma user_version").fetchone()[0]
        mark: int = connection.execute("pragma application_id").fetchone()[0]
        if (version, mark) in ((0, 0), (VERSION, APPLICATION | VERSION)):
            return version
        connection.close()
        if version > VERSION and mark == APPLICATION | (version & 0xFF):
            raise StoreError(
                f"the store was written by a newer OrKa (layout {version}; this one reads {VERSION})",
                where=str(self.file),
                fix="update OrKa, or use another folder",
                code="store.newer",
            )
        raise sqlite3.DatabaseError(f"layout {version}, mark {mark:#x} is none of ours")


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


def explained(error: sqlite3.Error, path: Path) -> StoreError:
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
            f"another program has been writing to the store for {_BUSY_SECONDS:g} s; "
            + _NOTHING_LOST,
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
    return StoreCorrupt(
        f"the store's file is damaged: {error}",
        valid=0,
        where=str(path),
        fix="keep a copy of the folder and record new runs in another one; "
        "what is intact can still be read",
    )


def damages(error: sqlite3.Error) -> bool:
    """Whether `error` speaks of what is in the file, not of who may use it."""
    return isinstance(explained(error, Path()), StoreCorrupt)


def reason(error: sqlite3.Error) -> int:
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


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _sync(folder: Path) -> None:
    """Make the entries of `folder` durable, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
