"""Reading YAML: values, places, and what is refused."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from orka.errors import ConfigError, ConfigErrors
from orka.spec.scalar import plain
from orka.spec.yaml import Mark, read
from orka.value import Json, canonical


def value(text: str) -> Json:
    return read(text, "a.yml").value


def refusal(text: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(text, "a.yml")
    return caught.value


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("22:30", "22:30"),
        ("06:15", "06:15"),
        ("2025-12-01", "2025-12-01"),
        ("2025-12-01 10:00:00", "2025-12-01 10:00:00"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("01067", "01067"),
        ("007", "007"),
        ("=", "="),
        ("1.2.3", "1.2.3"),
        ("tRue", "tRue"),
        ("inf", "inf"),
        ("''", ""),
        ("'5'", "5"),
        ("! 5", "5"),
        ("!!str 5", "5"),
        ("", None),
        ("~", None),
        ("null", None),
        ("!!null ''", None),
        ("true", True),
        ("TRUE", True),
        ("False", False),
        ("!!bool 'true'", True),
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("0o17", 15),
        ("0xff", 255),
        ("!!int '010'", 10),
        ("18446744073709551616", 18446744073709551616),
        ("1e3", 1000.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("-1.5E-2", -0.015),
        ("!!float 1", 1.0),
        ("!!seq [1]", [1]),
        ("!!map {a: 1}", {"a": 1}),
    ],
)
def test_a_scalar_means_what_yaml_1_2_says(written: str, meant: Json) -> None:
    found = value(f"a: {written}")["a"]
    assert (found, type(found)) == (meant, type(meant))


@pytest.mark.parametrize("key", ["5", "true", "no", "null", "~", "1e3", "0x10", "22:30", "5.50"])
def test_a_key_is_its_text_as_written(key: str) -> None:
    assert value(f"{key}: x") == {key: "x"}


def test_each_part_knows_where_it_stands() -> None:
    text = "a: 1\nb:\n  - x\n  - {c: d}\r\ne: |\n  long\n"
    assert read(text, "a.yml").marks == {
        (): Mark(line=1, column=1),
        ("a",): Mark(line=1, column=1),
        ("b",): Mark(line=2, column=1),
        ("b", 0): Mark(line=3, column=5),
        ("b", 1): Mark(line=4, column=5),
        ("b", 1, "c"): Mark(line=4, column=6),
        ("e",): Mark(line=5, column=1),
    }


@pytest.mark.parametrize("exotic", ["\x85", "\u2028", "\u2029", "\U0001f600", "é"])
def test_lines_are_counted_as_editors_count_them(exotic: str) -> None:
    marks = read(f"a: 'x{exotic}y'\nb: {{c: '{exotic}', d: 1}}\n", "a.yml").marks
    assert marks["b",] == Mark(line=2, column=1)
    assert marks["b", "d"] == Mark(line=2, column=13)


@pytest.mark.parametrize("exotic", ["\x85", "\u2028", "\u2029"])
def test_what_yaml_1_1_took_for_line_breaks_is_text(exotic: str) -> None:
    text = f"a{exotic}b: c{exotic}d\ne: 'f{exotic}g'\nh: |\n  i{exotic}j\n"
    assert value(text) == {
        f"a{exotic}b": f"c{exotic}d",
        "e": f"f{exotic}g",
        "h": f"i{exotic}j\n",
    }


def test_what_stands_in_for_line_breaks_is_never_mistaken_for_text() -> None:
    text = 'a: "x\u2028\\U0001FFFE\\U0001fffF\U0002fffe"'
    assert value(text) == {"a": "x\u2028\U0001fffe\U0001ffff\U0002fffe"}


def test_the_place_of_something_unmarked_is_that_of_what_holds_it() -> None:
    document = read("a:\n  b: 1\n", "a.yml")
    assert document.where(("a", "b", "c", 0)) == "a.yml, line 2, column 3"


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read("\ufeffa: 1".encode(), "a.yml").marks["a",] == Mark(line=1, column=1)


def test_aliases_and_merges_repeat_what_they_name() -> None:
    text = """
base: &base {model: m, params: {t: 1}}
more: &more {model: n, extra: 2}
one: {<<: *base, model: own}
two:
  <<: [*base, *more]
  params: &p [1, *base]
