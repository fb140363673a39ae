"""Whatever the bytes, loading gives a workflow or a ConfigError that names a line, and soon."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orka.errors import ConfigError
from orka.spec.load import load

VALID = """\
# a comment
x: &x [1, "two", 'three', {four: 4.0, ? five : ~}]
orchestrator: {id: w, agents: [a, b], params: {<<: {t: 1}, u: *x}}
agents:
  - id: a
    type: llm
    prompt: |
      Hello {{ input }}
      \tand é
    next: [b]
  - id: b
    type: router
    when: "x == \\"y\\""
    folded: >-
      some
      text
    routing_map: {yes: !!str 5, no: 0x10}
"""
MEAT = st.sampled_from(list("\t\n\r :-?,[]{}#&*!|>'\"%@`~<=0x.\\/\x00\x85\ufeff\u2028é\U0001f600"))


def loads_or_refuses(data: bytes | str) -> None:
    try:
        load(data, "w.yml")
    except ConfigError as error:
        refusal = error
    else:
        return
    assert "line " in str(refusal)
    assert refusal.code.startswith("config.")


@given(st.data())
@settings(deadline=2000, max_examples=500)
def test_a_file_with_flipped_bytes_loads_or_is_refused(data: st.DataObject) -> None:
    damaged = bytearray(VALID.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] = data.draw(st.integers(0, 255))
    loads_or_refuses(bytes(damaged))


@given(st.integers(0, len(VALID.encode())), st.integers(0, len(VALID.encode())))
@settings(deadline=2000, max_examples=300)
def test_a_file_with_a_piece_cut_out_loads_or_is_refused(start: int, end: int) -> None:
    whole = VALID.encode()
    loads_or_refuses(whole[:start] + whole[end:])


@given(st.integers(0, len(VALID)), st.text(MEAT, min_size=1, max_size=6))
@settings(deadline=2000, max_examples=500)
def test_a_file_with_something_put_in_loads_or_is_refused(at: int, piece: str) -> None:
    loads_or_refuses(VALID[:at] + piece + VALID[at:])


@given(st.text(MEAT | st.characters(), max_size=60))
@settings(deadline=2000, max_examples=500)
def test_any_text_loads_or_is_refused(text: str) -> None:
    loads_or_refuses(text)


@given(st.binary(max_size=60))
@settings(deadline=2000, max_examples=500)
def test_any_bytes_load_or_are_refused(data: bytes) -> None:
    loads_or_refuses(data)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000,
        "{a: " * 500_000,
        "- " * 1_000_000,
        "? " * 1_000_000,
        "{{" * 1_000_000,
        "a: " + ": " * 1_000_000,
        "a: 'x" + "''" * 1_000_000,
        "a: !" + "x" * 2_000_000,
        "a: *" + "x" * 2_000_000,
        "\n" * 2_000_000,
        "\t" * 2_000_000,
        "a: 1\n" * 400_000,
        "a: &a x\nb: [" + "*a," * 500_000 + "]",
        "a: " + "9" * 2_000_000,
        "x" * 2_000_000 + ": 1",
        "orchestrator: {id: w}\nagents:\n"
        + "".join(f"- {{id: a{at}, type: x, next: z{at}}}\n" for at in range(5000)),
    ],
    ids=range(16),
)
def test_a_huge_file_is_refused_in_a_short_message(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(text, "w.yml")
    assert "line " in str(caught.value)
    assert len(str(caught.value)) < 100_000
