"""Telephone numbers, with a country code or as they are written at home."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from orka.kit.guards.pii.cues import NUMBERED, PHONE, last
from orka.kit.guards.pii.hit import Hit, Rule

# Groups of digits, at most three signs apart.
_RUN = re.compile(
    r"[+(\d](?<![^\W_][+(\d])(?<!\d[,:][+(\d])(?:(?<=\d)|[+(]?\d)(?:[ ().\-/\t\n]{0,3}\d){6,}+",
    re.A,
)
_GROUP = re.compile(r"[+(]{0,2}\d+")
_EXTENSION = re.compile(r",?[ ]?(?:x|ext\.?|extension)[ ]?\d{1,6}(?!\d)", re.IGNORECASE)
_DATE = re.compile(
    r"(?:(?:19|20)\d\d([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:19|20)?\d\d)(?![-./]?\d)"
)
_NANP = re.compile(r"(?:\+?1[ .-]?)?(?:\(\d{3}\)[ -]?|\d{3}[ .-])\d{3}[ .-]\d{4}\Z")
_BRACKETED = re.compile(r"\(0?\d{1,4}\)[ ]?\d")
_SPANISH = re.compile(r"[6-9]\d\d \d\d \d\d \d\d\Z")
_TRUNK = re.compile(r"\(?0[1-9]")
_SOCIAL = re.compile(r"\d{3}[- ]\d{2}[- ]\d{4}\Z")
_NEVER_BEFORE = frozenset("#$€£¥%_*")
_BROKEN = re.compile(r"[\t\n]")
_BARE = dict.fromkeys(map(ord, "+() .-/\t\n"))
_FEWEST, _MOST, _MOST_GROUPS = 7, 15, 8
_SIGNS = 2 * _MOST_GROUPS
_CLOSE = 24
_NUMBERS_KEPT = 4096


class _Piece(msgspec.Struct, frozen=True):
    """A piece of a text that may be a number: as written, and its digits."""

    text: str
    start: int
    end: int
    written: str
    digits: str

    @property
    def grouped(self) -> bool:
        return not self.written.lstrip("+(").isdigit()

    @property
    def told(self) -> bool:
        """True if the words before say that it is a telephone number."""
        return last(PHONE, self.text, self.start) > self._other

    @property
    def near(self) -> bool:
        """True if such a word stands right before."""
        at = last(PHONE, self.text, self.start, clause=True)
        return at > self._other and self.start - at <= _CLOSE

    @property
    def numbered(self) -> bool:
        """True if the words before say that it is a number of something else."""
        return self._other > last(PHONE, self.text, self.start)

    @property
    def _other(self) -> int:
        return last(NUMBERED, self.text, self.start, clause=True, within=_CLOSE)


class _Numbers:
    """What the library says of numbers."""

    def __init__(self, regions: Sequence[str]) -> None:
        self._regions = tuple(regions)
        self._library: Any = None  # Any: untyped, loaded when a number is first seen
        self._known: dict[tuple[str, str, bool], bool] = {}

    def abroad(self, digits: str, *, valid: bool) -> bool:
        """True if it is (or can be) a number that begins with a country code."""
        return self._ask(f"+{digits}", "ZZ", valid=valid)

    def at_home(self, digits: str) -> bool:
        """True if one of the regions has it."""
        return any(self._ask(digits, region, valid=True) for region in self._regions)

    def of(self, digits: str, regions: Sequence[str]) -> bool:
        """True if one of these, which must be among the own regions, has it."""
        return any(self._ask(digits, each, valid=True) for each in regions if each in self._regions)

    def _ask(self, written: str, region: str, *, valid: bool) -> bool:
        key = (written, region, valid)
        if key not in self._known:
            if len(self._known) >= _NUMBERS_KEPT:
                self._known.clear()
            self._known[key] = self._told(written, region, valid=valid)
        return self._known[key]

    def _told(self, written: str, region: str, *, valid: bool) -> bool:
        if self._library is None:
            self._library = importlib.import_module("phonenumbers")
        try:
            parsed = self._library.parse(written, region)
        except self._library.NumberParseException:
            return False
        judge = self._library.is_valid_number if valid else self._library.is_possible_number
        return bool(judge(parsed))


def phone_rule(regions: Sequence[str]) -> Rule:
    """The rule that knows the numbers of these regions, the likelier ones first."""
    numbers = _Numbers(regions)

    def phone(text: str) -> Iterator[Hit]:
        for run in _RUN.finditer(text):
            if not _DATE.fullmatch(text, *run.span()):
                yield from _inside(text, run.start(), run.end(), numbers)

    return phone


def _inside(text: str, begin: int, end: int, numbers: _Numbers) -> Iterator[Hit]:
    """The numbers in a run of groups: from each place the longest piece that is one."""
    groups = [(m.start(), m.end()) for m in _GROUP.finditer(text, begin, end)]
    at = 0
    while at < len(groups):
        start = groups[at][0]
        if date := _DATE.match(text, start, end):
            while at < len(groups) and groups[at][0] < date.end():
                at += 1
            continue
        taken = _longest(text, groups, at, numbers)
        if taken:
            extension = _EXTENSION.match(text, taken.end)
            stop = extension.end() if extension else taken.end
            abroad = taken.written.lstrip("(").startswith(("+", "00"))
            yield Hit(taken.start, stop, "PHONE", "phone", 65 if abroad else 60)
            while at < len(groups) and groups[at][0] < stop:
                at += 1
            continue
        at = _next(text, groups, at)


def _longest(text: str, groups: list[tuple[int, int]], at: int, numbers: _Numbers) -> _Piece | None:
    """The longest piece that is a number; one with a tab or a line break in it only if it begins
    with a country code, and none without is a number."""
    last_place = _together(text, groups, at)
    found = _best(text, groups, at, last_place, numbers)
    most = min(len(groups), at + _MOST_GROUPS) - 1
    if found or last_place == most or "+" not in text[groups[at][0] : groups[at][1]]:
        return found
    return _best(text, groups, at, most, numbers)


def _together(text: str, groups: list[tuple[int, int]], at: int) -> int:
    """The last group before a line break, or one too many."""
    place = at
    while place < min(len(groups), at + _MOST_GROUPS) - 1:
        if _BROKEN.search(text, groups[place][1], groups[place + 1][0]):
            break
        place += 1
    return place


def _best(
    text: str, groups: list[tuple[int, int]], at: int, most: int, numbers: _Numbers
) -> _Piece | None:
    possible: _Piece | None = None
    for place in range(min(most, at + _MOST_GROUPS - 1), at - 1, -1):
        if not _FEWEST <= _digits(groups[at : place + 1]) <= _MOST + _SIGNS:
            continue
        piece = _piece(text, groups[at][0], groups[place][1])
        if not _FEWEST <= len(piece.digits) <= _MOST or not _free(piece):
            continue
        if piece.written.count("\n") > 1:
            continue
        if place + 1 < len(groups) and not _parted(text, groups[place], groups[place + 1]):
            continue
        if piece.written.lstrip("(").startswith("+"):
            if numbers.abroad(piece.digits, valid=True):
                return piece
            if not possible and numbers.abroad(piece.digits, valid=False):
                possible = piece
        elif _national(piece, numbers):
            return piece
    return possible


def _digits(groups: list[tuple[int, int]]) -> int:
    """How many digits are in the groups, with up to `_SIGNS` that stand before them."""
    return sum(end - start for start, end in groups)


def _next(text: str, groups: list[tuple[int, int]], at: int) -> int:
    """The next group with which a number can begin, if none does with that at `at`: the parts of a
    longer number (of an account, of a card) are no numbers themselves."""
    while at + 1 < len(groups):
        at += 1
        apart = groups[at][0] - groups[at - 1][1]
        if apart > 1 or _BROKEN.match(text, groups[at][0] - 1) or text[groups[at][0]] == "+":
            return at
    return len(groups)


def _parted(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """True if a number may end with the one group and the next begin with the other."""
    if _BROKEN.search(text, one[1], other[0]):
        return True
    return other[0] - one[1] > 1 or text[other[0]] in "+(0"


def _piece(text: str, start: int, end: int) -> _Piece:
    while text[start] == "(" and ")" not in text[start:end]:
        start += 1
    written = text[start:end]
    return _Piece(text, start, end, written, written.translate(_BARE))


def _free(piece: _Piece) -> bool:
    """True if it is no part of a word, an amount or a longer number."""
    text, start, end = piece.text, piece.start, piece.end
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and (before in _NEVER_BEFORE or (before.isalnum() and before.isascii())):
        return False
    if before in ("/", ".", "-") and not piece.written.startswith("+"):
        return False
    if after.isascii() and after.isalnum() and not _EXTENSION.match(text, end):
        return False
    return not (after in ("%", "€", "_") and after)


def _national(piece: _Piece, numbers: _Numbers) -> bool:
    """True if it is a number as it is written at home."""
    written, digits = piece.written, piece.digits
    if _SOCIAL.match(written) or len(set(digits)) == 1:
        return False
    if digits.startswith("00"):
        return not piece.numbered and numbers.abroad(digits[2:], valid=piece.grouped is False)
    if _NANP.match(written) and numbers.of(digits, ("US", "CA")):
        return not piece.numbered
    if _TRUNK.match(written):
        return _with_trunk(piece, numbers)
    if _BRACKETED.match(written) or _SPANISH.match(written):
        return not piece.numbered and numbers.at_home(digits)
    if piece.near and piece.grouped:
        return len(digits) <= 12
    return piece.told and numbers.at_home(digits)


def _with_trunk(piece: _Piece, numbers: _Numbers) -> bool:
    digits = piece.digits
    if not 9 <= len(digits) <= 12 and not piece.near:
        return False
    if piece.numbered:
        return False
    return piece.near or numbers.at_home(digits)
