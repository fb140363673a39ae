"""Characters that nobody sees, or that show a text in another order than it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orka.kit.guards.injection.folding import INVISIBLE
from orka.kit.guards.injection.rule import FAIR, FIRM, STRONG, Match

_OVERRIDE = re.compile("[\u202d\u202e][^\u202c\n]{0,200}\u202c?")
_TAGS = re.compile("[\U000e0001\U000e0020-\U000e007f]{2,}")
_FLAG = "\U0001f3f4"
_BYTES = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_RUN = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u200e\u200f]{6,}")
# Joiners and soft hyphens have their uses; a blank without width in a Latin word has none.
_IN_WORD = re.compile("(?<=[A-Za-z])[\u200b\u2060-\u2064\ufeff\u180e]+(?=[A-Za-z])")
_STYLED = re.compile("[\ufe0e\ufe0f\u200c\u200d\u200e\u200f]")
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_REMARK = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_UNSHOWN = re.compile(
    r"<[a-z]\w{0,20}\s[^<>]{0,300}?(?:display\s{0,2}:\s{0,2}none|visibility\s{0,2}:\s{0,2}hidden"
    r"|font-size\s{0,2}:\s{0,2}0|opacity\s{0,2}:\s{0,2}0(?![.\d])|(?<!-)color\s{0,2}:\s{0,2}(?:white|#fff"
    r"(?:fff)?|transparent)|\bhidden\b)[^<>]{0,300}>[^<]{1,2000}",
    re.IGNORECASE,
)
_SPLIT_TOO_OFTEN = 3


def hidden(text: str) -> Iterator[Match]:
    """What is hidden, with what it says where it says something."""
    if text.isascii():
        return
    for match in _OVERRIDE.finditer(text):
        yield _found(match, FIRM, "direction_override")
    for match in _TAGS.finditer(text):
        if text[match.start() - 1 : match.start()] != _FLAG:
            said = "".join(chr(ord(char) - 0xE0000) for char in match.group())
            yield _found(match, STRONG, "tag_characters", said.strip("\x01\x7f"))
    for match in _BYTES.finditer(text):
        yield _found(match, FIRM, "variation_selectors", _bytes(match.group()))
    for match in _RUN.finditer(text):
        yield _found(match, FIRM, "zero_width_run", _bits(match.group()))
    split = list(_IN_WORD.finditer(text))
    if len(split) >= _SPLIT_TOO_OFTEN:
        for match in split:
            yield _found(match, FAIR, "zero_width_in_words")


def veiled(text: str) -> list[tuple[int, int]]:
    """Where markup keeps text from being shown: comments, and elements that are not displayed."""
    if "<" not in text:
        return []
    return [match.span() for pattern in (_REMARK, _UNSHOWN) for match in pattern.finditer(text)]


def conceals(text: str) -> bool:
    """True if something in the text cannot be seen that has no other use."""
    return not text.isascii() and bool(_UNSEEN.search(_STYLED.sub("", text)))


def _found(match: re.Match[str], score: float, rule: str, said: str = "") -> Match:
    return Match(
        category="hidden_text",
        start=match.start(),
        end=match.end(),
        score=score,
        rule=rule,
        decoded=said,
    )


def _bits(run: str) -> str:
    """What two kinds of characters without width say as ones and zeros, if that is text."""
    kinds = sorted(set(run))
    if len(kinds) != 2 or len(run) < 16:
        return ""
    for one in kinds:
        bits = "".join("1" if char == one else "0" for char in run)
        data = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) // 8 * 8, 8))
        said = data.decode("utf-8", "replace")
        if said.isprintable() and "\ufffd" not in said:
            return said
    return ""


def _bytes(selectors: str) -> str:
    codes = (ord(char) for char in selectors)
    data = bytes(code - 0xFE00 if code < 0x10000 else code - 0xE0100 + 16 for code in codes)
    return data.decode("utf-8", "ignore")
