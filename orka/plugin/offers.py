"""Name -> thing of one kind: from entry points of packages, plugin files and Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Generic, TypeVar

from orka.errors import PluginError
from orka.port.tool import Tool
from orka.port.toolbox import Toolbox

T = TypeVar("T")
# The distribution whose things are built in: nobody else may have their names.
OURS = "orka"
# Where things come from that a program hands over.
PYTHON = "python"
_GROUPS = "orka."

Check = Callable[[str, object, str], T]
Load = Callable[["Point"], object]


@dataclass(frozen=True, slots=True)
class Point:
    """An entry point of an installed distribution."""

    entry: metadata.EntryPoint
    package: str
    version: str


def installed() -> dict[str, list[Point]]:
    """The entry points of all distributions whose group is one of ours, by group."""
    found: dict[str, list[Point]] = {}
    seen: set[str] = set()
    for distribution in metadata.distributions():
        entries = [each for each in distribution.entry_points if each.group.startswith(_GROUPS)]
        if not entries or distribution.name in seen:
            continue  # the first one on the path is the one that is imported
        seen.add(distribution.name)
        for entry in entries:
            point = Point(entry, distribution.name, distribution.version)
            found.setdefault(entry.group, []).append(point)
    return found


class Refused(tuple[str, str, PluginError]):
    """A thing that was not taken: its name, where it comes from, and why."""

    __slots__ = ()


class Offers(Mapping[str, T], Generic[T]):
    """An entry point is loaded when it is first looked up. `origin` says whence a name comes (a
    distribution, a file, "python"), `version` in which version. `refused` is what was not taken:
    a package never gets the name of what is built in, and of two that want one name, neither."""

    def __init__(
        self, group: str, check: Check[T], load: Load, points: Mapping[str, Sequence[Point]]
    ) -> None:
        self._group, self._check, self._load = group, check, load
        self._found: dict[str, T] = {}
        self._points: dict[str, Point] = {}
        self._contested: dict[str, PluginError] = {}
        self.origin: dict[str, str] = {}
        self.version: dict[str, str] = {}
        self.refused: list[Refused] = []
        self.vet: Callable[[str, T], None] = lambda name, thing: None
        for point in points.get(group, ()):
            self._offer(point)

    def _offer(self, point: Point) -> None:
        name, source = point.entry.name, point.package
        taken = self.origin.get(name)
        if taken is not None:
            error = _clash(self._group, name, taken, source)
            if OURS not in (taken, source):
                self._contested[name] = error
            loser = taken if source == OURS else source
            self.refused.append(Refused((name, loser, error)))
            if source != OURS:
                return
        self._points[name] = point
        self.origin[name], self.version[name] = source, point.version

    def __getitem__(self, name: str) -> T:
        if name in self._contested:
            raise self._contested[name]
        if name not in self._found:
            point = self._points[name]
            found = self._check(name, self._load(point), self.version[name])
            self.vet(name, found)
            self._found[name] = found
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found or name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._points, *self._found}))

    def __len__(self) -> int:
        return len({*self._points, *self._found})

    def add(self, name: str, thing: object, origin: str, version: str) -> None:
        """Raises `PluginError` for a name that is taken or a thing that is not of the kind."""
        if name in self and self.origin.get(name) != origin:
            raise _clash(self._group, name, self.origin[name], origin)
        self.put(name, thing, origin, version)

    def put(self, name: str, thing: object, origin: str, version: str) -> None:
        """Like `add`, in place of what has the name already."""
        self._found[name] = self._check(name, thing, version)
        self._contested.pop(name, None)
        self.origin[name], self.version[name] = origin, version

    def builtin(self, name: str, thing: object) -> None:
        """Like `put`, for what is part of OrKa: a package that wanted the name is refused."""
        taken = self.origin.get(name, OURS)
        if taken != OURS:
            error = _clash(self._group, name, OURS, taken)
            self.refused.append(Refused((name, taken, error)))
        self.put(name, thing, OURS, "")

    def problem(self, name: str) -> str:
        """What is wrong with the thing of that name, in one line; "" if it can be used."""
        try:
            self[name]
        except PluginError as error:
            return f"[{error.code}] {error.what}"
        return ""


class Tools(Offers[Tool]):
    """Tools by name. A name that nobody has is looked for in the boxes."""

    def __init__(
        self, check: Check[Tool], load: Load, points: Mapping[str, Sequence[Point]]
    ) -> None:
        super().__init__("orka.tools", check, load, points)
        self.boxes: list[Toolbox] = []

    def __getitem__(self, name: str) -> Tool:
        box = None if super().__contains__(name) else self._box(name)
        return super().__getitem__(name) if box is None else box[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._box(name) is not None

    def _box(self, name: object) -> Toolbox | None:
        return next((box for box in self.boxes if name in box), None)


def _clash(group: str, name: str, first: str, second: str) -> PluginError:
    loser = first if second == OURS else second
    winner = second if second == OURS else first
    return PluginError(
        f"{loser!r} registers {name!r} in {group}, which {winner!r} has registered",
        fix="rename one of them",
        code="plugin.name_clash",
    )
