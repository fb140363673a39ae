"""Events to canonical lines and back, each line carrying the digest of the one before it.

A line is the canonical JSON of {"event": …, "prev": …, "seq": …}; `prev` is the first 32 hex
digits of the SHA-256 of the previous line (zeros before the first).
"""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

import msgspec

from orka.errors import StoreCorrupt
from orka.event.event import Event
from orka.value import INLINE_LIMIT, expand, holds_reference, references, shrink

GENESIS = "0" * 32
# Fields that hold values of any size; everything else in an event is small by construction.
_VALUE_FIELDS = ("input", "payload", "value", "raw", "failure", "error", "screened", "texts")

_encode = msgspec.json.Encoder(order="sorted").encode


class Record(msgspec.Struct, frozen=True):
    """One line of a trace, decoded."""

    event: Event
    prev: str
    seq: int


class _Shrunk(msgspec.Struct, frozen=True):
    """One line of a trace, its blobs not yet filled in."""

    event: dict[str, object]
    prev: str
    seq: int


_decode = msgspec.json.Decoder(Record, strict=True).decode
_decode_shrunk = msgspec.json.Decoder(_Shrunk, strict=True).decode
_decode_raw = msgspec.json.Decoder().decode
_to_event: Callable[[object], Event] = lambda value: msgspec.convert(value, Event)  # noqa: E731


def link(line: bytes) -> str:
    """The digest the next line carries."""
    return sha256(line).hexdigest()[:32]


class Chain:
    """Encodes events one after another. Holds nothing but the next number and the last digest."""

    __slots__ = ("prev", "seq")

    def __init__(self, seq: int = 0, prev: str = GENESIS) -> None:
        self.seq, self.prev = seq, prev

    def add(self, event: Event, blobs: dict[str, bytes]) -> bytes:
        """The line of `event`. Parts above 8 KiB go to `blobs`, by digest."""
        return self.extend((event,), blobs)[0]

    def extend(self, events: Iterable[Event], blobs: dict[str, bytes]) -> list[bytes]:
        """The lines of `events`, as `add` makes them. Nothing is added if one cannot be encoded."""
        lines: list[bytes] = []
        prev, seq = self.prev.encode(), self.seq
        for event in events:
            body = _encode(event)
            if len(body) > INLINE_LIMIT or holds_reference(body):
                body = _encode(_shrunk(body, blobs))
            line = b'{"event":%b,"prev":"%b","seq":%d}' % (body, prev, seq)
            prev = hexlify(sha256(line).digest()[:16])
            seq += 1
            lines.append(line)
        self.prev, self.seq = prev.decode(), seq
        return lines


def _shrunk(body: bytes, blobs: dict[str, bytes]) -> Mapping[str, object]:
    raw = _decode_raw(body)
    return {key: shrink(item, blobs) if key in _VALUE_FIELDS else item for key, item in raw.items()}


def decode(line: bytes, blob: Callable[[str], bytes]) -> Event:
    """The event of `line`, blobs filled in. Raises `msgspec.DecodeError` for anything else."""
    if not holds_reference(line):
        return _decode(line).event
    raw = _decode_shrunk(line).event
    whole = {k: expand(v, _Lookup(blob)) if k in _VALUE_FIELDS else v for k, v in raw.items()}
    return _to_event(whole)


class _Lookup(Mapping[str, bytes]):
    def __init__(self, blob: Callable[[str], bytes]) -> None:
        self._blob = blob

    def __getitem__(self, name: str) -> bytes:
        if not isinstance(name, str):
            raise msgspec.DecodeError(f"a blob is called {name!r}")
        return self._blob(name)

    def __iter__(self) -> Iterable[str]:  # type: ignore[override]  # look-ups only
        raise TypeError("blobs are looked up by digest, never listed")

    def __len__(self) -> int:
        raise TypeError("blobs are looked up by digest, never listed")


def blob_names(line: bytes) -> list[str]:
    """Digests of the blobs a line refers to directly."""
    if not holds_reference(line):
        return []
    raw = _decode_shrunk(line).event
    return [name for key, item in raw.items() if key in _VALUE_FIELDS for name in references(item)]


def blob_names_within(blob: bytes) -> list[str]:
    """Digests of the blobs that a blob refers to; none for one that is no JSON (a source text)."""
    if not holds_reference(blob):
        return []
    try:
        return references(_decode_raw(blob))
    except msgspec.DecodeError:
        return []


def verify(lines: Sequence[bytes], run: str, start: int = 0, prev: str = GENESIS) -> str:
    """Check numbers and chain; gives the digest the next line must carry.

    Raises `StoreCorrupt` that names the first bad event.
    """
    for seq, line in enumerate(lines, start):
        expected = b'"prev":"%b","seq":%d}' % (prev.encode(), seq)
        if not line.endswith(expected):
            raise damaged(run, seq)
        prev = link(line)
    return prev


def damaged(run: str, seq: int, detail: str = "is not what was written") -> StoreCorrupt:
    """The error for a damaged event: located, and saying what is kept."""
    return StoreCorrupt(
        f"event {seq} of run {run!r} {detail}; the {seq} events before it are intact",
        valid=seq,
        where=f"run {run!r}, event {seq}",
        fix=f"`orka resume {run} --salvage` continues from the last intact event in a new run; "
        "the damaged one is left as it is",
    )
