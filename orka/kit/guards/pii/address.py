"""Postal addresses: a street with a number, and the town behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from orka.kit.guards.pii import streets
from orka.kit.guards.pii.hit import Hit, Rule
from orka.kit.guards.pii.trie import cased, starts, tree

_UP = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽ"
_LOW = "a-zß-öø-ÿāăąćčďđēėęěğģīįıķĺļľłńņňōőœŕřśşšţťūůűųźżž'"


def word(never: str = "") -> str:
    """A pattern for a word with a capital letter, with none of `never` (a part of a set) before."""
    before = f"(?<![{never}][{_UP}])" if never else ""
    return rf"[{_UP}]{before}[{_LOW}]{{0,24}}(?:-[{_UP}][{_LOW}]{{1,24}}){{0,3}}"


WORD = word()
_LINK = "|".join(streets.LINKS)
_NAMES = rf"(?:[ ](?:(?:{_LINK})[ ]){{0,3}}(?:[dl]')?(?:{WORD}|\d{{1,2}}\.?)\.?){{1,5}}?"
_NO = r"\d{1,5}(?:[ ]?[a-zA-Z](?!\w))?(?:[/-]\d{1,4}[a-zA-Z]?)?(?!\w)(?![.,]\d|[ ]?%)"
_ZIP = r"(?:\d{2}-\d{3}|\d{5}-\d{3}|\d{4}[ ]?[A-Z]{2}|\d{3}[ ]\d{2}|\d{4,5})"
_POSTCODE = r"[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}"
_GAP = r",?[ \n]{1,2}"
_PLACE = rf"{WORD}(?:[ -](?:(?:{_LINK})[ ])?{WORD}){{0,2}}"
_TOWN = re.compile(
    rf"(?:[ ]-)?{_GAP}{_ZIP}(?!\w)(?:[ ,]{{1,2}}{_PLACE}(?!\w))?"
    rf"|{_GAP}{_PLACE},?[ \n]{{1,2}}(?:[A-Z]{{2}}[ ])?(?:{_POSTCODE}|\d{{5}}(?:-\d{{3,4}})?)(?!\w)"
    rf"|{_GAP}{_POSTCODE}(?!\w)"
)
_UNIT = re.compile(
    r",?[ ](?:Apt|Suite|Ste|Unit|Flat|Apartment|Room|Floor|Piso|Puerta|Appartamento|Apto|Esc|m)\.?"
    r"[ ]?[\dA-Z][\w-]{0,5}(?!\w)"
)
_HAN = "\u3040-\u30ff\u3400-\u9fff\u3005"
_BOX = (r"P(?:\.?[ ]?O\.?[ ]?Box)", "Postfach", "Apartado", "Casella postale", "Postbus")
_BOXES = re.compile(
    rf"{starts(_BOX)}"
    r"[ ]\d{1,6}(?!\w)"
)
_UNITS = ("USNS", "USS", "USCGC", "USNV", "PSC", "Unit")
_FORCES = re.compile(
    rf"{starts(_UNITS)}[ ](?:\d{{1,5}}|{WORD}),?[ \n]"
    r"(?:Box[ ]\d{1,5},?[ \n])?(?:FPO|APO|DPO),?[ ]A[APE][ ]\d{5}"
)
_JAPANESE = re.compile(
    rf"[\u4e00-\u9fff][\u4e00-\u9fff]{{1,2}}[都道府県](?!民)[{_HAN}]{{1,24}}"
    r"\d{1,4}(?:丁目|番地?|-)\d{0,4}(?:番地?|-)?\d{0,4}号?"
    rf"(?:[ ]?[{_HAN}]{{2,12}}\d{{1,4}}(?:号室)?)?"
)


def _escaped(words: Iterable[str]) -> list[str]:
    return [re.escape(word) for word in words]


_POSTAL, _POSTAL_LENGTH = re.compile(r"〒?\d{3}-\d{4}[ ]?\Z"), 10
_CHINESE = re.compile(
    rf"[\u4e00-\u9fff][\u4e00-\u9fff]{{1,2}}[省市][{_HAN}]{{1,24}}[路街道巷]\d{{1,5}}号"
    rf"(?:[\d{_HAN}]{{0,12}}[室座楼])?"
)
_PLACES = starts(_escaped(cased(streets.FRENCH)), never=r"\w.,/-")
_ENGLISH = re.compile(
    rf"\d(?<![\w.,/-]\d)\d{{0,5}}[A-Z]?,?[ ](?:[NSEW]\.?[ ])?"
    rf"(?:(?:{WORD}\.?|\d{{1,3}}(?:st|nd|rd|th))[ ]){{1,3}}?"
    rf"(?P<last>{tree(streets.ENGLISH)})(?!\w)\.?"
)
_FRENCH = (
    re.compile(
        rf"\d(?<![\w.,/-]\d)\d{{0,3}}(?:[ ]?(?:bis|ter|quater))?,?[ ]"
        rf"(?i:{tree(streets.FRENCH)}){_NAMES[:-1]}(?!\w)"
    ),
    re.compile(rf"{_PLACES}{_NAMES[:-1]}(?={_GAP}\d{{5}}[ ])(?!\w)"),
)
_SOUTHERN = re.compile(
    rf"{starts(_escaped(streets.SOUTHERN))}{_NAMES},?[ ](?:n?[º°.]{{1,2}}[ ]?)?{_NO}"
)
_POLISH = re.compile(rf"{starts(_escaped(cased(streets.POLISH)))}{_NAMES}[ ]{_NO}")
_RUSSIAN = re.compile(
    rf"{starts(_escaped(cased(streets.RUSSIAN)))}[ ][А-ЯЁ][а-яё-]{{1,24}}"
    rf"(?:[ ][А-ЯЁ]?[а-яё-]{{1,24}})?,?[ ]"
    r"(?:д\.?[ ]?|дом[ ])?\d{1,4}(?:,?[ ]?(?:кв\.?|к\.|корп\.)[ ]?\d{1,4})?"
)
# The number of a house behind the name of a street, and how that name ends.
_NUMBER, _WHOLE = re.compile(r"\d(?<=[^\W\d_][ ]\d|[.][ ]\d)"), re.compile(_NO)
_GERMANIC = tuple(sorted(streets.GERMANIC, key=len, reverse=True))
_ENDING = max(map(len, _GERMANIC))
_ON = ("Am", "An der", "Im", "Zum", "Zur", "Auf der", "In der")
_PREFIXED = re.compile(rf"{starts(_ON)}[ ]{WORD}[ ]{_NO}(?=,?[ \n])")
# Where one can begin: a number of a house before a word, or a word that stands before a name.
_HOUSE = re.compile(r"\d(?<![\w.,/-]\d)\d{0,5}[A-Z]?(?:[ ]?(?:bis|ter|quater))?,?[ ](?=[^\W_])")
_LED = (_FRENCH[1], _SOUTHERN, _POLISH, _RUSSIAN, _BOXES, _FORCES)
_LEADING = re.compile(
    starts(
        [
            *_escaped(cased((*streets.FRENCH, *streets.POLISH, *streets.RUSSIAN))),
            *_escaped((*streets.SOUTHERN, *_BOX[1:], *_UNITS)),
            _BOX[0],
        ]
    )
)
_STEM = re.compile(rf"[{_UP}][{_LOW}]{{0,24}}(?:-[{_UP}{_LOW}]{{1,24}}){{0,4}}-?\Z")
_STEM_LONGEST = 60


def address_rule(*, strict: bool) -> Rule:
    """The rule for addresses. Without `strict` an English street needs a word that names nothing
    else, or a town behind it."""

    def address(text: str) -> Iterator[Hit]:
        for start, end, sure in _streets(text):
            unit = _UNIT.match(text, end)
            stop = unit.end() if unit else end
            town = _TOWN.match(text, stop)
            stop = town.end() if town else stop
            if sure or unit or town or (strict and not _counted(text, end)):
                yield Hit(start, stop, "ADDRESS", "address", 58, 1.0 if town else 0.8)

    return address


def _streets(text: str) -> Iterator[tuple[int, int, bool]]:
    for house in _HOUSE.finditer(text):
        if match := _ENGLISH.match(text, house.start()):
            yield match.start(), match.end(), match.group("last") not in streets.DOUBTFUL
        if match := _FRENCH[0].match(text, house.start()):
            yield match.start(), match.end(), True
    for leading in _LEADING.finditer(text):
        for pattern in _LED:
            if match := pattern.match(text, leading.start()):
                yield match.start(), match.end(), True
    for match in () if text.isascii() else _CHINESE.finditer(text):
        yield match.start(), match.end(), True
    for match in () if text.isascii() else _JAPANESE.finditer(text):
        code = _POSTAL.search(text, max(0, match.start() - _POSTAL_LENGTH), match.start())
        yield code.start() if code else match.start(), match.end(), True
    for match in _NUMBER.finditer(text):
        gap = match.start() - 1
        ending = text[max(0, gap - _ENDING) : gap].lower()
        number = _WHOLE.match(text, match.start()) if ending.endswith(_GERMANIC) else None
        if number:
            last = next(each for each in _GERMANIC if ending.endswith(each))
            start = _stem(text, gap - len(last))
            if start >= 0:
                yield start, number.end(), True
    for match in _PREFIXED.finditer(text):
        if _TOWN.match(text, match.end()):
            yield match.start(), match.end(), True


def _counted(text: str, end: int) -> bool:
    """True if a small word follows: `3 Key Points are` names things, no street."""
    return bool(re.compile(r"[ ][a-z]{2}").match(text, end))


def _stem(text: str, at: int) -> int:
    """Where the name begins whose last word ends at `at`; -1 if it is no name."""
    begin = max(0, at - _STEM_LONGEST)
    words = text[begin:at]
    glued = words[-1:].isalpha() or words.endswith("-")
    if not glued:
        words = words.rstrip(" ")
        if not text[at].isupper():
            return -1
    space = max(words.rfind(" "), words.rfind("\n"))
    word = words[space + 1 :]
    if not word:
        return begin + len(words) if text[at].isupper() and glued else -1
    found = _STEM.match(word)
    return begin + space + 1 if found else -1
