"""Cards and bank accounts: only what passes its check."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orka.kit.guards.pii.cues import NUMBERED, last, words
from orka.kit.guards.pii.hit import Hit

# Digits in groups: no more than one space, dash, dot or line break between two.
_RUN = re.compile(r"\d(?<!\w\d)(?:[ \-.\t\n]?\d){11,}+", re.A)
_BARE = dict.fromkeys(map(ord, " -.\t\n"))
# With dots, tabs or a line break between them the groups are those that stand on a card.
_PRINTED = re.compile(r"\d{4}(?:([ \-.\t\n])\d{4}){3}\Z|\d{4}[ .\t\n]\d{6}[ .\t\n]\d{5}\Z")
_GROUP = re.compile(r"\d+")
# Digits that cards begin with.
_FIRST = frozenset("23456")
_SHORTEST, _LONGEST, _MOST_GROUPS = 12, 19, 19
# How close before a number stands what it is the number of.
_CLOSE = 16
_CARD = words(
    *(
        "cards?",
        "visa",
        "master\\s?card",
        "amex",
        "american express",
        "credit",
        "debit",
        "cc",
        "pan",
    ),
    *("karten?(?:nummer)?", "kreditkarte", "carte", "tarjeta", "carta", "kaart", "karta", "karty"),
    *("cart[aã]o", "kort(?:et|nummer)?", "カード", "卡号", "信用卡", "카드"),
)
# The lengths that an IBAN has in each country.
_IBAN_LENGTHS = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE", "BI"), 16),
    **dict.fromkeys(("DK", "FI", "FO", "GL", "NL", "SD"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "XK", "MN"), 20),
    **dict.fromkeys(("CH", "HR", "LI", "LV"), 21),
    **dict.fromkeys(("BG", "BH", "CR", "DE", "GB", "GE", "IE", "ME", "RS", "VA"), 22),
    **dict.fromkeys(("AE", "GI", "IL", "IQ", "OM", "SO", "TL"), 23),
    **dict.fromkeys(("AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"), 24),
    **dict.fromkeys(("LY", "PT", "ST"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("DJ", "FR", "GR", "IT", "MC", "MR", "SM"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "GT", "HU", "LB", "NI", "PL", "SV"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA"), 29),
    **dict.fromkeys(("JO", "KW", "MU", "YE"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
    "LC": 32,
    "RU": 33,
}
# The check digits, with the country before them.
_IBAN = re.compile(r"\d(?:(?<=[A-Za-z]{2}\d)|(?<=[A-Za-z]{2}[ -]\d))\d(?=[ -]?[A-Za-z0-9])", re.A)
_COUNTRY = re.compile(r"(?<![^\W_])([A-Za-z]{2})[ -]?\d{2}", re.A)


_COUNTED = {
    length: re.compile(rf"[A-Za-z0-9](?:[ -]?[A-Za-z0-9]){{{length - 1}}}(?![A-Za-z0-9_])", re.A)
    for length in set(_IBAN_LENGTHS.values())
}


def card(text: str) -> Iterator[Hit]:
    for run in _RUN.finditer(text):
        groups = [(m.start(), m.end()) for m in _GROUP.finditer(text, run.start(), run.end())]
        for place, (start, _) in enumerate(groups):
            if text[start] not in _FIRST:
                continue
            for _, end in groups[place : place + _MOST_GROUPS]:
                if end - start > 2 * _LONGEST:
                    break
                written = text[start:end]
                if _is_card(written, text, start):
                    yield Hit(start, end, "CREDIT_CARD", "card", 80)


def _is_card(written: str, text: str, start: int) -> bool:
    digits = written.translate(_BARE)
    if not _SHORTEST <= len(digits) <= _LONGEST or not _issued(digits) or not luhn(digits):
        return False
    gaps = set(written) & {" ", "-", ".", "\t", "\n"}
    if len(gaps - {"\n"}) > 1 or written.count("\n") > 1 or len(set(digits)) == 1:
        return False
    if gaps - {" ", "-"} and not _PRINTED.match(written):
        return False
    told = last(_CARD, text, start) >= 0
    if len(digits) != 16 and digits[0] not in "3":
        return told
    return (
        told
        or last(NUMBERED, text, start, clause=True, within=_CLOSE) < 0
        or len(written) > len(digits)
    )


def _issued(digits: str) -> bool:
    """True if some issuer gives out numbers that begin so and have this length."""
    size, two, three, four = len(digits), int(digits[:2]), int(digits[:3]), int(digits[:4])
    if two in (34, 37):
        return size == 15
    if digits[0] == "4":
        return size in (13, 16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return size == 16
    if 300 <= three <= 305 or two in (36, 38, 39):
        return 14 <= size <= 19
    if 3528 <= four <= 3589:
        return 16 <= size <= 19
    if four == 6011 or two in (62, 65) or 644 <= three <= 649 or 2200 <= four <= 2204:
        return 16 <= size <= 19
    return two == 50 or 56 <= two <= 69


def luhn(digits: str) -> bool:
    """True if the check digit at the end is that of Luhn."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        number = int(char)
        if place % 2:
            number = number * 2 - 9 * (number > 4)
        total += number
    return total % 10 == 0


def iban(text: str) -> Iterator[Hit]:
    for digits in _IBAN.finditer(text):
        at = max(0, digits.start() - (2 if text[digits.start() - 1].isalpha() else 3))
        match = _COUNTRY.match(text, at)
        if match is None:
            continue
        length = _IBAN_LENGTHS.get(match.group(1).upper())
        if length is None:
            continue
        taken = _taken(text, match.start(), length)
        if taken > 0 and _checked(text[match.start() : taken]):
            yield Hit(match.start(), taken, "IBAN", "iban", 95)


def _taken(text: str, start: int, length: int) -> int:
    """Where so many letters and digits end, with single gaps between them; 0 if there are fewer, or
    more without a gap."""
    found = _COUNTED[length].match(text, start)
    return found.end() if found else 0


def _checked(written: str) -> bool:
    bare = written.replace(" ", "").replace("-", "").upper()
    turned = bare[4:] + bare[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1
