"""The ways in which a text can be read that is made to be misread by a guard."""

from __future__ import annotations

import html
import re
import urllib.parse
from collections.abc import Iterator

import msgspec

from orka.kit.guards.injection.folding import seen, tagged, unmasked
from orka.kit.guards.injection.mapped import Mapped
from orka.kit.guards.injection.rule import distinct

_ENTITY = re.compile(r"(?:&(?:#x[0-9a-fA-F]{1,6}|#\d{1,7}|[a-zA-Z]{2,8});)+")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_ESCAPE = re.compile(
    r"(?:\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\}|\\U[0-9a-fA-F]{8}|\\x[0-9a-fA-F]{2})+"
)
_COMMENT = re.compile(
    r"(?<=\w)(?:<!--.{0,200}?-->|/\*.{0,200}?\*/|(?:</?(?:a|b|i|u|em|s|wbr|span"
    r"|font|strong|sup|sub|small|mark)\b[^<>\n]{0,60}>){1,4})(?=\w)"
    r"|<!--|-->|/\*|\*/|<[^<>\n]{1,80}>",
    re.DOTALL,
)
_LEET = re.compile(r"[\w@$!|+€£(]{2,}")
_LEET_SIGN = re.compile(r"[0134578@$!|+€£(]")
_MIXED = re.compile(r"[a-z][0134578@$!|]+[a-z]|[0134578@$][a-z]{2}")
_LETTER = re.compile(r"[a-z]")
_NO_LETTER = re.compile(r"[^a-z]+")
_CODE = re.compile(r"\\u\{?([0-9a-fA-F]+)\}?|\\[Ux]([0-9a-fA-F]+)")
_PLAIN_FOR = str.maketrans("01345789@$!|+€£(", "oieastbgasiltelc")
_ROT13 = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM",
)
_ATBASH = str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
# Words that an attack can hardly do without, each letter moved on by the same number of places.
_TELLING = ("instruction", "disregard", "prompt", "previous", "ignore")


def _moved(word: str, by: int) -> str:
    return word.translate(str.maketrans(_ALPHABET, _ALPHABET[by:] + _ALPHABET[:by]))


_SHIFTS = {_moved(word, by): by for by in range(1, 26) if by != 13 for word in _TELLING}


class View(msgspec.Struct, frozen=True):
    """A way to read a text. `disguise` names it; what is found in an `encoded` one was hidden."""

    disguise: str
    text: Mapped
    encoded: bool = False


def views(raw: Mapped) -> Iterator[View]:
    """As it is seen first, then each other reading that differs from it."""
    shown = seen(raw)
    plain = unmasked(shown)
    yield View("", plain)
    if plain is not shown:
        yield View("", shown)
    spelt = _spelt(raw)
    if spelt is not raw:
        yield View("escaped", unmasked(seen(spelt)), encoded=True)
    letters = tagged(raw)
    if letters is not raw:
        yield View("tags", seen(letters), encoded=True)
    bare = raw.replaced(_COMMENT, _bare) if "<" in raw.text or "/*" in raw.text else raw
    if bare is not raw:
        yield View("markup", unmasked(seen(bare)))
    unleeted = plain.replaced(_LEET, _unleet) if _MIXED.search(plain.text) else plain
    if unleeted is not plain:
        yield View("leetspeak", unleeted)
    yield View("rot13", plain.same_length(plain.text.translate(_ROT13)), encoded=True)
    said = distinct(plain.text)
    if moved := next((by for word, by in _SHIFTS.items() if word in said), 0):
        back = _moved(plain.text, 26 - moved)
        yield View("caesar", plain.same_length(back), encoded=True)
    yield View("atbash", plain.same_length(plain.text.translate(_ATBASH)), encoded=True)
    yield View("reversed", plain.backwards(), encoded=True)


def squeezed(text: str) -> str:
    """The letters of a text that is plain, and nothing between them."""
    return _NO_LETTER.sub("", text.translate(_PLAIN_FOR) if _LEET_SIGN.search(text) else text)


def unsqueezed(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the letters `[start, end)` of the squeezed text stand in the text itself."""
    letters = text.translate(_PLAIN_FOR) if _LEET_SIGN.search(text) else text
    places = [match.start() for match in _LETTER.finditer(letters)]
    return places[start], places[end - 1] + 1


def _spelt(raw: Mapped) -> Mapped:
    text = raw
    if "&" in text.text:
        text = text.replaced(_ENTITY, lambda match: html.unescape(match.group()))
    if "%" in text.text:
        text = text.replaced(
            _PERCENT, lambda match: urllib.parse.unquote(match.group(), errors="ignore")
        )
        text = text.replaced(
            _PERCENT, lambda match: urllib.parse.unquote(match.group(), errors="ignore")
        )
    if "\\" in text.text:
        text = text.replaced(_ESCAPE, lambda match: _CODE.sub(_unescaped, match.group()))
    return text


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""


def _bare(match: re.Match[str]) -> str:
    inside = match.end() < len(match.string) and match.string[match.end()].isalnum()
    before = match.start() > 0 and match.string[match.start() - 1].isalnum()
    return "" if inside and before and len(match.group()) > 2 else " "


def _unleet(match: re.Match[str]) -> str:
    word = match.group()
    if not _LETTER.search(word) and not word.isdigit():
        return word
    return word if not _LEET_SIGN.search(word) else word.translate(_PLAIN_FOR)
