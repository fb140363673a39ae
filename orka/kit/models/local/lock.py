"""One process at a time: a lock on a file, released by the system when its holder dies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orka.kit.models.local.catalogue import Progress, Step

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def _take(handle: int, *, wait: bool) -> None:
    if sys.platform == "win32":
        msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def held(path: Path, progress: Progress) -> Iterator[None]:
    """Hold the lock at `path`; says so through `progress` when somebody else has it first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as handle:
        try:
            _take(handle.fileno(), wait=False)
        except OSError:
            progress(Step(f"waiting for another process that holds {path}"))
            _take(handle.fileno(), wait=True)
        yield
