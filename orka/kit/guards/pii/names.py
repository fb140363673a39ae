"""Names of people, by the words around them and by given names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orka.kit.guards.pii.address import WORD, word
from orka.kit.guards.pii.cues import small
from orka.kit.guards.pii.given import DOUBTFUL, GIVEN, KANJI
from orka.kit.guards.pii.hit import Hit
from orka.kit.guards.pii.nouns import CLOSING, GREETING, LABEL, NO_NAME, SAID, TITLE
from orka.kit.guards.pii.trie import alternatives, spelt, starts, tree

_LINK = (
    r"(?:van der|van den|van de|von der|van|von|de la|de los|de|del|della|di|da|dos|do|das|du|le|"
    r"la|el|al|bin|ibn|ten|ter|zu|y|e|af)"
)
_CYRILLIC = r"[А-ЯЁІЇЄ][а-яёіїє']{1,24}(?:-[А-ЯЁ][а-яё]{1,24})?|[Α-ΩΆ-Ώ][α-ωά-ώ]{1,24}"
_PART = rf"(?:(?:Mc|Mac|O'|D'|De|Le|La|Van)?{WORD}|{_CYRILLIC}|[A-Z]\.)"
_FULL = rf"{_PART}(?:[ ](?:{_LINK}[ ])?{_PART}){{0,4}}"
_TITLED = re.compile(
    starts(alternatives(TITLE), never=r"\w.")
    + rf"\.?[ ](?:(?:{TITLE})\.?[ ]){{0,2}}(?P<name>{_FULL})(?!\w)"
)
_TITLES = re.compile(rf"(?:{TITLE})\.?(?:[ ]|\Z)")
_SAID, _LABEL = frozenset(spelt(SAID)), frozenset(spelt(LABEL))
_GREETING, _CLOSING = frozenset(spelt(GREETING)), frozenset(spelt(CLOSING))
_CUES = re.compile(rf"\b{tree(sorted(_SAID | _LABEL | _GREETING | _CLOSING))}(?!\w)")
# What may stand between the word and the name, what the name has to be followed by.
_DASH = r"(?:-[ ]?)?"
_FORMS = tuple(
    (rule, words, re.compile(rf"{between}(?P<name>{_FULL}){behind}"))
    for rule, words, between, behind in (
        ("said", _SAID, r",?[ ]", r"(?!\w)"),
        ("label", _LABEL, r"[\"']?[ ]?[:=][ ]?[\"']?", r"(?!\w)"),
        ("greeting", _GREETING, r"[ ]", r"(?=[ ]?[,!.:\n\ufffc]|[ ]?\Z|[ ]-)"),
        ("closing", _CLOSING, rf"[ ]?[,.!]?[ ]?\n{{1,3}}[ ]?{_DASH}", r"(?=[ ]?(?:[,.!\n]|\Z))"),
        ("signed", _CLOSING, rf"[,.!]?[ ]{_DASH}", r"(?=[ ]?\.?[ ]?(?:\n|\Z))"),
    )
)
# What is said before many things: one word behind it is a name only if it is a given name.
_WEAK = re.compile(
    r"(?:i am|i'm|this is|it's|here is|je suis|soy|sono|ik ben|ich bin|jestem|olen|met|hier ist)\b"
    r"|(?:customer|contact|from|client|klient|kunde|kund|patient|employee|user)"
)
_FIRST_WORD = word(r"\w@.#/-")
_SOLO = re.compile(rf"{_FIRST_WORD}(?:[ ](?:{_LINK}[ ])?{_PART}){{1,5}}(?![\w@])(?!-\w)")
_WORDS = re.compile(rf"(?<!\S){WORD}(?!\w)")
_HAN, _KANA = "\u4e00-\u9fff", "\u3040-\u30ff"
_HONOR = r"(?=[ ]?(?:さん|様|さま|氏|殿|君|くん|ちゃん|先生|と申します|です|と言います|より))"
_EASTERN = (
    re.compile(
        rf"(?P<name>{tree(KANJI)}(?:[ ]?[{_HAN}{_KANA}]{{1,3}}?{_HONOR}"
        rf"|[ ][{_HAN}{_KANA}]{{1,4}}(?![{_HAN}])))"
    ),
    re.compile(
        rf"(?P<name>{starts(KANJI, never=_HAN)}[{_HAN}]{{1,2}})(?=[、,。（(のがはをにへ\n ]|\Z)"
    ),
    re.compile(
        rf"(?:名前は|氏名:[ ]?|お名前:)"
        rf"(?P<name>[{_HAN}{_KANA}]{{2,4}}(?:[ ][{_HAN}{_KANA}]{{1,4}}?)?)"
        r"(?=です|と|、|。|\n|\Z)"
    ),
    re.compile(rf"(?:我叫|名字是|姓名:[ ]?)(?P<name>[{_HAN}]{{2,4}}?)(?=[，,。\n ]|\Z)"),
    re.compile(
        r"(?:이름은|저는|성명:)[ ](?P<name>[\uac00-\ud7a3]{2,4}?)"
        r"(?=입니다|이에요|예요|라고|\n|\Z)"
    ),
)
_MOST_WORDS = 4
# Months that are given names: they are names where nothing but a name can stand.
_NEVER = NO_NAME - {"April", "August", "January", "June", "May"}


def named(text: str) -> Iterator[Hit]:
    """Names that the words around them give away."""
    for match in _TITLED.finditer(text):
        yield from _hit(text, match, "title")
    yield from _told(text)
    if not text.isascii():
        for pattern in _EASTERN:
            for match in pattern.finditer(text):
                yield Hit(*match.span("name"), "NAME", "name.eastern", 56, 0.9)


def _told(text: str) -> Iterator[Hit]:
    """Names behind a word that speaks of one. The word stands in small letters or capitals."""
    lowered = small(text)
    before = _CUES.search(lowered)
    while before:
        for rule, cues, name in _FORMS:
            if before.group() not in cues or (rule == "label" and text[before.start() - 1] == "-"):
                continue
            behind = name.match(text, before.end())
            if behind and not _weak(before.group(), behind.group("name")):
                sure = rule in ("said", "label") and not _WEAK.match(before.group())
                yield from _hit(text, behind, rule, sure=sure)
        before = _CUES.search(lowered, before.start() + 1)


def given(text: str) -> Iterator[Hit]:
    """Given names with a family name behind them."""
    for match in _SOLO.finditer(text):
        for found in _WORDS.finditer(text, *match.span()):
            first, start = found.group(), found.start()
            if first not in GIVEN and first.partition("-")[0] not in GIVEN:
                continue
            if first in DOUBTFUL and not _inside(text, start):
                continue
            end = _cut(text, start, match.end())
            if " " in text[start:end]:
                yield Hit(start, end, "NAME", "name.given", 54, 0.7)
                break


def _hit(text: str, match: re.Match[str], rule: str, *, sure: bool = False) -> Iterator[Hit]:
    start, end = match.span("name")
    if rule != "title" and _TITLES.match(text, start, end):
        return
    end = _cut(text, start, end, never=_NEVER if sure else NO_NAME)
    if end > start:
        yield Hit(start, end, "NAME", f"name.{rule}", 57 if rule == "title" else 56, 0.9)


def _weak(before: str, name: str) -> bool:
    """True if what stands before could speak of anything, and the word behind is no given name."""
    words = name.split(" ")
    if words[0].partition("-")[0] in GIVEN or not _WEAK.match(before):
        return False
    return len(words) == 1 or all(word.isupper() for word in words)


def _cut(text: str, start: int, end: int, *, never: frozenset[str] = NO_NAME) -> int:
    """Where a name ends at the latest: before a word that is none. `start` if it is none at all."""
    at = start
    for number, part in enumerate(text[start:end].split(" ")):
        if number == _MOST_WORDS or part.partition("'")[0] in never:
            break
        at += len(part) + (number > 0)
        if "\n" in part:
            break
    while at > start and text[at - 1] in " '-":
        at -= 1
    while at > start and re.search(rf"[ ]{_LINK}\Z", text[start:at]):
        at = text.rfind(" ", start, at)
    return at


def _inside(text: str, at: int) -> bool:
    """True if a sentence is under way there: a capital letter is not just its beginning."""
    before = text[max(0, at - 8) : at].rstrip(" ")
    return bool(before) and before[-1] not in ".!?:\n"
