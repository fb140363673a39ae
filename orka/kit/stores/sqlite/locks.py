"""Claims on runs that end with the process: one lock file, one locked byte per run."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from orka.errors import RunBusy, StoreError
from orka.kit.stores.sqlite import handles
from orka.kit.stores.sqlite.faults import refused

_SPAN = (1 << 62) - 1
_ALONE = 1 << 62  # outside of what a run's name can be mapped to

_guard = threading.Lock()
_held: set[tuple[int, Path, int]] = (
    set()
)  # locks do not exclude within a process: (pid, file, byte)
_alone = threading.RLock()


class LockFile:
    """The lock file at `path`; made when the first lock is asked for. Raises `StoreError`."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()

    @contextmanager
    def claim(self, run: str) -> Iterator[None]:
        """Hold `run`. Raises `RunBusy` if this or another process holds it."""
        at = int.from_bytes(sha256(run.encode()).digest()[:8], "big") & _SPAN
        handles.use(self._path)
        try:
            self._take(run, at)
            try:
                yield
            finally:
                self._give_back(at)
        finally:
            handles.leave(self._path)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold what only one process may do at a time; waits for its turn."""
        handles.use(self._path)
        try:
            with _alone:
                handle = self._handle()
                _lock(handle, _ALONE, wait=True)
                try:
                    yield
                finally:
                    _unlock(handle, _ALONE)
        finally:
            handles.leave(self._path)

    def _handle(self) -> int:
        try:
            return handles.handle(self._path, create=True)
        except OSError as error:
            raise refused(error, self._path) from error

    def _take(self, run: str, at: int) -> None:
        mine = (os.getpid(), self._path, at)
        handle = self._handle()
        with _guard:
            if mine in _held:
                raise _busy(run, f"process {os.getpid()} (this one)")
            if not _lock(handle, at, wait=False):
                holder = _holder(handle, at)
                raise _busy(run, f"process {holder}" if holder else "another process")
            _held.add(mine)

    def _give_back(self, at: int) -> None:
        mine = (os.getpid(), self._path, at)
        with _guard:
            if mine in _held:
                _unlock(handles.handle(self._path), at)
                _held.discard(mine)


def _busy(run: str, by: str) -> RunBusy:
    return RunBusy(
        f"run {run!r} is being driven by {by}",
        where=f"run {run!r}",
        fix="wait until it ends, or stop that process; the claim ends with it",
    )


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, at: int, *, wait: bool) -> bool:
        os.lseek(handle, at, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if wait:
                raise StoreError(f"the lock file cannot be locked: {error}") from error
            return False
        return True

    def _unlock(handle: int, at: int) -> None:
        os.lseek(handle, at, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

    def _holder(handle: int, at: int) -> int:
        return 0

else:
    import errno
    import fcntl
    import struct

    def _lock(handle: int, at: int, *, wait: bool) -> bool:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, at)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            raise StoreError(
                f"the lock file cannot be locked: {error.strerror}",
                fix="use a folder on a file system that has POSIX locks",
                code="store.unlockable",
            ) from error
        return True

    def _unlock(handle: int, at: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, at)

    def _holder(handle: int, at: int) -> int:
        """The process that holds the byte, 0 if the system does not say."""
        if sys.platform != "linux":
            return 0
        flock = struct.Struct("hhqqi")
        asked = flock.pack(fcntl.F_WRLCK, os.SEEK_SET, at, 1, 0)
        answer = fcntl.fcntl(handle, fcntl.F_GETLK, asked)
        kind, _, _, _, process = flock.unpack(answer)
        return 0 if kind == fcntl.F_UNLCK else int(process)
