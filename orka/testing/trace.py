"""A trace as one file: its workflow and blobs in the first line, then its lines as recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from orka.errors import StoreCorrupt
from orka.event.codec import blob_names
from orka.graph.compile import compile
from orka.graph.graph import Graph
from orka.spec.load import load
from orka.testing.agents import CATALOG
from orka.value import Json, digest, references


class Head(msgspec.Struct, frozen=True):
    """The first line. `made` says what the trace shows; `blobs` are texts by digest."""

    made: str
    workflow: Json
    blobs: Mapping[str, str]


class Trace(msgspec.Struct, frozen=True):
    """A trace of a workflow whose agents are those of random graphs."""

    head: Head
    lines: tuple[bytes, ...]

    def graph(self) -> Graph:
        return compile(load(self.head.workflow), CATALOG)

    def blob(self, name: str) -> bytes:
        """Raises `StoreCorrupt` if it is missing or is not what its digest says."""
        data = self.head.blobs.get(name, "").encode()
        if digest(data) != name:
            raise StoreCorrupt(f"blob {name[:12]}… is missing or damaged", valid=0)
        return data


def blobs_of(lines: Sequence[bytes], blob: Callable[[str], bytes]) -> dict[str, bytes]:
    """All blobs that `lines` need, by digest."""
    found: dict[str, bytes] = {}
    wanted = [name for line in lines for name in blob_names(line)]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = blob(name)
            wanted += references(msgspec.json.decode(found[name]))
    return found


def save(
    path: Path, made: str, workflow: Json, lines: Sequence[bytes], blob: Callable[[str], bytes]
) -> None:
    """Write a trace to `path`, with all blobs that its lines need."""
    blobs = {name: data.decode() for name, data in blobs_of(lines, blob).items()}
    head = Head(made, workflow, blobs)
    path.write_bytes(b"\n".join([msgspec.json.encode(head), *lines, b""]))


def read(path: Path) -> Trace:
    """Raises `msgspec.DecodeError` for a file that is none."""
    head, *lines = path.read_bytes().splitlines()
    return Trace(msgspec.json.decode(head, type=Head), tuple(lines))
