"""National ids: numbers that a state gives a person, each with the check it has."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from functools import cache

import msgspec

from orka.kit.guards.pii.cues import NUMBERED, last, words
from orka.kit.guards.pii.hit import Hit
from orka.kit.guards.pii.money import luhn

Check = Callable[[str], bool]
# Words that speak of an id without saying whose.
_ANY = words(
    *("national id", "id (?:number|no|card)", "identity", "identification", "tax(?:payer)? ?id"),
    *("personal (?:number|code|id)", "citizen", "social security", "tin", "ausweis(?:nummer)?"),
    *(
        "identit[eé]",
        "identidad",
        "identit[aà]",
        "identifica[cç][aã]o",
        "identiteit",
        "identyfikator",
    ),
    *("personnummer", "身份证", "身分証", "주민등록번호", "id-?nummer", "henkil[oö]tunnus"),
)


class Id(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of id: how it is written, what checks it (a module of the library, or a function),
    and the `cues` that name it. `alone`: its form and check say enough without a word before."""

    name: str
    form: re.Pattern[str]
    check: str | Check
    cues: re.Pattern[str]
    alone: bool = False
    lettered: bool = False


def _id(name: str, form: str, check: str | Check, cues: tuple[str, ...], *, alone: bool) -> Id:
    bounded = rf"(?<![\w])(?<!\w[-./])(?:{form})(?![\w])(?![-./]\d)"
    pattern = re.compile(bounded, re.ASCII)
    lettered = re.match(r"\[?[A-Z]", form) is not None
    cued = words(*cues)
    return Id(name=name, form=pattern, check=check, cues=cued, alone=alone, lettered=lettered)


@cache
def _library(module: str) -> Check:
    found: Check = importlib.import_module(f"stdnum.{module}").is_valid
    return found


