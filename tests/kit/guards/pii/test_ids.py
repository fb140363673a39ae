"""National ids: a number with a right check is found, the same with a wrong one is not."""

from __future__ import annotations

import pytest

from orka.kit.guards.pii.guard import PiiGuard
from orka.kit.guards.pii.options import PiiOptions

GUARD = PiiGuard(PiiOptions(kinds=("NATIONAL_ID",)))
# Country, the word for it, one that passes its check, one that does not.
PAIRS = [
    ("US", "SSN", "219-09-9999", "666-12-3456"),
    ("GB", "NHS number", "943 476 5919", "943 476 5918"),
    ("GB", "National Insurance", "AB 12 34 56 C", "GB 12 34 56 C"),
    ("FR", "NIR", "1 85 05 78 006 084 91", "1 85 05 78 006 084 90"),
    ("DE", "Steuer-ID", "86 095 742 719", "86 095 742 718"),
    ("ES", "DNI", "12345678Z", "12345678A"),
    ("ES", "NIE", "X1234567L", "X1234567A"),
    ("IT", "codice fiscale", "RSSMRA85T10A562S", "RSSMRA85T10A562T"),
    ("PL", "PESEL", "90010100016", "90010100017"),
    ("NL", "BSN", "111222333", "111222334"),
    ("SE", "personnummer", "811228-9874", "811228-9873"),
    ("BR", "CPF", "529.982.247-25", "529.982.247-24"),
    ("IN", "Aadhaar", "2341 2341 2346", "2341 2341 2345"),
    ("IN", "PAN", "ACUPA7085R", "ACUXA7085R"),
    ("CA", "SIN", "130 692 544", "130 692 545"),
    ("AU", "TFN", "123 456 782", "123 456 789"),
    ("CH", "AHV", "756.9217.0769.85", "756.9217.0769.84"),
    ("BE", "rijksregisternummer", "85.07.30-033.28", "85.07.30-033.29"),
    ("FI", "HETU", "131052-308T", "131052-308U"),
    ("NO", "fødselsnummer", "15108695088", "15108695077"),
    ("DK", "CPR", "211062-5629", "321362-5629"),
    ("PT", "NIF", "202 123 405", "202 123 406"),
    ("RO", "CNP", "1630615123457", "1630615123458"),
    ("TR", "TC kimlik", "17291716060", "17291716050"),
    ("CN", "身份证号", "360426199101010071", "360426199101010072"),
    ("KR", "주민등록번호", "971013-9019902", "971013-9019903"),
    ("ZA", "SA ID", "7503305044089", "8503305044089"),
    ("CL", "RUT", "12.531.909-2", "12.531.909-3"),
]


@pytest.mark.parametrize(
    ("word", "right"), [pytest.param(word, right, id=f"{c} {word}") for c, word, right, _ in PAIRS]
)
def test_a_number_that_passes_its_check_is_found(word: str, right: str) -> None:
    text = f"Hello. {word}: {right}, thanks"
    spans = [text[each.start : each.end] for each in GUARD.screen(text).findings]
    assert spans == [right]


@pytest.mark.parametrize(
    ("word", "wrong"), [pytest.param(word, wrong, id=f"{c} {word}") for c, word, _, wrong in PAIRS]
)
def test_a_number_that_fails_its_check_is_not(word: str, wrong: str) -> None:
    assert not GUARD.screen(f"Hello. {word}: {wrong}, thanks").findings


def test_the_pairs_are_of_many_countries() -> None:
    assert len({country for country, *_ in PAIRS}) >= 10
