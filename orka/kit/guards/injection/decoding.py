"""Text that hides in an encoding: where it stands, and what it says once it is decoded."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

import msgspec

_ALPHABET = """
alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike
november oscar papa quebec romeo sierra tango uniform victor whiskey xray x-ray yankee zulu
"""
_FREQUENT = ("echo", "india", "oscar")  # one of them is in any sentence
_SPOKEN = {word: word[0] for word in _ALPHABET.split()}
_BASE64 = re.compile(
    r"(?<![\w+/-])(?<!==)(?:[\w+/-]{16,}[ \t]?\r?\n[ \t]*)*[\w+/-]{12,}={0,2}(?![\w=])", re.ASCII
)
_CUT_BASE64 = re.compile(r"[A-Za-z0-9+/]{64,}")
_BASE32 = re.compile(r"(?<![A-Za-z0-9])[A-Z2-7]{16,}={0,6}(?![A-Za-z0-9=])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[\s:,]{0,2}){8,}(?![0-9A-Za-z])")
_BINARY = re.compile(r"(?<!\d)(?:[01]{8}[\s,]{0,2}){4,}(?!\d)")
_DECIMAL = re.compile(r"(?<!\d)(?:&#|\\)?\d{2,3}(?:[\s,;]{1,2}\d{2,3}){7,}(?!\d)")
_MORSE = re.compile(
    r"(?<!\S)(?:[.\-\u2013\u2014]{1,6}(?: ?/ ?| {1,3})){7,}[.\-\u2013\u2014]{1,6}(?!\S)"
)
_ASCII85 = re.compile(r"<~[!-u\s]{16,8000}?~>")
_BRAILLE = re.compile("[\u2801-\u283f](?:[ \u2800]{0,2}[\u2801-\u283f]){7,}")
_NATO = re.compile(
    rf"(?<!\w)(?:{'|'.join(_SPOKEN)})(?:[ ,/-]{{1,3}}(?:{'|'.join(_SPOKEN)})){{7,}}(?!\w)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?:=[0-9A-Fa-f]{2}(?:=\r?\n)?){8,}")
_UU = re.compile(
    r"^begin [0-7]{3} [^\n]{1,80}\n((?:[ -`]{2,62}\n?){1,2000}?)(?=`|end\b|\Z)", re.MULTILINE
)
_LETTERS = re.compile(r"[^\W\d_]")
_SPACE = re.compile(r"\s")
_NOT_PROSE = re.compile(r"[^\w\s.,;:!?'\"()<>@#&%+=*/{}\[\]|$-]")
_SIGNS = """\
.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..-
-.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- ..--..
"""
_DOTS = dict(
    zip(
        "\u2801\u2803\u2809\u2819\u2811\u280b\u281b\u2813\u280a\u281a\u2805\u2807\u280d"
        "\u281d\u2815\u280f\u281f\u2817\u280e\u281e\u2825\u2827\u283a\u282d\u283d\u2835",
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)
_MORSE_CODE = dict(zip(_SIGNS.split(), "abcdefghijklmnopqrstuvwxyz0123456789.,?", strict=True))
_ENCODED = re.compile(r"[\w+/=\s:,-]{24,}", re.ASCII)  # a layer with another below it
SHORTEST = 8
_PART = 16  # letters of Base64 between two slashes


class Decoded(msgspec.Struct, frozen=True):
    """What `[start, end)` of a text says in plain words."""

    start: int
    end: int
    text: str
    encoding: str


def decoded(text: str) -> Iterator[Decoded]:
    """All that reads like text once it is decoded. Pictures, hashes and keys do not."""
    said = text.casefold()
    spoken = any(word in said for word in _FREQUENT)
    for name, pattern, decode in _KINDS:
        if pattern is _NATO and not spoken:
            continue
        for match in pattern.finditer(text):
            if pattern is _CUT_BASE64 and match.start() > 0:
                break  # only what begins where a long text was cut begins anywhere in a group
            said = decode(match.group())
            if said and (reads_like_text(said) or _ENCODED.fullmatch(said)):
                yield Decoded(match.start(), match.end(), said, name)


def reads_like_text(text: str) -> bool:
    """True for what people could read: mostly letters and blanks."""
    if len(text) < SHORTEST or "\x00" in text:
        return False
    letters = len(_LETTERS.findall(text))
    strange = len(_NOT_PROSE.findall(text))
    blanks = len(_SPACE.findall(text))
    return (
        letters >= 0.6 * len(text)
        and strange <= 0.05 * len(text)
        and (blanks > 0 or len(text) > 15)
    )


def _plain(data: bytes) -> str:
    """The bytes as text; a few at either end may be missing."""
    if data[1::2].count(0) > 0.4 * len(data) / 2:
        return data.decode("utf-16-le", "ignore")
    for start in range(4):
        for end in range(4):
            try:
                text = data[start : len(data) - end].decode("utf-8")
            except UnicodeDecodeError:
                continue
            return text
    return ""


def _base64(found: str) -> str:
    """What Base64 over several lines says; a line beside it may look the same and belong to
    something else."""
    said, lines = _joined_base64(found), found.split()
    if len(lines) == 1 or reads_like_text(said):
        return said
    inner = ["".join(lines[1:]), "".join(lines[:-1]), *lines]
    return next(filter(reads_like_text, map(_joined_base64, inner)), said)


def _joined_base64(found: str) -> str:
    packed = re.sub(r"\s", "", found).rstrip("=").replace("-", "+").replace("_", "/")
    if packed.isalpha() and (packed.islower() or packed.istitle() or packed.isupper()):
        return ""  # a long word
    said = _unpacked(packed)
    if "/" in packed and not reads_like_text(said):  # it may stand in a path
        parts = (_unpacked(part) for part in packed.split("/") if len(part) >= _PART)
        said = next(filter(reads_like_text, parts), said)
    return said


def _unpacked(packed: str) -> str:
    packed = packed[: len(packed) - (len(packed) % 4 == 1)]
    return _plain(base64.b64decode(packed + "=" * (-len(packed) % 4)))


def _cut_base64(found: str) -> str:
    """A piece out of the middle, that begins anywhere in a group of four."""
    for skip in range(1, 4):
        said = _base64(found[skip:])
        if reads_like_text(said):
            return said
    return ""


def _base32(found: str) -> str:
    packed = found.rstrip("=")
    try:
        return _plain(base64.b32decode(packed + "=" * (-len(packed) % 8)))
    except binascii.Error:
        return ""


def _hex(found: str) -> str:
    digits = re.sub(r"0x|\\x|[\s:,]", "", found)
    return _plain(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _binary(found: str) -> str:
    bits = re.sub(r"[\s,]", "", found)
    return _plain(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) // 8 * 8, 8)))


def _decimal(found: str) -> str:
    codes = [int(code) for code in re.findall(r"\d+", found)]
    return "".join(map(chr, codes)) if all(9 <= code < 127 for code in codes) else ""


def _morse(found: str) -> str:
    signs = re.sub("[\u2013\u2014]", "-", found)
    words = re.split(r" ?/ ?| {3}", signs)
    letters = [[_MORSE_CODE.get(sign, "") for sign in word.split()] for word in words]
    return " ".join("".join(word) for word in letters)


def _braille(found: str) -> str:
    return "".join(_DOTS.get(dots, "" if dots > "\u2800" else " ") for dots in found)


def _nato(found: str) -> str:
    words = re.findall(r"[a-z]+(?:-ray)?", found.lower())
    return "".join(map(_SPOKEN.__getitem__, words))


def _quoted(found: str) -> str:
    return _plain(binascii.a2b_qp(found.encode()))


def _uu(found: str) -> str:
    said = b""
    for line in found.split("\n")[1:]:
        try:
            said += binascii.a2b_uu(line) if line else b""
        except binascii.Error:
            return ""
    return _plain(said)


def _ascii85(found: str) -> str:
    try:
        return _plain(base64.a85decode(found, adobe=True))
    except ValueError:
        return ""


_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[str], str]], ...] = (
    ("base64", _BASE64, _base64),
    ("base64", _CUT_BASE64, _cut_base64),
    ("base32", _BASE32, _base32),
    ("hex", _HEX, _hex),
    ("binary", _BINARY, _binary),
    ("decimal", _DECIMAL, _decimal),
    ("morse", _MORSE, _morse),
    ("ascii85", _ASCII85, _ascii85),
    ("braille", _BRAILLE, _braille),
    ("spoken letters", _NATO, _nato),
    ("quoted printable", _QUOTED, _quoted),
    ("uuencode", _UU, _uu),
)
