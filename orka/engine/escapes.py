"""Escapes in a text: what JSON, HTML and addresses write in place of a character, which whoever
reads them turns into the character again."""

from __future__ import annotations

import html
import re
from bisect import bisect_right

_ESCAPES = re.compile(
    r"\\+(?:u(?P<code>[0-9a-fA-F]{4})|(?P<slash>/))"
    r"|%(?P<octet>[2-7][0-9a-fA-F])"
    r"|(?P<entity>&(?:[a-zA-Z]{2,8}|#\d{1,7}|#[xX][\da-fA-F]{1,6});)"
)
_MARKS = ("\\u", "\\/", "%", "&")


class Plain:
    """A `text` without escapes, and where in the one `written` each part of it stands."""

    __slots__ = ("_from", "_shift", "text")

    def __init__(self, written: str) -> None:
        parts, at, shift = list[str](), 0, 0
        self._from, self._shift = [0], [0]
        for found in _ESCAPES.finditer(written) if _may_hold(written) else ():
            char = _char(found)
            if char == found.group():
                continue
            parts += (written[at : found.start()], char)
            behind = found.start() - shift + len(char)
            shift += len(found.group()) - len(char)
            self._from.append(behind)
            self._shift.append(shift)
            at = found.end()
        self.text = "".join((*parts, written[at:])) if parts else written

    def place(self, at: int) -> int:
        """Where in the written text the character at a place begins, and the one before it ends."""
        return at + self._shift[bisect_right(self._from, at) - 1]


def plain(written: str) -> str:
    """A text without its escapes."""
    return Plain(written).text


def _may_hold(written: str) -> bool:
    return any(mark in written for mark in _MARKS)


def _char(found: re.Match[str]) -> str:
    if found["slash"]:
        return "/"
    if entity := found["entity"]:
        return html.unescape(entity)
    char = chr(int(found["code"] or found["octet"], 16))
    return found.group() if "\ud800" <= char <= "\udfff" else char
