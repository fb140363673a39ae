"""Descriptors that must not be closed while the process relies on locks of the same file.

POSIX drops all locks a process holds on a file when *any* of its descriptors of that file is
closed, SQLite's own included. So each file has at most one descriptor of ours, shared by all stores
of the process, and it is closed when nobody uses the file any more.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_guard = threading.Lock()


@dataclass(slots=True)
class _Shared:
    users: int = 0
    handle: int | None = None


_registry: dict[tuple[int, Path], _Shared] = {}


def use(path: Path) -> None:
    """Say that the process relies on `path`, until as many calls of `leave`."""
    with _guard:
        _registry.setdefault(_key(path), _Shared()).users += 1


def leave(path: Path) -> None:
    with _guard:
        shared = _registry.get(_key(path))
        if shared is None:  # a forked child leaves what its parent uses
            return
        shared.users -= 1
        if not shared.users:
            del _registry[_key(path)]
            if shared.handle is not None:
                os.close(shared.handle)


def handle(path: Path, *, create: bool = False) -> int:
    """The descriptor of `path`, which must be in use. Raises `OSError`."""
    with _guard:
        shared = _registry[_key(path)]
        if shared.handle is None:
            flags = os.O_RDWR | os.O_CREAT if create else os.O_RDONLY
            shared.handle = os.open(path, flags | _FLAGS, 0o666)
        return shared.handle


def _key(path: Path) -> tuple[int, Path]:
    """A forked child inherits descriptors but no locks: it starts afresh."""
    return os.getpid(), path.absolute()
