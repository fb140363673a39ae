"""The guard `pii`: what it finds, where, what it leaves, and that it stays within bounds."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orka.errors import ConfigError, ScreenError
from orka.kit.guards.pii.guard import BEFORE, PIECE, PiiGuard, pii
from orka.kit.guards.pii.options import Custom, PiiOptions
from orka.plugin.registry import Registry
from orka.port.guard import Screened
from orka.port.placeholders import Placeholders

GUARD = PiiGuard(PiiOptions(names="rules"))


def found(text: str, guard: PiiGuard = GUARD) -> list[tuple[str, str]]:
    return [(each.kind, text[each.start : each.end]) for each in guard.screen(text).findings]


def test_it_is_offered_under_its_name() -> None:
    assert Registry().guards["pii"].config is PiiOptions
    assert pii.make(PiiOptions()).reach > 0


def test_a_text_without_anything_passes_as_it_is() -> None:
    assert GUARD.screen("Nothing happened.") == Screened(text="Nothing happened.")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("write to zoe.meyer+x@mail.example.co.uk.", "EMAIL", "zoe.meyer+x@mail.example.co.uk"),
        ("<mailto:zoe@example.org?subject=a>", "EMAIL", "zoe@example.org"),
        ("zoe [at] example [dot] org", "EMAIL", "zoe [at] example [dot] org"),
        ("call +49 30 901820 now", "PHONE", "+49 30 901820"),
        ("tel:+14155550132", "PHONE", "+14155550132"),
        ("call 415.555.0132 ext. 12", "PHONE", "415.555.0132 ext. 12"),
        ("電話 03-1234-5678。", "PHONE", "03-1234-5678"),
        ("電話は090-1234-5678です", "PHONE", "090-1234-5678"),
        ("card 378282246310005", "CREDIT_CARD", "378282246310005"),
        ("カードは4111111111111111です", "CREDIT_CARD", "4111111111111111"),
        ("to GB82 WEST 1234 5698 7654 32.", "IBAN", "GB82 WEST 1234 5698 7654 32"),
        ("from 203.0.113.7, twice", "IP", "203.0.113.7"),
        ("from 2001:db8::8a2e:370:7334", "IP", "2001:db8::8a2e:370:7334"),
        ("device 00:1A:2B:3C:4D:5E", "MAC", "00:1A:2B:3C:4D:5E"),
        ("device 001a.2b3c.4d5e", "MAC", "001a.2b3c.4d5e"),
        ("born on 3 May 1985", "DATE_OF_BIRTH", "3 May 1985"),
        ("geboren am 3. März 1985", "DATE_OF_BIRTH", "3. März 1985"),
        ("né le 05/03/1985", "DATE_OF_BIRTH", "05/03/1985"),
        ("生年月日は1985年3月5日", "DATE_OF_BIRTH", "1985年3月5日"),
        ("at 221B Baker Street, London", "ADDRESS", "221B Baker Street"),
        ("wohne Hauptstraße 5, 10115 Berlin", "ADDRESS", "Hauptstraße 5, 10115 Berlin"),
        ("au 12 rue de la Paix, 75002 Paris", "ADDRESS", "12 rue de la Paix, 75002 Paris"),
        ("en Calle Mayor 5, 28013 Madrid", "ADDRESS", "Calle Mayor 5, 28013 Madrid"),
        ("przy ul. Długa 5, 00-238 Warszawa", "ADDRESS", "ul. Długa 5, 00-238 Warszawa"),
        ("bor på Storgatan 5, 111 22 Stockholm", "ADDRESS", "Storgatan 5, 111 22 Stockholm"),
        ("my name is Zoe Meyer and", "NAME", "Zoe Meyer"),
        ("Ask Mrs. Meyer about it", "NAME", "Meyer"),
        ("ich heiße Jörg Müller und", "NAME", "Jörg Müller"),
        ("je m'appelle Zoé Dupont, merci", "NAME", "Zoé Dupont"),
        ("nazywam się Łukasz Żak.", "NAME", "Łukasz Żak"),
        ("меня зовут Иван Петров.", "NAME", "Иван Петров"),
        ("Best regards,\nPiotr Kowalski", "NAME", "Piotr Kowalski"),
        ("私の名前は田中太郎です", "NAME", "田中太郎"),
        ("password: hunter2!x", "SECRET", "hunter2!x"),
        ("the password is Tr0ub4dor&3.", "SECRET", "Tr0ub4dor&3"),
        ("Authorization: Bearer abc.def-123456", "SECRET", "abc.def-123456"),
        ("postgres://me:pw123@db/x", "SECRET", "pw123"),
        ("use ghp_" + "a1B2" * 9, "SECRET", "ghp_" + "a1B2" * 9),
    ],
)
def test_a_value_is_found_where_it_stands(text: str, kind: str, value: str) -> None:
    assert (kind, value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Order 48213 shipped on 2026-03-14 for 129.99 USD.",
        "order 4012888888881881 and invoice 0612345678",
        "updated_at 1767225600, build 20260314, lot 2026110502",
        "version 2.10.4.1 runs at 12:30:45, in 1,234,567.89 steps",
        "ISBN 978-3-16-148410-0, parcel 1Z999AA10123456784",
        "123e4567-e89b-12d3-a456-426614174000",
        "commit 9fceb02d0ae598e95dc970b74767f19372d6f4ac",
        "4012 8888 8888 1882 is no card, 000-12-3456 no id",
        "The New York office closes at 5 pm on Friday.",
        "Your password was changed. The token is invalid.",
        "Is your name on the list? Dear Customer, Hi Team,",
        "3 Key Points are left; C++ and C#; a@b; @home; 1.2.3",
        "std::vector<int> a::b, 10::20",
    ],
)
def test_what_is_no_personal_data_stays(text: str) -> None:
    assert found(text) == []


def test_offsets_are_code_points_of_the_text_as_it_was_given() -> None:
    text = "👍🏽 ze\u0301 hi\u200bdden ｚｏｅ＠ｔｅｓｔ．ｅｘａｍｐｌｅ b\u200bob@x.org ٠٦١٢ ok"
    told = [text[each.start : each.end] for each in GUARD.screen(text).findings]
    assert told == ["ｚｏｅ＠ｔｅｓｔ．ｅｘａｍｐｌｅ", "b\u200bob@x.org"]


def test_findings_never_overlap_and_the_rest_is_kept() -> None:
    text = "Host 4111 1111 1111 1111.com, a@b.example.4111111111111111 DE89370400440532013000"
    screened = GUARD.screen(text)
    ends = [0]
    for each in screened.findings:
        assert each.start >= ends[-1]
        ends.append(each.end)
    assert screened.text.startswith("Host [CREDIT_CARD_REDACTED].com, ")


def test_placeholders_are_left_alone() -> None:
    text = "password: [SECRET_REDACTED], mail [EMAIL_12], my name is [NAME_REDACTED]"
    assert GUARD.screen(text).text == text


PIECES = st.sampled_from(
    [
        *("a@b.example", "+49 30 901820", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"),
        *("my name is Zoe Meyer", "password: hunter2x", "born 03/05/1985", "219-09-9999", "tel "),
        *("[EMAIL_1]", "[X_REDACTED]", "Mr. ", "0612345678", "10.0.0.1", "\n", ",", " ", "é", "1"),
        *("Anna Meyer", "12 Baker Street", "👍", "\u200b", "name: ", "電話", "(", "+", "-", "x"),
    ]
)
PROSE = "nothing has come of it so far, and we wait for what comes next in this. "
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=10).map("".join))


@given(TEXTS)
@settings(deadline=None, max_examples=60)
def test_screening_twice_is_screening_once(text: str) -> None:
    once = GUARD.screen(text).text
    assert GUARD.screen(once).text == once


@given(st.lists(PIECES, max_size=14).map("".join), st.integers(0, 120), st.sampled_from("\n ."))
@settings(deadline=None, max_examples=15)
def test_screening_twice_is_screening_once_across_the_border_of_pieces(
    text: str, back: int, gap: str
) -> None:
    before = (PROSE * (PIECE // len(PROSE)))[: PIECE - back - 1] + gap
    once = GUARD.screen(before + text + gap + PROSE).text
    assert GUARD.screen(once).text == once


@given(st.lists(PIECES, min_size=1, max_size=14).map("".join), st.integers(0, 120))
@settings(deadline=None, max_examples=15)
def test_where_the_border_of_pieces_lies_changes_nothing(text: str, back: int) -> None:
    behind = "\n" + PROSE * 2
    whole = PROSE * ((PIECE - back) // len(PROSE))
    before = whole + "\n" * (PIECE - back - len(whole))
    assert found(before + text + behind) == found(PROSE + "\n\n" + text + behind)


@given(TEXTS)
@settings(deadline=None, max_examples=60)
def test_what_is_replaced_can_be_restored(text: str) -> None:
    placeholders = Placeholders()
    left = placeholders.replace(text, GUARD.screen(text).findings)
    assert placeholders.restore(left) == text


def test_a_value_is_screened_with_its_keys() -> None:
    value = {"a@b.example": ["x@y.example", 3, None], "c@d.example": {"k": "call +4930901820"}}
    screened = GUARD.screen_value(value)
    assert screened.value == {
        "[EMAIL_REDACTED]": ["[EMAIL_REDACTED]", 3, None],
        "[EMAIL_REDACTED]_2": {"k": "call [PHONE_REDACTED]"},
    }
    assert screened.counts == {"EMAIL": 3, "PHONE": 1}


def test_a_level_says_which_kinds_are_looked_for() -> None:
    text = "My name is Zoe Meyer. Ask Anna Klein, 5 Baker Street, zoe@example.org"
    kinds = {
        level: [k for k, _ in found(text, PiiGuard(PiiOptions(level=level, names="rules")))]
        for level in ("minimal", "moderate", "strict")
    }  # fmt: skip
    assert kinds == {
        "minimal": ["EMAIL"],
        "moderate": ["NAME", "ADDRESS", "EMAIL"],
        "strict": ["NAME", "NAME", "ADDRESS", "EMAIL"],
    }


def test_values_may_be_allowed_and_kinds_named() -> None:
    guard = PiiGuard(PiiOptions(allow=("Help@Example.org",), kinds=("EMAIL",)))
    text = "help@example.org, zoe@example.org, +4930901820"
    assert found(text, guard) == [("EMAIL", "zoe@example.org")]


def test_a_pattern_of_the_user_is_a_kind() -> None:
    guard = PiiGuard(PiiOptions(custom=(Custom(name="employee", pattern=r"E-\d{4}"),)))
    assert guard.screen("see E-1234").text == "see [EMPLOYEE_REDACTED]"


def test_a_pattern_that_takes_too_long_is_an_error_that_names_it() -> None:
    slow = Custom(name="slow", pattern=r"(a|aa|b?a)+$", time_limit=0.05)
    guard = PiiGuard(PiiOptions(custom=(slow,)))
    with pytest.raises(ScreenError, match="slow") as raised:
        guard.screen("a" * 60 + "!")
    assert raised.value.code == "screen.timeout"


@pytest.mark.parametrize(
    "custom",
    [
        Custom(name="bad", pattern="("),
        Custom(name="not a name", pattern="a"),
        Custom(name="never", pattern="a", time_limit=0),
    ],
)
def test_a_pattern_that_is_none_is_refused(custom: Custom) -> None:
    with pytest.raises(ConfigError, match=custom.name):
        PiiGuard(PiiOptions(custom=(custom,)))


@pytest.mark.parametrize("back", [0, 1, 5, 10, 15, 16, BEFORE, BEFORE + 7])
def test_a_finding_across_the_border_of_two_pieces_is_found_once(back: int) -> None:
    value = "zoe@example.org"
    text = ("word " * (PIECE // 5 + 1))[: PIECE - back - 1] + " " + value + " word" * 3000
    (finding,) = GUARD.screen(text).findings
    assert text[finding.start : finding.end] == value


@pytest.mark.parametrize("back", [1, 10, 40, 1000, 3900])
def test_a_private_key_across_the_border_of_two_pieces_is_found_whole(back: int) -> None:
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{('aB3d' * 16 + chr(10)) * 60}"
    key += "-----END RSA PRIVATE KEY-----"
    text = ("word " * (PIECE // 5 + 1))[: PIECE - back] + key + "\nend"
    (finding,) = GUARD.screen(text).findings
    assert text[finding.start : finding.end] == key


@pytest.mark.parametrize("size", [10_000, 200_000])
def test_a_long_text_is_screened_whole_in_bounded_memory(size: int) -> None:
    part = "Nothing happened on Monday. " * 300 + "mail zoe@example.org, "
    text = part * (size // len(part) + 1)
    guard = PiiGuard(PiiOptions(kinds=("EMAIL", "PHONE", "IBAN")))
    tracemalloc.start()
    screened = guard.screen(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(screened.findings) == text.count("@")
    assert peak < 5 * len(text) + 30_000_000


def test_memory_does_not_grow_faster_than_the_text(whole: bool) -> None:
    part = "Nothing. " * 4000 + "zoe@example.org "
    text = part * ((5_000_000 if whole else 300_000) // len(part))
    guard = PiiGuard(PiiOptions(kinds=("EMAIL", "CREDIT_CARD", "MAC")))
    tracemalloc.start()
    screened = guard.screen(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(screened.findings) == text.count("@")
    assert peak < 3 * len(text) + 20_000_000
