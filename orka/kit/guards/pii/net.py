"""E-mail addresses, and addresses of machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from orka.kit.guards.pii.cues import words
from orka.kit.guards.pii.hit import Hit

_LOCAL, _DOMAIN = 64, 253
_GAPLESS = "\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef"
_QUOTED = re.compile(r'"[^"\n]{1,60}"\Z')
_AFTER = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_](?:[\w-]{0,61}[^\W_])", re.U)
# The same in Latin letters, with those of a script without gaps right behind it.
_ASCII_AFTER = re.compile(
    rf"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}}[A-Za-z0-9])?\.){{1,8}}[A-Za-z]{{2,24}}(?=[{_GAPLESS}])"
)
_LITERAL = re.compile(r"\[\d{1,3}(?:\.\d{1,3}){3}\]")
_SPELT = re.compile(
    r"(?<![\w.])([a-z0-9][a-z0-9._+-]{0,40})[ ]?[\[({][ ]?at[ ]?[\])}][ ]?"
    r"([a-z0-9-]{1,40}(?:[ ]?(?:\.|[\[({][ ]?dot[ ]?[\])}])[ ]?[a-z0-9-]{1,30}){1,4})",
    re.IGNORECASE,
)
_AT = re.compile(r"[\[({][ ]?at[ ]?[\])}]", re.IGNORECASE)
_SPELT_BEFORE = 42
_V4 = re.compile(r"\d(?<![\w.:-]\d)\d{0,2}(?:\.\d{1,3}){3}(?![\w-]|\.\d)", re.A)
_V6 = re.compile(
    r"(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4})(?![\w:])",
    re.A,
)
# What a text with one of them has, which is rare in others, and how far around it they reach.
_COLONS = re.compile(r":[0-9a-fA-F]{0,4}:")
_PAIRS = re.compile(r"[:-][0-9a-fA-F]{2}[:-][0-9a-fA-F]{2}[:-]|\.[0-9a-fA-F]{4}\.")
_BEFORE, _BEHIND = 6, 60
_MAC = re.compile(
    r"(?<![\w:.-])(?:[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}|[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){5}"
    r"|[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4})(?![\w:-]|\.\w)",
    re.A,
)
_VERSION = words(
    *(
        "v",
        "ver",
        "versions?",
        "release",
        "build",
        "firmware",
        "driver",
        "rev(?:ision)?",
        "section",
    ),
    *(
        "chapter",
        "clause",
        "oid",
        "upgraded? to",
        "update to",
        "chrome",
        "sdk",
        "assembly",
        "schema",
    ),
    *("versi[oó]n", "versione", "versie", "wersj[aię]", "vers[aã]o", "バージョン", "版本"),
)

_PARTED = re.compile(r"[.,;\n]\s|\bip\b|from", re.IGNORECASE)


def email(text: str) -> Iterator[Hit]:
    at = text.find("@")
    while at >= 0:
        begin = max(0, at - _LOCAL)
        before = _local(text, begin, at)
        after = _AFTER.match(text, at + 1, at + 1 + _DOMAIN) or _LITERAL.match(text, at + 1)
        if before >= 0 and after:
            short = _ASCII_AFTER.match(text, at + 1, at + 1 + _DOMAIN)
            end = short.end() if short else after.end()
            yield Hit(before, end, "EMAIL", "email", 90)
        at = text.find("@", at + 1)
    for sign in _AT.finditer(text):
        for match in _SPELT.finditer(text, max(0, sign.start() - _SPELT_BEFORE)):
            if match.start() < sign.start():
                yield Hit(match.start(), match.end(), "EMAIL", "email.spelt", 85, 0.9)
            break


_PART = re.compile(r"(?:[^\W_]|[._+%&'*/=?^`{|}~!#$-]){0,64}")
_BEGIN = re.compile(r"[\w+]")
# `mailto:`, `key=` and `'` before an address are none of it.
_GLUED = re.compile(rf"[{_GAPLESS}](?=[A-Za-z0-9])")
_CUT = re.compile(r"[=`|/{?&]|(?<![^\W\d_])'")


def _local(text: str, begin: int, at: int) -> int:
    """Where the part before an `@` begins; -1 if there is none."""
    size = len(_PART.match(text[begin:at][::-1]).group())  # type: ignore[union-attr]  # always one
    first = _BEGIN.search(text, at - size, at)
    if first is None:
        quoted = _QUOTED.search(text, begin, at)
        return quoted.start() if quoted else -1
    start = first.start()
    for glued in _GLUED.finditer(text, start, at - 1) if text[at - 1].isascii() else ():
        start = glued.end()
    for cut in _CUT.finditer(text, start, at - 1):
        start = cut.end()
    return start if text[at - 1] != "." else -1


def ip(text: str) -> Iterator[Hit]:
    for match in _V4.finditer(text):
        if _v4(match.group()) and not _versioned(text, match.start()):
            yield Hit(match.start(), match.end(), "IP", "ip.v4", 70)
    for match in _around(_V6, _COLONS, text):
        if _v6(match.group()):
            yield Hit(match.start(), match.end(), "IP", "ip.v6", 72)


def mac(text: str) -> Iterator[Hit]:
    for match in _around(_MAC, _PAIRS, text):
        yield Hit(match.start(), match.end(), "MAC", "mac", 74)


def _around(pattern: re.Pattern[str], sign: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of the pattern that have such a sign near their beginning."""
    end = 0
    for found in sign.finditer(text):
        since = max(end, found.start() - _BEFORE)
        if since <= found.start():
            match = pattern.search(text, since, found.start() + _BEHIND)
            if match and match.start() <= found.start():
                end = match.end()
                yield match


def _versioned(text: str, at: int) -> bool:
    """True if the words right before say that these are the parts of a version."""
    begin = max(0, at - 24)
    found = [match.end() for match in _VERSION.finditer(text, begin, at)]
    return bool(found) and not _PARTED.search(text, found[-1], at)


def _v4(text: str) -> bool:
    try:
        address = IPv4Address(text)
    except AddressValueError:
        return False
    return int(address) >> 24 != 0 or text == "0.0.0.0"


def _v6(text: str) -> bool:
    signs = [char for char in text if char.isalnum()]
    if text != "::1" and len(signs) < (3 if any(char.isalpha() for char in signs) else 8):
        return False
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    # A clock time with `::` is none; an address has a letter, an empty part or eight parts.
    return "::" in text or text.count(":") == 7 or "." in text
