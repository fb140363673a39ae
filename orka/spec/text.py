"""Bytes become text that YAML can be read from; a position in it becomes a line and a column."""

from __future__ import annotations

import re

import msgspec

from orka.errors import ConfigError

SIZE_LIMIT = 5_000_000
_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]",
)


class Mark(msgspec.Struct, frozen=True):
    """A place in the text, counted from 1."""

    line: int
    column: int


class Lines:
    """Finds line and column of a position; cheap when positions are asked for in rising order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._index, self._line, self._start = 0, 1, 0

    def at(self, index: int) -> Mark:
        index = min(index, len(self.text))
        if index < self._index:
            self._index, self._line, self._start = 0, 1, 0
        span = (self._index, index)
        pairs = self.text.count("\r\n", *span)
        breaks = self.text.count("\n", *span) + self.text.count("\r", *span) - pairs
        if breaks:
            last = max(self.text.rfind("\n", *span), self.text.rfind("\r", *span))
            self._start = last + 1
        self._index, self._line = index, self._line + breaks
        return Mark(line=self._line, column=index - self._start + 1)

    def around(self, index: int) -> str:
        """The whole line that holds the position."""
        start = index - self.at(index).column + 1
        return re.split(r"[\r\n]", self.text[start : start + 10_000], maxsplit=1)[0]


def place(source: str, mark: Mark) -> str:
    """How a place is written in every message."""
    return f"{source}, line {mark.line}, column {mark.column}"


def decode(data: bytes | str, source: str) -> str:
    """The text of a file, without its byte order mark. Raises `ConfigError` if it is too large, not
    UTF-8, or holds control characters."""
    if len(data) > SIZE_LIMIT:
        raise ConfigError(
            f"the file is larger than {SIZE_LIMIT // 1_000_000} MB",
            where=place(source, Mark(line=1, column=1)),
            fix="keep data out of the workflow: pass it as input, or let a tool read it",
            code="config.too_large",
        )
    text = (data if isinstance(data, str) else _utf8(data, source)).removeprefix("\ufeff")
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        wide = forbidden[0] == "\x00" and forbidden.start() < 2 and len(text) > 2
        raise ConfigError(
            f"{_named(forbidden[0])} cannot stand in a YAML file",
            where=place(source, Lines(text).at(forbidden.start())),
            fix="save the file as UTF-8; it looks like UTF-16"
            if wide
            else "remove it; if it is meant, write it as an escape inside double quotes",
            code="config.encoding",
        )
    return text


def stand_ins(text: str) -> dict[int, str]:
    """What to show libyaml in place of characters that broke lines in YAML 1.1 and are plain text
    in 1.2: non-characters of Unicode that the file does not use, not even as an escape."""
    breaks = [ord(character) for character in "\x85\u2028\u2029" if character in text]
    if not breaks:
        return {}
    lowered = text.lower()
    ends = (plane << 16 | low for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
    free = (chr(end) for end in ends if chr(end) not in text and f"{end:08x}" not in lowered)
    return dict(zip(breaks, free, strict=False))


def _utf8(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        raise ConfigError(
            f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8",
            where=place(source, Lines(before).at(len(before))),
            fix=f"save the file as UTF-8{'; it looks like UTF-16' if wide else ''}",
            code="config.encoding",
        ) from error


def _named(character: str) -> str:
    name = "a NUL character" if character == "\x00" else "a control character"
    if "\ud800" <= character <= "\udfff":
        name = "half of a surrogate pair"
    return f"{name} (U+{ord(character):04X})"
