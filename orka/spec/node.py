"""Nodes of a YAML tree: values with their places, shared where the file has an alias."""

from __future__ import annotations

import msgspec

from orka.spec.text import Mark
from orka.value import Json

Path = tuple[str | int, ...]

# This many characters count like one value: an alias to a long text copies it into every dump.
_WEIGHT = 100


class Node(msgspec.Struct):
    """A scalar (`text` as written, and its `value`), a list (`items`) or a map (`entries`).

    `size` and `height` are those of the tree it becomes when every alias is written out.
    """

    mark: Mark
    text: str | None = None
    value: Json = None
    items: list[Node] = []
    entries: dict[str, Entry] | None = None
    size: int = 1
    height: int = 1

    def hold(self, item: Node) -> None:
        self.size += item.size
        self.height = max(self.height, item.height + 1)


class Entry(msgspec.Struct, frozen=True):
    """One key of a map: where the key stands, and its value."""

    mark: Mark
    node: Node


def scalar_node(mark: Mark, text: str, value: Json) -> Node:
    return Node(mark=mark, text=text, value=value, size=1 + len(text) // _WEIGHT)


def unfold(node: Node, path: Path, marks: dict[Path, Mark]) -> Json:
    """The value of `node`; the place of each part below it goes to `marks`."""
    if node.text is not None:
        return node.value
    if node.entries is None:
        items = []
        for at, item in enumerate(node.items):
            marks[*path, at] = item.mark
            items.append(unfold(item, (*path, at), marks))
        return items
    value: dict[str, Json] = {}
    for key, entry in node.entries.items():
        marks[*path, key] = entry.mark
        value[key] = unfold(entry.node, (*path, key), marks)
    return value
