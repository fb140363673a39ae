"""Modules' own code, held to what their manifests say: an audit hook sees what Python does.

It stops mistakes and plain lies. Code that is out to get past it, in the same process, can.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token, copy_context
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from orka.engine.reach import Bounds, Lookups, real
from orka.errors import ToolError

Arguments = tuple[Any, ...]  # Any: what Python says of an event


@dataclass(slots=True)
class Watched:
    """One call of a module's code, and the first thing it did beyond its bounds."""

    who: str
    bounds: Bounds
    agent: bool = False
    lookups: Lookups = field(init=False)
    error: ToolError | None = None
    looking: bool = False

    def __post_init__(self) -> None:
        self.lookups = Lookups(self.bounds.hosts)

    def refuse(self, what: str, line: str) -> None:
        """Raises `ToolError`; code that swallows it has failed all the same."""
        reason = "and agents may only ask" if self.agent else "which its manifest does not allow"
        declare = f"add to the manifest of {self.bounds.name!r}: {line}"
        error = ToolError(
            f"{self.who} of module {self.bounds.name!r} {what}, {reason}",
            fix="do it in a tool, and call that" if self.agent else declare,
            code="plugin.undeclared",
            retryable=False,
        )
        self.error = self.error or error
        raise error


_running: ContextVar[Watched | None] = ContextVar("orka_running", default=None)
_installing = threading.Lock()
_installed = False
_python_start = threading.Thread.start


class Confined:
    """In a `with`, holds what happens inside, in threads and tasks begun there too, to `bounds`
    (None: to nothing). Raises `ToolError` (`plugin.undeclared`) at the first thing beyond them, and
    again at the end if that was swallowed."""

    __slots__ = ("_token", "_watched")
    _token: Token[Watched | None]

    def __init__(self, who: str, bounds: Bounds | None, *, agent: bool = False) -> None:
        self._watched = Watched(who, bounds, agent) if bounds is not None else None

    def __enter__(self) -> None:
        if self._watched is not None:
            _install()
            self._token = _running.set(self._watched)

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if self._watched is None:
            return
        _running.reset(self._token)
        if self._watched.error is not None and (kind is None or issubclass(kind, Exception)):
            raise self._watched.error from None


def _install() -> None:
    """An audit hook cannot be taken out again: there is one, once it is needed."""
    global _installed
    with _installing:
        if not _installed:
            sys.addaudithook(_audit)
            threading.Thread.start = _start_thread  # type: ignore[assignment,method-assign]  # see there
            _installed = True


def _start_thread(thread: threading.Thread) -> None:
    """A thread goes on under the bounds of whoever starts it; Python itself would forget them."""
    if _running.get() is not None:
        context, run = copy_context(), thread.run
        thread.run = lambda: context.run(run)  # type: ignore[method-assign]  # of this one only
    _python_start(thread)


def _audit(event: str, args: Arguments) -> None:
    look = _LOOKS.get(event)
    if look is None:
        return
    watched = _running.get()
    if watched is None or watched.looking:
        return
    watched.looking = True
    try:
        look(watched, args)
    finally:
        watched.looking = False


# ---- what is looked at, by the name Python gives it


def _open(watched: Watched, args: Arguments) -> None:
    path, mode, flags = args
    if isinstance(path, int):
        return
    writing = any(sign in mode for sign in "wax+") if mode else bool(flags & 3)
    _file(watched, path, writing=writing)


def _file(watched: Watched, path: Any, *, writing: bool) -> None:  # Any: text, bytes or a path
    if isinstance(path, int) or path is None:
        return
    place = real(path)
    bounds = watched.bounds
    if writing and not bounds.writes(place):
        watched.refuse(f"writes the file {place!r}", f'files=("write:{place}",)')
    elif not writing and not bounds.reads(place):
        watched.refuse(f"reads the file {place!r}", f'files=("{place}",)')


def _change(watched: Watched, args: Arguments) -> None:
    _file(watched, args[0], writing=True)


def _change_two(watched: Watched, args: Arguments) -> None:
    for path in args[:2]:
        _file(watched, path, writing=True)


def _list(watched: Watched, args: Arguments) -> None:
    path = args[0]
    if isinstance(path, int):
        return
    place = real(path if path is not None else ".")
    if not watched.bounds.lists(place):
        watched.refuse(f"lists the folder {place!r}", f'files=("{place}/*",)')


def _database(watched: Watched, args: Arguments) -> None:
    place = args[0]
    if not isinstance(place, (str, bytes)) or place in (":memory:", b":memory:", "", b""):
        return
    text = place if isinstance(place, str) else place.decode()
    parts = urlsplit(text) if text.startswith("file:") else None
    if parts is not None and "mode=memory" in parts.query:
        return
    only_read = parts is not None and ("mode=ro" in parts.query or "immutable=1" in parts.query)
    _file(watched, parts.path if parts else text, writing=not only_read)


def _look_up(watched: Watched, args: Arguments) -> None:
    host = args[0]
    if host is None:
        return
    name = host.decode() if isinstance(host, bytes) else str(host)
    port = args[1] if len(args) > 1 else None
    if not watched.lookups.finds(name, port):
        watched.refuse(f"looks up the host {name!r}", f'hosts=("{name}",)')


def _connect(watched: Watched, args: Arguments) -> None:
    address = args[1]
    if isinstance(address, (str, bytes)):
        _file(watched, address, writing=True)
    elif isinstance(address, tuple) and len(address) >= 2:
        host, port = str(address[0]), address[1]
        if not watched.lookups.connects(host, port):
            watched.refuse(f"connects to {host}:{port}", f'hosts=("{host}:{port}",)')


def _bind(watched: Watched, args: Arguments) -> None:
    address = args[1]
    if not isinstance(address, tuple) or len(address) < 2 or address[1] == 0:
        return  # a port that anybody gets
    _connect(watched, args)


def _start(watched: Watched, args: Arguments) -> None:
    if not watched.bounds.subprocess:
        told = args[0] if args else ""
        watched.refuse(f"starts a program ({told!r})", "subprocess=True")


def _native(watched: Watched, args: Arguments) -> None:
    if args[0] is not None and not watched.bounds.subprocess:
        watched.refuse(f"loads the native library {args[0]!r}", "subprocess=True")


def _variable(watched: Watched, args: Arguments) -> None:
    name = args[0].decode() if isinstance(args[0], bytes) else str(args[0])
    if name not in watched.bounds.env:
        watched.refuse(f"changes the environment variable {name!r}", f'env=("{name}",)')


def _folder(watched: Watched, args: Arguments) -> None:
    watched.refuse("changes the working folder of all runs", "nothing: pass whole paths instead")


_LOOKS: Mapping[str, Callable[[Watched, Arguments], None]] = {
    "open": _open,
    **dict.fromkeys(("os.listdir", "os.scandir"), _list),
    **dict.fromkeys(
        ("os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.chown", "os.truncate", "os.utime"),
        _change,
    ),
    **dict.fromkeys(("os.rename", "os.link", "os.symlink"), _change_two),
    "sqlite3.connect": _database,
    **dict.fromkeys(
        ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"), _look_up
    ),
    **dict.fromkeys(("socket.connect", "socket.sendto", "socket.sendmsg"), _connect),
    "socket.bind": _bind,
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"), _start),
    **dict.fromkeys(("os.spawn", "os.fork", "os.forkpty", "pty.spawn", "os.startfile"), _start),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), _start),
    "ctypes.dlopen": _native,
    **dict.fromkeys(("os.putenv", "os.unsetenv"), _variable),
    **dict.fromkeys(("os.chdir", "os.fchdir"), _folder),
}