three: *p
"""
    found = value(text)
    assert found["one"] == {"model": "own", "params": {"t": 1}}
    assert found["two"]["model"] == "m"
    assert found["two"]["extra"] == 2
    assert found["three"] == [1, found["base"]]


def test_a_merged_key_stands_where_it_was_written() -> None:
    document = read("base: &b\n  model: m\none:\n  <<: *b\n", "a.yml")
    assert document.where(("one", "model")) == "a.yml, line 2, column 3"
    assert document.where(("one",)) == "a.yml, line 3, column 1"


def test_a_quoted_merge_key_is_a_key() -> None:
    assert value("'<<': 1") == {"<<": 1}


def test_a_key_written_twice_is_named_with_both_lines() -> None:
    error = refusal("a:\n  prompt: x\n  timeout: 5\n  prompt: y\n")
    assert error.code == "config.duplicate_key"
    assert all(word in str(error) for word in ("'prompt'", "line 2", "line 4"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\n1: x\n'1': y\n", ["'1'", "line 2", "line 3"]),
        ("a: {b: 1, b: 2}", ["'b'", "line 1"]),
        ("x: &x {a: 1}\ny:\n  <<: *x\n  <<: *x\n", ["'<<'", "line 3", "line 4"]),
    ],
)
def test_keys_that_become_the_same_text_are_duplicates(text: str, words: list[str]) -> None:
    error = refusal(text)
    assert error.code == "config.duplicate_key"
    assert all(word in str(error) for word in words)


ALIAS_BOMB = 'a: &a ["lol","lol","lol","lol","lol","lol","lol","lol","lol"]\n' + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP_ALIAS = "a0: &a0 [x]\n" + "".join(f"a{i + 1}: &a{i + 1} [*a{i}]\n" for i in range(150))


@pytest.mark.parametrize(
    "text",
    [
        ALIAS_BOMB,
        ALIAS_BOMB.replace("[", "{k: [").replace("]", "]}"),
        DEEP_ALIAS,
        "a: &a [*a]\n",
        "a: &a\n  b: {c: *a}\n",
        "a: *nowhere\n",
        "a: &a [1]\n*a : x\n",
        f"a: &a {'x' * 400_000}\nb: [{'*a, ' * 9000}]\n",
    ],
)
def test_an_alias_that_cannot_be_written_out_is_refused(text: str) -> None:
    error = refusal(text)
    assert error.code == "config.alias"
    assert "alias" in str(error)
    assert "line " in str(error)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ('!!python/object/apply:os.system ["true"]', "python/object/apply:os.system"),
        ("!!python/name:os.system ''", "python/name:os.system"),
        ("!!binary aGk=", "binary"),
        ("!!timestamp 2025-12-01", "timestamp"),
        ("!!set {a, b}", "set"),
        ("!!omap [a: 1]", "omap"),
        ("!include other.yml", "!include"),
        ("!ENV ${HOME}", "!ENV"),
        ("!a!b c", "!a!b"),
        ("!<tag:example.com,2000:x> y", "tag:example.com,2000:x"),
        ("!!str [a]", "!!str"),
        ("!!seq {a: 1}", "!!seq"),
        ("!!map text", "!!map"),
    ],
)
def test_a_tag_that_would_construct_something_is_named(tag: str, name: str) -> None:
    error = refusal(f"a: 1\nb:\n  c: {tag}\n")
    assert error.code == "config.tag"
    assert name in str(error)
    assert "line 3" in str(error)


def test_a_tag_on_a_key_is_refused_too() -> None:
    assert refusal("a: 1\n!!python/name:os.system b: 1\n").code == "config.tag"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("orchestrator:\n  id: tab\n  strategy: sequential\n\tagents: [a]\n", 4),
        ("a:\n\tb: 1\n", 2),
        ("\ta: 1\n", 1),
        ("a:\n  - b: 1\n  \tc: 2\n", 3),
        ("a:\n\t- b\n", 2),
        ("a: |\n\ttext\n", 2),
        ("a: x\n\tb: y\n", 2),
        ("a:\n  b: 'x'\n\t  c: 1\n", 3),
        ("a:\r\n\tb: 1\r\n", 2),
    ],
)
def test_a_tab_in_the_indentation_is_named_with_its_line(text: str, line: int) -> None:
    error = refusal(text)
    assert "tab" in str(error)
    assert f"line {line}," in str(error)


def test_tabs_elsewhere_do_no_harm() -> None:
    assert value('{\n\t"a":\t1\n}\n') == {"a": 1}
    assert value("a: |\n  x\n  \ty\n") == {"a": "x\n\ty\n"}


@pytest.mark.parametrize(
    "written",
    [
        "{{ input }}",
        "{{input}}",
        "{{ input }} please",
        "{{ a.b | default('x') }}",
        "{{ a }} and {{ b }}",
        "{% if x %}y{% endif %}",
        "{# note #} x",
        "[{{ input }}]",
        "{x: {{ input }}}",
    ],
)
def test_unquoted_braces_are_told_to_be_quoted(written: str) -> None:
    error = refusal(f"a: 1\nb:\n  prompt: {written}\n")
    assert "quote" in str(error)
    assert "line 3" in str(error)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("# only a comment\n", "the file is empty"),
        ("---\n", "the file is empty"),
        ("a: 1\n---\nb: 2\n", "several documents"),
        ("- a\n", "a list, not a map"),
        ("flow.yml", "the name of a file"),
        ("a: b: c\n", "not in quotes"),
        ("a: b\n  c: d\n", "does not fit"),
        ("a:\n  b: 1\n c: 2\n", "wrong indentation"),
        ("a:\n  - b\n  c: 1\n", "no item of it"),
        ("a: - b\n", "cannot stand here"),
        ("a: [1, 2\nb: 3\n", "'[' on line 1"),
        ("a: {b: 1\nc: 3\n", "'{' on line 1"),
        ("a: 'x\n", "the quote on line 1"),
        ("a: @x\n", "cannot begin with '@'"),
        ("a: `x`\n", "cannot begin with '`'"),
        ("a: %x\n", "cannot begin with '%'"),
        ('a: "\\q"\n', "begins an escape"),
        ('a: "\\ud83d\\ude00"\n', "escape is not a character"),
        ('a: "\\x4"\n', "hexadecimal digits"),
        ("a: ? b\n", "a '? ' begins a key"),
        ("%FOO\na: 1\n", "directive"),
        ("? [a]\n: b\n", "where a key should be"),
        ("{: b}\n", "a key or a value is missing"),
        ("? \n: b\n", "no key before the ':'"),
        ("a: .inf\n", "not a finite number"),
        ("a: .nan\n", "not a finite number"),
        ("a: 1e999\n", "not a finite number"),
        ("a: " + "9" * 5000, "digits"),
        ("a: !!int x\n", "!!int"),
        ("<<: 3\n", "'<<' takes a map"),
        ("a: " + "[" * 200, "nested"),
        ("a: " + "[" * 200 + "]" * 200, "nested"),
        ("a: [" + "1," * 200_000 + "]", "100,000"),
        ("a: " + "x" * 5_000_000, "5 MB"),
        ("a: x\x00y\n", "NUL"),
        ("a: \x1b[0m\n", "U+001B"),
        ("a: \x7f\n", "U+007F"),
        ("a: \ud800\n", "surrogate"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(text: str, words: str) -> None:
    message = str(refusal(text))
    assert words in message
    assert "line " in message
    assert "to do:" in message


def test_bytes_that_are_not_utf_8_are_found_by_offset_and_line() -> None:
    error = refusal(b"a: 1\nb: caf\xe9\n")
    assert error.code == "config.encoding"
    assert all(word in str(error) for word in ("offset 11", "0xe9", "line 2, column 7"))
    assert "UTF-16" in str(refusal("a: 1".encode("utf-16")))


def test_mistakes_that_can_be_passed_over_are_told_together() -> None:
    error = refusal("a: .inf\nb: !x 1\nc: 1\nc: 2\nd: [\n")
    assert isinstance(error, ConfigErrors)
    assert [problem.code for problem in error.problems] == [
        "config.type",
        "config.tag",
        "config.duplicate_key",
        "config.syntax",
    ]


def test_a_file_with_very_many_mistakes_gives_up_at_fifty() -> None:
    error = refusal("a: 1\n" * 10_000)
    assert isinstance(error, ConfigErrors)
    assert len(error.problems) == 50


# PyYAML writes these without quotes, since they are text in YAML 1.1 and numbers in 1.2.
def stays_text(text: str) -> bool:
    return isinstance(plain(text), str) or text != text.strip() or yaml.safe_load(text) != text


TEXT = st.text().filter(stays_text)
JSON: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(st.dictionaries(TEXT, JSON), st.booleans(), st.sampled_from([None, '"', "'"]))
@settings(deadline=None, max_examples=100)
def test_what_pyyaml_writes_is_read_back_equal(
    written: Json, allow_unicode: bool, style: str | None
) -> None:
    # PyYAML takes these for line breaks, as YAML 1.1 did, and writes them as such.
    assume(not (allow_unicode and re.search("[\x85\u2028\u2029]", canonical(written).decode())))
    text = yaml.safe_dump(written, allow_unicode=allow_unicode, default_style=style)
    document = read(text, "a.yml")
    assert document.value == written
    assert () in document.marks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [b]\nc:\n\u00a0\u00a0- {b: 1, d: 2}\n", "U+00A0"),
        ("a: 1\nb:\u00a0x\n", "U+00A0"),
        ("a: {b: \u201cx, y: z\u201d, c: d: e}\n", "U+201C"),
    ],
)
def test_characters_that_look_like_those_of_yaml_are_named(text: str, words: str) -> None:
    assert words in refusal(text).what


def test_utf_16_is_named_with_and_without_its_mark() -> None:
    codings = ("utf-16", "utf-16-le", "utf-16-be")
    assert all("UTF-16" in refusal("a: 1\n".encode(coding)).fix for coding in codings)
