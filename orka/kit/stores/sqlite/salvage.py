"""What can still be proven to be a run's beginning, from the bytes of the file and its log."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Set
from hashlib import sha256
from itertools import count
from zlib import crc32

from orka.kit.stores.sqlite.cells import BLOB, EVENT, RUN, Cell, Wanted, cells
from orka.kit.stores.sqlite.layout import END, PAGE, seed
from orka.kit.stores.sqlite.log import Frame

_CHUNK = PAGE * 256


class Prefix:
    """The longest beginning of a run whose lines prove each other, and what its end rows say."""

    def __init__(self, run: str) -> None:
        self.sums = [seed(run)]
        self.lines: list[bytes] = []
        self.ends: set[tuple[int, int]] = set()  # (length, sum)

    @property
    def end(self) -> tuple[int, int]:
        return len(self.lines), self.sums[-1]

    def passes(self, length: int, total: int) -> bool:
        """Whether its first `length` lines have that sum."""
        return length <= len(self.lines) and self.sums[length] == total

    def cut(self, length: int) -> None:
        """Keep the first `length` lines."""
        del self.lines[length:], self.sums[length + 1 :]


class _Finds:
    """Everything that was found of one run number."""

    def __init__(self) -> None:
        self.rows: dict[int, set[tuple[int, bytes]]] = {}
        self.ends: set[tuple[int, int]] = set()

    def prefix(self, run: str) -> Prefix:
        result = Prefix(run)
        result.ends = self.ends
        for seq in count():
            before = result.sums[-1]
            line = self._next(seq, before)
            if line is None:
                return result
            result.lines.append(line)
            result.sums.append(crc32(line, before))
        raise AssertionError("a run has an end")

    def _next(self, seq: int, before: int) -> bytes | None:
        found = sorted(self.rows.get(seq, ()))
        for kept, line in found:
            if crc32(line, before) == kept:
                return line
        for _, line in found:  # the sum itself may be what is damaged: ask what comes after
            if self._follows(seq + 1, crc32(line, before)):
                return line
        return None

    def _follows(self, seq: int, before: int) -> bool:
        later = self.rows.get(seq, ())
        return (seq, before) in self.ends or any(
            crc32(line, before) == kept for kept, line in later
        )


class Salvage:
    """Reads all pages in the file behind `handle` and in the committed part of its log."""

    def __init__(self, handle: int | None, log: list[Frame]) -> None:
        self._handle, self._log = handle, log
        self._newest = {frame.page: frame.image for frame in self._log}

    def prefix(self, run: str, number: int) -> Prefix:
        """The longest proven beginning of `run`; its number is 0 if unknown."""
        numbers = {number} if number else set[int]()
        best = self._longest(run, numbers)
        return best if best.lines else self._longest(run, self._origins(run))

    def runs(self) -> list[tuple[int, str]]:
        """(number, run) of all whose first event is intact, newest first."""
        named: dict[int, set[str]] = {}
        for rowid, columns in self._cells(RUN):
            match columns:
                case [None, bytes(name)]:
                    named.setdefault(rowid, set()).add(name.decode(errors="replace"))
        firsts = [(cell.rowid >> 32, cell.columns) for cell in self._events(0)]
        proven = {
            (number, run)
            for number, (_, kept, line) in firsts
            for run in named.get(number, ())
            if isinstance(line, bytes) and crc32(line, seed(run)) == kept
        }
        return sorted(proven, reverse=True)

    def blob(self, digest: str) -> bytes | None:
        """The blob of that digest, None if it is not there whole."""
        name = digest.encode()
        images = (image for image in self._images() if name in image)
        return next((data for found, data in self.blobs_in(images) if found == digest), None)

    def ended_in(self, images: Iterable[bytes]) -> set[int]:
        """Numbers of the runs that have an end row in `images`."""
        found = (cell for image in images for cell in cells(image, EVENT, self._page))
        return {cell.rowid >> 32 for cell in found if cell.rowid & END == END}

    def blobs_in(self, images: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
        """(digest, data) of the blobs that begin in `images` and are whole."""
        for image in images:
            for _, columns in cells(image, BLOB, self._page):
                match columns:
                    case [bytes(found), bytes(data)]:
                        digest = sha256(data).hexdigest()
                        if found == digest.encode():
                            yield digest, data

    def _longest(self, run: str, numbers: Set[int]) -> Prefix:
        finds = {number: _Finds() for number in numbers}
        found = self._cells(EVENT, lambda rowid: rowid >> 32 in finds) if finds else ()
        for rowid, columns in found:
            of = finds[rowid >> 32]
            match columns:
                case [None, int(kept), bytes(line)]:
                    of.rows.setdefault(rowid & END, set()).add((kept, line))
                case [None, int(kept), int(length)] if rowid & END == END:
                    of.ends.add((length, kept))
        prefixes = [of.prefix(run) for of in finds.values()]
        return max(prefixes, key=lambda prefix: len(prefix.lines), default=Prefix(run))

    def _origins(self, run: str) -> set[int]:
        """Numbers under which a first event of `run` is kept."""
        start = seed(run)
        return {
            rowid >> 32
            for rowid, (_, kept, line) in self._events(0)
            if isinstance(line, bytes) and crc32(line, start) == kept
        }

    def _events(self, seq: int) -> Iterator[Cell]:
        found = self._cells(EVENT, lambda rowid: rowid & END == seq)
        return (cell for cell in found if len(cell.columns) == 3)

    def _cells(self, header: re.Pattern[bytes], wanted: Wanted = lambda _: True) -> Iterator[Cell]:
        for image in self._images():
            yield from cells(image, header, self._page, wanted)

    def _images(self) -> Iterator[bytes]:
        for frame in self._log:
            yield frame.image
        at = 0
        while chunk := self._read(_CHUNK, at):
            for start in range(0, len(chunk), PAGE):
                yield chunk[start : start + PAGE]
            at += len(chunk)

    def _page(self, number: int) -> bytes:
        image = self._newest.get(number)
        return self._read(PAGE, max(0, number - 1) * PAGE) if image is None else image

    def _read(self, size: int, at: int) -> bytes:
        if self._handle is None:
            return b""
        os.lseek(self._handle, at, os.SEEK_SET)
        return os.read(self._handle, size)
