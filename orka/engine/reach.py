"""What a module's own code may reach: files and hosts, as patterns, and whether one is meant."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from dataclasses import dataclass, field
from functools import lru_cache

_WRITE = "write:"
# What ordinary libraries look at on their own.
_COMMON = ("/dev/null", "/dev/urandom", "/dev/random", "/etc/mime.types", "/etc/localtime")
_COMMON_FOLDERS = ("/usr/share/zoneinfo/", "/etc/ssl/", "/usr/lib/ssl/")
_CODE = (".py", ".pyc", ".so", ".pyd", ".pth", ".egg-link")
_CACHE = "__pycache__"
_PART = re.compile(r"\*\*/?|[*?]|[^*?]+")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of the module `name`. `files` are patterns: `*` within a folder, `**` over folders; those
    that begin with `write:` may be written too. `homes` are the files and folders of its code."""

    name: str
    hosts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    subprocess: bool = False
    homes: tuple[str, ...] = ()

    def reads(self, path: str) -> bool:
        """True for a declared file, its own code and what belongs to Python."""
        return (
            any(_matches(pattern.removeprefix(_WRITE), path) for pattern in self.files)
            or any(path == home or path.startswith(home + os.sep) for home in self.homes)
            or _python(path)
        )

    def writes(self, path: str) -> bool:
        """True for a file that may be written; so is what Python compiles."""
        own = (each.removeprefix(_WRITE) for each in self.files if each.startswith(_WRITE))
        return path == os.devnull or any(_matches(each, path) for each in own) or _compiled(path)

    def lists(self, path: str) -> bool:
        """True for a folder whose names may be read."""
        package = os.path.join(path, "__init__.py")
        return self.reads(path) or path in _search_path() or os.path.exists(package)


@dataclass(slots=True)
class Lookups:
    """The hosts that one call has asked for by name: `ports` are those it may then connect to."""

    hosts: tuple[str, ...]
    ports: set[int | None] = field(default_factory=set)

    def finds(self, host: str, port: object) -> bool:
        """Whether the name may be looked up."""
        given = int(port) if isinstance(port, (int, str)) and str(port).isdecimal() else None
        wanted = [
            at for name, at in map(_host, self.hosts) if _host_matches(name, _normal_host(host))
        ]
        fitting = [at for at in wanted if at is None or given in (None, at)]
        self.ports.update(fitting)
        return bool(fitting)

    def connects(self, host: str, port: object) -> bool:
        """Whether there may be a connection: the address itself is named, or it was looked up by a
        name that is."""
        ports = set(self.ports)
        if self.finds(host, port):
            return True
        self.ports = ports
        return None in ports or port in ports


def real(path: str | bytes | os.PathLike[str]) -> str:
    """Where a path leads, links followed."""
    return os.path.realpath(os.fsdecode(path))


def _matches(pattern: str, path: str) -> bool:
    compiled = _compile(pattern, os.getcwd())
    return bool(compiled.fullmatch(path) or compiled.fullmatch(path + os.sep))


@lru_cache(maxsize=512)
def _compile(pattern: str, folder: str) -> re.Pattern[str]:
    """The pattern as an expression of real paths; its fixed beginning may be a link."""
    whole = os.path.join(folder, os.path.expanduser(pattern))
    fixed = whole
    while "*" in fixed or "?" in fixed:
        fixed = os.path.dirname(fixed)
    rest = whole[len(fixed) :]
    parts = [re.escape(os.path.realpath(fixed))]
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts += [words.get(each) or re.escape(each) for each in _PART.findall(rest)]
    return re.compile("".join(parts), re.DOTALL)


def _python(path: str) -> bool:
    """True for what belongs to the interpreter and installed packages, and for code to import."""
    if path in _COMMON or path.startswith(_COMMON_FOLDERS):
        return True
    if path.startswith(_installed()):
        return True
    return path.endswith(_CODE) and path.startswith(tuple(f"{at}{os.sep}" for at in _search_path()))


def _compiled(path: str) -> bool:
    """True for the bytecode that an import keeps beside the source."""
    folder = os.path.dirname(path)
    cached = os.path.basename(folder) == _CACHE or os.path.basename(path) == _CACHE
    return cached and path.startswith((*_installed(), *(f"{at}{os.sep}" for at in _search_path())))


@lru_cache(maxsize=1)
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {os.path.realpath(paths[name]) for name in names}
    return tuple(sorted(f"{folder}{os.sep}" for folder in folders))


def _search_path() -> tuple[str, ...]:
    return tuple(os.path.realpath(each or ".") for each in sys.path)


def _host(pattern: str) -> tuple[str, int | None]:
    """The name and the port of `name`, `name:port`, `[address]:port`."""
    name, _, port = pattern.rpartition(":")
    if name and port.isdecimal() and (":" not in name or name.endswith("]")):
        return _normal_host(name), int(port)
    return _normal_host(pattern), None


def _normal_host(name: str) -> str:
    return name.strip("[]").rstrip(".").casefold()


def _host_matches(pattern: str, name: str) -> bool:
    if pattern.startswith("*."):
        return name.endswith(pattern[1:])
    return pattern in ("*", name)
