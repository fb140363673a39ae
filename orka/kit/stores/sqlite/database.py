"""The file `runs.db`: opened when it is first needed, created when it is first written."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from contextlib import ExitStack
from pathlib import Path

from orka.errors import StoreError
from orka.kit.stores.sqlite import handles
from orka.kit.stores.sqlite.extent import shortage
from orka.kit.stores.sqlite.faults import refused
from orka.kit.stores.sqlite.layout import APPLICATION, PAGE, SCHEMA, VERSION
from orka.kit.stores.sqlite.locks import LockFile
from orka.kit.stores.sqlite.log import Frame, committed, torn, unseen
from orka.kit.stores.sqlite.repair import keep_aside, rewrite
from orka.kit.stores.sqlite.salvage import Salvage

_LOG_PAGES = 4_000  # where SQLite moves the log's pages to the file: 16 MB

_log = logging.getLogger("orka")


class Database:
    """One connection to the file in `folder`. Hold `lock` while using what it hands out."""

    def __init__(self, folder: Path, *, synchronous: str, patience: float) -> None:
        self.folder, self.file = folder, folder / "runs.db"
        self.log, self._index = folder / "runs.db-wal", folder / "runs.db-shm"
        self.lock = threading.RLock()
        self.locks = LockFile(folder / "locks")
        self._synchronous, self._patience = synchronous, patience
        self.doubtful = False
        self._connection: sqlite3.Connection | None = None
        self._writable = self._raw = False

    def exists(self) -> bool:
        """Whether anything was ever written."""
        return _size(self.file) > 0 or _size(self.log) > 0

    def reading(self) -> sqlite3.Connection | None:
        """A connection to read with, None if there is nothing SQLite can read."""
        if self._connection is None and self.exists():
            try:
                self._connection = self._opened("mode=ro")
            except sqlite3.OperationalError:
                if os.access(self.folder, os.W_OK):
                    raise
                if _size(self.log):  # SQLite needs to write to read a log; the bytes do not
                    self.doubtful = True
                    return None
                self._connection = self._opened("mode=ro&immutable=1")
            self.doubtful = True
        if self.doubtful:  # asked again each time: a writer may just have been between two steps
            self.doubtful = bool(self._unseen())
        return self._connection

    def writing(self) -> sqlite3.Connection:
        """A connection to write with; makes folder, file and tables if need be."""
        if self._connection is None or not self._writable:
            self.prepare()
            try:
                with self.locks.alone(), ExitStack() as undo:
                    connection = self._opened("mode=rwc")
                    undo.callback(self._release, connection)
                    self._heal(connection)
                    undo.pop_all()
            except OSError as error:
                raise refused(error, self.folder) from error
            self._disconnect()
            self._connection, self._writable = connection, True
        return self._connection

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

    def raw(self) -> int | None:
        """A descriptor to read the file with, None if there is no file; `close` lets go of it."""
        if not self.file.exists():
            return None
        if not self._raw:
            handles.use(self.file)
            self._raw = True
        return handles.handle(self.file)

    def salvage(self) -> Salvage:
        """All that can be read without SQLite."""
        return Salvage(self.raw(), committed(self.log))

    def shortage(self) -> tuple[int, int] | None:
        """(bytes there are, bytes there should be) of a file that was cut, None if it was not."""
        handle = self.raw()
        return None if handle is None else shortage(handle, self.log)

    def close(self) -> None:
        self._disconnect()
        if self._raw:
            handles.leave(self.file)
            self._raw = False

    def _disconnect(self) -> None:
        if self._connection:
            self._release(self._connection)
        self._connection, self._writable = None, False

    def _release(self, connection: sqlite3.Connection) -> None:
        connection.close()
        self._leave()

    def _leave(self) -> None:
        handles.leave(self.file)
        handles.leave(self._index)

    def _opened(self, query: str) -> sqlite3.Connection:
        handles.use(self.file)
        handles.use(self._index)
        with ExitStack() as undo:
            undo.callback(self._leave)
            connection = self._connect(query)
            undo.callback(connection.close)
            if not self._check_version(connection) and query == "mode=rwc":
                self._create(connection)
            connection.execute(f"pragma synchronous = {self._synchronous}")
            connection.execute(f"pragma wal_autocheckpoint = {_LOG_PAGES}")
            connection.execute(f"pragma journal_size_limit = {_LOG_PAGES * PAGE}")
            undo.pop_all()
        return connection

    def _connect(self, query: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self.file.absolute().as_uri()}?{query}",
            uri=True,
            timeout=self._patience,
            isolation_level=None,
            check_same_thread=False,
        )

    def _unseen(self) -> list[Frame]:
        """Committed frames of the log that SQLite, for damage before them, does not see."""
        if not _size(self.log) or not self._index.exists():
            return []
        frames = committed(self.log)
        index = handles.handle(self._index)
        os.lseek(index, 0, os.SEEK_SET)
        return unseen(frames, os.read(index, 64))

    def _heal(self, connection: sqlite3.Connection) -> None:
        """Keep what the next write to a damaged log would destroy."""
        if not _size(self.log):
            return
        if torn(self.log):
            _log.warning(
                "the journal %s ended in 1 torn record; it is dropped, all before it is kept",
                self.log,
            )
        connection.execute("begin immediate")
        try:
            lost = self._unseen()
            if lost:
                keep_aside(self.log)
                rewrite(connection, self.salvage(), lost)
            connection.execute("commit")
        finally:
            if connection.in_transaction:
                connection.execute("rollback")
        if lost:  # what is left of the damaged log must not be taken for commits again
            connection.execute("pragma wal_checkpoint(truncate)")
        self.doubtful = False

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
        tables: int = connection.execute("select count(*) from sqlite_master").fetchone()[0]
        if (version, mark, tables > 0) in (
            (0, 0, False),
            (VERSION, APPLICATION | VERSION, True),
        ):
            return version
        if VERSION < version < 256 and mark == APPLICATION | version:
            raise StoreError(
                f"the store was written by a newer OrKa (layout {version}, not {VERSION})",
                where=str(self.file),
                fix="update OrKa, or use another folder",
                code="store.newer",
            )
        raise sqlite3.DatabaseError(f"layout {version}, mark {mark:#x} is none of ours")


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
