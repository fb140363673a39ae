"""What can still be proven to be a run's beginning, from the bytes of the file and its log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from hashlib import sha256
from itertools import count
from zlib import crc32

from orka.kit.stores.sqlite.cells import BLOB, ROW, Cell, Wanted, cells
from orka.kit.stores.sqlite.layout import PAGE, SEQS, seed
from orka.kit.stores.sqlite.log import Frame

_CHUNK = PAGE * 256


class Prefix:
    """The longest beginning of a run whose lines prove each other, and where it is said to end."""

    def __init__(self, run: str, ends: set[tuple[int, int]]) -> None:
        self.sums = [seed(run)]
        self.lines: list[bytes] = []
        self.ends = ends  # (length, sum)

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
    """The rows that were found under one run number."""

    def __init__(self) -> None:
        self.rows: dict[int, set[tuple[int, bytes]]] = {}

    def prefix(self, run: str, ends: set[tuple[int, int]]) -> Prefix:
        result = Prefix(run, ends)
        for seq in count():
            before = result.sums[-1]
            line = self._next(seq, before, ends)
            if line is None:
                break
            result.lines.append(line)
            result.sums.append(crc32(line, before))
        return result

    def _next(self, seq: int, before: int, ends: set[tuple[int, int]]) -> bytes | None:
        found = sorted(self.rows.get(seq, ()))
        for kept, line in found:
            if crc32(line, before) == kept:
                return line
        later = self.rows.get(seq + 1, ())
        for _, line in found:  # the sum itself may be what is damaged: ask what comes after
            total = crc32(line, before)
            if (seq + 1, total) in ends or any(
                crc32(next_, total) == kept for kept, next_ in later
            ):
                return line
        return None


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
        return sorted(self._proven(self._named()), reverse=True)

    def named(self) -> list[tuple[int, str]]:
        """(number, run) of all that are named, newest first; a proven name outdoes others."""
        named = self._named()
        proven = self._proven(named)
        sure = {number for number, _ in proven}
        others = {(at, run) for at, names in named.items() if at not in sure for run in names}
        return sorted(proven | others, reverse=True)

    def blob(self, digest: str) -> bytes | None:
        """The blob of that digest, None if it is not there whole."""
        name = digest.encode()
        images = (image for image in self._images() if name in image)
        return next((data for found, data in self.blobs_in(images) if found == digest), None)

    def moved_in(self, images: Iterable[bytes]) -> set[int]:
        """Numbers of the runs that have a row in `images`."""
        return {number for number, _ in self._names(images)}

    def blobs_in(self, images: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
        """(digest, data) of the blobs that begin in `images` and are whole."""
        for image in images:
            for _, columns in cells(image, BLOB, self._page):
                match columns:
                    case [bytes(found), bytes(data)]:
                        digest = sha256(data).hexdigest()
                        if found == digest.encode():
                            yield digest, data

    def _named(self) -> dict[int, set[str]]:
        named: dict[int, set[str]] = {}
        for number, name in self._names(self._images()):
            named.setdefault(number, set()).add(name.decode(errors="replace"))
        return named

    def _proven(self, named: Mapping[int, Set[str]]) -> set[tuple[int, str]]:
        """(number, run) of those whose first event is intact."""
        return {
            (rowid // SEQS, run)
            for rowid, kept, line in self._firsts()
            for run in named.get(rowid // SEQS, ())
            if crc32(line, seed(run)) == kept
        }

    def _longest(self, run: str, numbers: Set[int]) -> Prefix:
        ends: set[tuple[int, int]] = set()
        finds = {number: _Finds() for number in numbers}
        for rowid, columns in self._rows(lambda rowid: rowid < SEQS or rowid // SEQS in finds):
            match columns:
                case [None, int(kept), bytes(line)] if rowid >= SEQS:
                    rows = finds[rowid // SEQS].rows
                    rows.setdefault(rowid % SEQS, set()).add((kept, line))
                case [None, bytes(name), int(length), int(total)] if name == run.encode():
                    ends.add((length, total))
        prefixes = [of.prefix(run, ends) for of in finds.values()]
        return max(prefixes, key=lambda prefix: len(prefix.lines), default=Prefix(run, ends))

    def _origins(self, run: str) -> set[int]:
        """Numbers under which a first event of `run` is kept."""
        start = seed(run)
        return {rowid // SEQS for rowid, kept, line in self._firsts() if crc32(line, start) == kept}

    def _firsts(self) -> Iterator[tuple[int, int, bytes]]:
        """(rowid, sum, line) of all first events."""
        for rowid, columns in self._rows(lambda rowid: rowid % SEQS == 0):
            match columns:
                case [None, int(kept), bytes(line)]:
                    yield rowid, kept, line

    def _names(self, images: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
        """(number, name) of runs."""
        for image in images:
            for number, columns in cells(image, ROW, self._page, lambda rowid: rowid < SEQS):
                match columns:
                    case [None, bytes(name), int(), int()]:
                        yield number, name

    def _rows(self, wanted: Wanted) -> Iterator[Cell]:
        for image in self._images():
            yield from cells(image, ROW, self._page, wanted)

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
