"""What escapes stand for, and where in the text it stands."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.engine.escapes import Plain, plain


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a\\u0040b", "a@b"),
        ("a\\\\\\u0040b", "a@b"),
        ("http:\\/\\/x", "http://x"),
        ("a&#64;b&#x40;c&commat;d", "a@b@c@d"),
        ("a%40b %4", "a@b %4"),
        ("\\ud83d\\ude00", "\\ud83d\\ude00"),
        ("&xyzzy; & 5% of C:\\users", "&xyzzy; & 5% of C:\\users"),
        ("plain", "plain"),
    ],
)
def test_an_escape_is_what_it_stands_for(written: str, meant: str) -> None:
    assert plain(written) == meant


PIECES = st.lists(st.sampled_from(["a", "@", "é", "/", " ", "x.y"]), max_size=12)
WAYS = st.sampled_from(
    [
        str,
        quote,
        lambda text: json.dumps(text)[1:-1],
        lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
        lambda text: "".join(f"&#{ord(char)};" for char in text),
    ]
)


@given(st.lists(st.tuples(PIECES, WAYS), min_size=1, max_size=5))
def test_a_part_of_it_is_found_where_it_is_written(parts: list[tuple[list[str], object]]) -> None:
    written = [way("".join(text)) for text, way in parts]  # type: ignore[operator]  # a function
    seen = Plain("".join(written))
    at = there = 0
    for piece in written:
        meant = plain(piece)
        assert seen.text[at : at + len(meant)] == meant
        assert (seen.place(at), seen.place(at + len(meant))) == (there, there + len(piece))
        at, there = at + len(meant), there + len(piece)
