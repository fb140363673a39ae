"""A text in the plain form that rules look at, and the way back to the text as it was given."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

# Stands in the plain form for what is already taken out.
GONE = "\ufffc"
PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_]{0,60}_(?:REDACTED|\d{1,9})\]")
_DASHES = "\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SAME = {ord(dash): "-" for dash in _DASHES} | {
    0x2018: "'",
    0x2019: "'",
    0x02BC: "'",
    0x201C: '"',
    0x201D: '"',
    0x3002: "\u3002",
    0x2026: "\u2026",
}
_MARKS = ("Mn", "Me")
_DROPPED = ("Cf", *_MARKS)


class _Table(dict[int, str]):
    """Character -> how it is looked at: width and script of digits do not matter, nor marks, nor
    what cannot be seen."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = _SAME.get(code) or self._folded(char)
        self[code] = plain
        return plain

    @staticmethod
    def _folded(char: str) -> str:
        kind = unicodedata.category(char)
        if kind in _DROPPED:
            return ""
        if kind == "Nd":
            return str(unicodedata.decimal(char))
        if kind == "Zs":
            return " "
        return unicodedata.normalize("NFKC", char)


_TABLE = _Table()


class Plain:
    """`text` is the plain form of a text. A place in it is led back by `span`."""

    __slots__ = ("_given", "_pieces", "_starts", "text")

    def __init__(self, given: str, gone: Sequence[tuple[int, int]] = ()) -> None:
        self._given = given
        # Where pieces begin in the plain text, and what each was: where it began, and where it
        # ended if it was not as long.
        self._starts: list[int] = []
        self._pieces: list[tuple[int, int]] = []
        odd = _odd(given)
        if not gone and odd is None:
            self.text = given if given.isascii() else given.translate(_TABLE)
        else:
            self.text = self._put_together(gone, odd)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stands in the text as it was given, marks on its last character
        included."""
        if self._starts:
            start, end = self._led_back(start)[0], self._led_back(end - 1)[1]
        while end < len(self._given) and unicodedata.category(self._given[end]) in _MARKS:
            end += 1
        return start, end

    def _led_back(self, at: int) -> tuple[int, int]:
        place = bisect_right(self._starts, at) - 1
        start, end = self._pieces[place]
        if end >= 0:
            return start, end
        start += at - self._starts[place]
        return start, start + 1

    def _put_together(self, gone: Sequence[tuple[int, int]], odd: re.Pattern[str] | None) -> str:
        written: list[str] = []
        size = at = 0
        for start, end in (*gone, (len(self._given), -1)):
            for begin, stop in _parts(self._given, odd, at, start):
                plain = self._given[begin:stop].translate(_TABLE)
                even = len(plain) == stop - begin
                if plain:
                    self._starts.append(size)
                    self._pieces.append((begin, -1 if even else stop))
                    written.append(plain)
                    size += len(plain)
            if end >= 0:
                self._starts.append(size)
                self._pieces.append((start, end))
                written.append(GONE)
                size += 1
                at = end
        return "".join(written)


def _parts(
    text: str, odd: re.Pattern[str] | None, begin: int, end: int
) -> Iterator[tuple[int, int]]:
    """The text in parts: a character that is odd is one of its own."""
    if odd is not None:
        for match in odd.finditer(text, begin, end):
            if match.start() > begin:
                yield begin, match.start()
            yield match.span()
            begin = match.end()
    if end > begin:
        yield begin, end


def _odd(text: str) -> re.Pattern[str] | None:
    """A pattern for the characters of the text that are none or several in the plain form."""
    if text.isascii():
        return None
    odd = "".join(sorted(char for char in set(text) if len(_TABLE[ord(char)]) != 1))
    return re.compile(f"[{re.escape(odd)}]") if odd else None
