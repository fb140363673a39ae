"""YAML text becomes a JSON value in which each part knows its line."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.spec.compose import compose
from orka.spec.node import Path, unfold
from orka.spec.text import Mark, decode, place
from orka.value import Json

__all__ = ["Document", "Mark", "Path", "read", "spell"]


class Document(msgspec.Struct, frozen=True):
    """The value of a file. `marks[path]`: where a map's key, or a list's item, starts.
    `inside[path]`: the file that what is at a path was read from, if it is another one."""

    value: Json
    marks: dict[Path, Mark]
    source: str
    inside: Mapping[Path, Document] = {}

    def where(self, path: Path) -> str:
        """`a.yml, line 2, column 5`: the place of `path`, or of what holds it if it has none."""
        for at, document in self.inside.items():
            if path[: len(at)] == at:
                return document.where(path[len(at) :])
        mark = self.mark(path)
        if mark is not None:
            return place(self.source, mark)
        return f"{self.source}, {spell(path)}" if path else self.source

    def mark(self, path: Path) -> Mark | None:
        """Where `path` stands, or the nearest thing that holds it; None for what was never text."""
        for size in range(len(path), -1, -1):
            mark = self.marks.get(path[:size])
            if mark is not None:
                return mark
        return None


def spell(path: Path) -> str:
    """`agents[0].prompt`."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return steps.removeprefix(".")


def read(data: bytes | str, source: str) -> Document:
    """The one map that a YAML file holds. Raises `ConfigError` with the line of what is wrong."""
    root = compose(decode(data, source), source)
    marks: dict[Path, Mark] = {(): root.mark}
    return Document(value=unfold(root, (), marks), marks=marks, source=source)
