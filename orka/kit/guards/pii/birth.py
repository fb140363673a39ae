"""Dates of birth: a date is one only if words around it say so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orka.kit.guards.pii.cues import scan, small, words
from orka.kit.guards.pii.hit import Hit
from orka.kit.guards.pii.plain import GONE

_SAID = (
    *("d\\.?o\\.?b\\.?", "date of birth", "birth ?date", "birth ?day", "born", "birth_?date"),
    *("geburtsdatum", "geburtstag", "geboren", "geb\\.?", "n[eé]e?(?:\\(e\\))?", "naissance"),
    *("nacimiento", "nacid[oa]", "nac[ií]", "cumplea[nñ]os", "nascita", "nat[oa]", "compleanno"),
    *("geboortedatum", "verjaardag", "urodzenia", "urodzon[yaej]", "urodzi[lł][ea]m", "urodzin"),
    *("nascimento", "nascid[oa]", "nasci", "anivers[aá]rio", "f[oö]delse(?:datum|dag)", "f[oö]dd"),
    *("f[oø]dselsdato", "f[oø]dt", "syntym[aä]aika", "syntynyt", "narozen[ií]?", "sz[uü]let[eé]si"),
    *("do[gğ]um(?: tarihi)?", "родил(?:ся|ась)", "рожд(?:ения|ённый)?", "γεννήθηκ\\w*", "γέννησης"),
    *("生年月日", "誕生日", "出生", "生日", "생년월일", "생일"),
)
_CUES, _SCAN = words(*_SAID), scan(*_SAID)
_WRITTEN = """
jan january feb february mar march apr april may jun june jul july aug august sep sept september
oct october nov november dec december januar februar märz maerz mai juni juli oktober dezember
dez janvier fevrier février mars avril juin juillet aout août septembre octobre novembre
decembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre januari
februari maart mei augustus stycznia lutego marca kwietnia maja czerwca lipca sierpnia września
wrzesnia października pazdziernika listopada grudnia janeiro fevereiro março marco maio junho
julho setembro outubro novembro dezembro augusti desember december
"""
_MONTHS = frozenset(_WRITTEN.split())
_YEAR = r"(?:1[89]\d\d|20[0-4]\d)"
_DATES = re.compile(
    rf"(?<!\w)(?:{_YEAR}[-/. ]\d{{1,2}}[-/. ]\d{{1,2}}"
    rf"|\d{{1,2}}[-/. ] ?\d{{1,2}}[-/. ] ?(?:{_YEAR}|\d\d)"
    rf"|{_YEAR}(?:0\d|1[0-2])[0-3]\d)(?!\w)(?![-/.]\d)"
    rf"|(?<!\d){_YEAR}\s?[年년]\s?\d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日일]"
    rf"|(?<!\w)\d{{1,2}}(?:st|nd|rd|th|er|\.|º|o)?[ -](?:(?:of|de) )?"
    rf"(?P<first>[^\W\d_]{{3,12}})\.?,?[ -]"
    rf"(?:(?:de|del) )?{_YEAR}(?!\w)"
    rf"|(?<!\w)(?P<second>[^\W\d_]{{3,12}})\.? \d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR}(?!\w)",
    re.IGNORECASE,
)
_BEFORE = 40
_FARTHEST = 48
_BEHIND = re.compile(r"is my (?:birthday|date of birth)|生まれ|出生|생")
_BETWEEN = re.compile(r"[ ,]{0,2}\(?に?")


def birth(text: str) -> Iterator[Hit]:
    """Dates close to a word for it: before it, or right behind."""
    lowered, end = small(text), 0
    for cue in _SCAN.finditer(lowered):
        since, until = max(end, cue.end()), min(cue.end() + _BEFORE + _FARTHEST, len(text))
        for start, end in _dates(text, since, until):
            if _spoken(text, start):
                yield Hit(start, end, "DATE_OF_BIRTH", "birth", 75)
    for cue in _BEHIND.finditer(lowered):
        for start, stop in _dates(text, max(0, cue.start() - _FARTHEST), cue.start()):
            if _BETWEEN.fullmatch(text, stop, cue.start()):
                yield Hit(start, stop, "DATE_OF_BIRTH", "birth", 75)


def _dates(text: str, since: int, until: int) -> Iterator[tuple[int, int]]:
    for match in _DATES.finditer(text, since, until):
        month = match.group("first") or match.group("second")
        if not month or month.lower() in _MONTHS:
            yield match.span()


def _spoken(text: str, at: int) -> bool:
    begin = max(0, at - _BEFORE)
    ends = [match.end() for match in _CUES.finditer(text, begin, at)]
    if not ends:
        return False
    between = text[ends[-1] : at]
    return (
        GONE not in between
        and not re.search(r"\n\s*\n|[;!?。]|\.\s+[^\W\d_]{4}", between)
        and not _DATES.search(between)
    )