def _ssn(written: str) -> bool:
    digits = re.sub(r"\D", "", written)
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _nino(written: str) -> bool:
    bare = written.replace(" ", "").replace("-", "").upper()
    return bare[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ") and bare[1] != "O"


def _dated(written: str) -> bool:
    """A Swedish number: a date, perhaps with 60 added to the day, and Luhn."""
    digits = re.sub(r"\D", "", written)[-10:]
    month, day = int(digits[2:4]), int(digits[4:6])
    return 1 <= month <= 12 and (1 <= day <= 31 or 61 <= day <= 91) and luhn(digits)


def _cpr(written: str) -> bool:
    """A Danish number: since 2007 only its date can be checked."""
    day, month = int(written[:2]), int(written[2:4])
    return 1 <= day <= 31 and 1 <= month <= 12


def _given(_: str) -> bool:
    return True


# Where one can begin: a word of digits, or with a digit near its beginning, and digits behind it.
_START = re.compile(
    r"[A-Z0-9](?<![A-Za-z0-9_][A-Z0-9])(?:(?<=[0-9])(?=(?:[A-Z .\-/+]{0,3}[0-9]){6})"
    r"|(?<=[A-Z])(?=[A-Z]{0,5} ?[0-9])(?=[A-Z ]{0,6}(?:[0-9][A-Z ]?){4}|[A-Z0-9]{8}))"
)
_PASSPORT = (
    *("passports?(?: number| no\\.?)?", "reisepass(?:nummer)?", "passeport", "pasaporte"),
    *("passaporto", "paspoort(?:nummer)?", "paszportu?", "passaporte", "passnummer"),
)
_S = r"[ .-]?"
IDS = (
    _id(
        "us.ssn",
        r"\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}",
        _ssn,
        ("ssn", "social security"),
        alone=True,
    ),
    _id("us.ssn9", r"\d{9}", _ssn, ("ssn", r"social security(?: number| no\.?)?"), alone=False),
    _id("us.itin", r"9\d{2}-\d{2}-\d{4}", "us.itin", ("itin",), alone=True),
    _id("gb.nhs", r"\d{3}[ -]?\d{3}[ -]?\d{4}", "gb.nhs", ("nhs(?: number| no)?",), alone=False),
    _id(
        *("gb.nino", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", _nino),
        *(("nino", "national insurance", "ni number"),),
        alone=True,
    ),
    _id(
        *(
            "fr.nir",
            rf"[12]{_S}\d{{2}}{_S}\d{{2}}{_S}\d[\dAB]{_S}\d{{3}}{_S}\d{{3}}(?:{_S}\d{{2}})",
            "fr.nir",
        ),
        *(("nir", "s[eé]curit[eé] sociale", "insee"),),
        alone=True,
    ),
    _id(
        *("de.idnr", r"\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}", "de.idnr"),
        *(("steuer-?id(?:entifikationsnummer|nr)?", "idnr", "steuernummer", "tin"),),
        alone=True,
    ),
    _id(
        "es.dni",
        r"\d{8}[ -]?[A-Z]|\d{2}\.\d{3}\.\d{3}[ -]?[A-Z]",
        "es.dni",
        ("dni", "nif"),
        alone=True,
    ),
    _id("es.nie", r"[XYZ][ -]?\d{7}[ -]?[A-Z]", "es.nie", ("nie",), alone=True),
    _id(
        *("it.cf", r"[A-Z]{6}[ ]?\d{2}[A-EHLMPR-T]\d{2}[ ]?[A-Z]\d{3}[A-Z]", "it.codicefiscale"),
        *(("codice fiscale", "c\\.?f\\.?"),),
        alone=True,
    ),
    _id("pl.pesel", r"\d{11}", "pl.pesel", ("pesel",), alone=True),
    _id(
        *("nl.bsn", r"\d{9}|\d{4}[ .]\d{2}[ .]\d{3}|\d{3}[ .]\d{3}[ .]\d{3}", "nl.bsn"),
        *(("bsn", "burgerservicenummer", "sofinummer"),),
        alone=False,
    ),
    _id("se.pnr", r"(?:19|20)?\d{6}[-+]\d{4}", _dated, ("personnummer", "pnr"), alone=True),
    _id("se.pnr10", r"(?:19|20)?\d{10}", _dated, ("personnummer", "pnr", "personnr"), alone=False),
    _id("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}", "br.cpf", ("cpf",), alone=True),
    _id("br.cpf11", r"\d{9}-?\d{2}", "br.cpf", ("cpf",), alone=False),
    _id(
        "in.aadhaar",
        r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}",
        "in_.aadhaar",
        ("aadhaar", "aadhar"),
        alone=True,
    ),
    _id("in.aadhaar12", r"[2-9]\d{11}", "in_.aadhaar", ("aadhaar", "aadhar", "uid"), alone=False),
    _id("in.pan", r"[A-Z]{3}P[A-Z]\d{4}[A-Z]", "in_.pan", ("pan",), alone=True),
    _id(
        *("ca.sin", r"\d{3}[ -]?\d{3}[ -]?\d{3}", "ca.sin"),
        *(("sin", "social insurance", "nas", "assurance sociale"),),
        alone=False,
    ),
    _id("au.tfn", r"\d{3} ?\d{3} ?\d{2,3}", "au.tfn", ("tfn", "tax file"), alone=False),
    _id(
        "ch.ssn",
        r"756\.?\d{4}\.?\d{4}\.?\d{2}",
        "ch.ssn",
        ("ahv(?:-?n(?:umme)?r)?", "avs"),
        alone=True,
    ),
    _id(
        *("be.nn", r"\d{2}[.]?\d{2}[.]?\d{2}[- ]?\d{3}[. ]?\d{2}", "be.nn"),
        *(("rijksregister(?:nummer)?", "registre national", "nn"),),
        alone=True,
    ),
    _id("fi.hetu", r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", "fi.hetu", ("hetu",), alone=True),
    _id("dk.cpr", r"\d{6}-\d{4}", _cpr, ("cpr(?:-?nr|-?nummer)?",), alone=True),
    _id(
        *("no.fnr", r"\d{6}[ ]?\d{5}", "no.fodselsnummer"),
        *(("f[oø]dselsnummer", "personnummer", "fnr"),),
        alone=True,
    ),
    _id("pt.nif", r"[1-3]\d{2} ?\d{3} ?\d{3}", "pt.nif", ("nif", "contribuinte"), alone=False),
    _id("ie.pps", r"\d{7}[A-W][A-IW]?", "ie.pps", ("pps(?:n| number)?",), alone=True),
    _id("cz.rc", r"\d{6}/\d{3,4}", "cz.rc", ("rodn[eé] [cč][ií]slo", "r[cč]"), alone=True),
    _id("ro.cnp", r"[1-9]\d{12}", "ro.cnp", ("cnp", "cod numeric personal"), alone=False),
    _id(
        "tr.tckn",
        r"[1-9]\d{10}",
        "tr.tckimlik",
        ("tc ?kimlik(?: no)?", "tckn", "kimlik"),
        alone=False,
    ),
    _id("cn.ric", r"[1-9]\d{16}[\dX]", "cn.ric", ("身份证号?码?",), alone=True),
    _id("kr.rrn", r"\d{6}-\d{7}", "kr.rrn", ("주민등록번호",), alone=True),
    _id(
        "jp.in",
        r"\d{4}[ -]?\d{4}[ -]?\d{4}",
        "jp.in_",
        ("マイナンバー", "個人番号", "my number"),
        alone=False,
    ),
    _id("za.idnr", r"\d{13}|\d{6} \d{4} \d{3}", "za.idnr", ("rsa id", "sa id"), alone=False),
    _id("il.idnr", r"\d{9}", "il.idnr", ("teudat zehut", "תעודת זהות"), alone=False),
    _id("sg.uin", r"[STFGM]\d{7}[A-Z]", _given, ("nric", "fin"), alone=False),
    _id("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", "mx.curp", ("curp",), alone=True),
    _id("cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]", "cl.rut", ("rut", "run"), alone=True),
    _id("ar.cuit", r"2[0347]-?\d{8}-?\d", "ar.cuit", ("cuit", "cuil"), alone=False),
    _id("passport", r"[A-Z]{1,2}\d{6,8}|C[A-Z0-9]{8}", _given, _PASSPORT, alone=False),
    _id("passport", r"\d{9}|\d{2}[A-Z]{2}\d{5}", _given, _PASSPORT, alone=False),
)


# By what they begin with, a letter or a digit: the ids, and a pattern for any of them.
_LETTERED = tuple(each for each in IDS if each.lettered)
_NUMERIC = tuple(each for each in IDS if not each.lettered)
_ANY_LETTERED = re.compile("|".join(each.form.pattern for each in _LETTERED), re.ASCII)
_ANY_NUMERIC = re.compile("|".join(each.form.pattern for each in _NUMERIC), re.ASCII)


def national_id(text: str) -> Iterator[Hit]:
    """Numbers that pass the check of their kind: with the word for them before, or alone if their
    form can hardly be anything else."""
    for begin in _START.finditer(text):
        start = begin.start()
        lettered = text[start].isalpha()
        if (_ANY_LETTERED if lettered else _ANY_NUMERIC).match(text, start):
            yield from _at(text, start, _LETTERED if lettered else _NUMERIC)


def _at(text: str, start: int, kinds: tuple[Id, ...]) -> Iterator[Hit]:
    anyhow = last(_ANY, text, start) >= 0
    numbered = last(NUMBERED, text, start, clause=True)
    for each in kinds:
        match = each.form.match(text, start)
        if match is None:
            continue
        named = last(each.cues, text, start)
        told = named >= 0 or anyhow
        if not told and (not each.alone or (numbered > named and match.group().isdigit())):
            continue
        check = _library(each.check) if isinstance(each.check, str) else each.check
        if check(match.group()):
            weight = 88 if named >= 0 else 68 if told or each.alone else 50
            yield Hit(start, match.end(), "NATIONAL_ID", each.name, weight)
