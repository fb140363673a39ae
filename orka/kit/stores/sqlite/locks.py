"""Claims on runs that end with the process: one lock file, one locked byte per run.

POSIX drops a process's locks on a file when *any* descriptor of it is closed, so all stores of a
process that share a folder share one descriptor; a registry keeps it while claims are held.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from orka.errors import RunBusy, StoreError

_SPAN = (1 << 62) - 1
_ALONE = 1 << 62  # outside of what a run's name can be mapped to


@dataclass(slots=True)
class _Shared:
    """What the stores of this process share about one lock file."""

    handle: int
    process: int
    held: set[int] = field(default_factory=set)


_registry: dict[Path, _Shared] = {}
_guard = threading.Lock()
_alone = threading.RLock()


class LockFile:
    """The lock file at `path`; made when the first lock is asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def claim(self, run: str) -> Iterator[None]:
        """Hold `run`. Raises `RunBusy` if this or another process holds it."""
        at = int.from_bytes(sha256(run.encode()).digest()[:8], "big") & _SPAN
        shared = self._take(run, at)
        try:
            yield
        finally:
            self._give_back(shared, at)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold what only one process may do at a time; waits for its turn."""
        with _alone:
            with _guard:
                shared = self._open()
                shared.held.add(_ALONE)
            try:
                _lock(shared.handle, _ALONE, wait=True)
                yield
            finally:
                self._give_back(shared, _ALONE)

    def _take(self, run: str, at: int) -> _Shared:
        with _guard:
            shared = self._open()
            if at in shared.held:
                raise _busy(run, f"process {os.getpid()} (this one)")
            if not _lock(shared.handle, at, wait=False):
                holder = _holder(shared.handle, at)
                self._close_idle(shared)
                raise _busy(run, f"process {holder}" if holder else "another process")
            shared.held.add(at)
            return shared

    def _give_back(self, shared: _Shared, at: int) -> None:
        with _guard:
            if shared.process != os.getpid():
                return
            _unlock(shared.handle, at)
            shared.held.discard(at)
            self._close_idle(shared)

    def _open(self) -> _Shared:
        path = self._path.absolute()
        shared = _registry.get(path)
        if shared is None or shared.process != os.getpid():
            # A forked child inherits the descriptor but not the locks: it starts afresh.
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            shared = _registry[path] = _Shared(handle, os.getpid())
        return shared

    def _close_idle(self, shared: _Shared) -> None:
        if not shared.held:
            del _registry[self._path.absolute()]
            os.close(shared.handle)


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
