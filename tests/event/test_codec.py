"""Lines: the same event always gives the same bytes, and a changed byte does not go unseen."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orka.errors import Failure, StoreCorrupt
from orka.event.codec import Chain, blob_names, decode, link, verify
from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    Decided,
    EffectAnswered,
    EffectRequested,
    Event,
    NodeFailed,
    NodeFinished,
    NodeReopened,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
    Noted,
    Origin,
    Repaired,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    Violation,
)
from orka.value import INLINE_LIMIT, canonical, digest

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
keys = st.one_of(texts, st.sampled_from(["$blob", "$$blob", "$$$blob", "bytes", "blob", "$"]))
floats = st.floats(allow_nan=False, allow_infinity=False)
integers = st.integers(min_value=-(2**63), max_value=2**64 - 1)
leaves = st.one_of(st.none(), st.booleans(), integers, floats, texts)
big = st.builds(lambda text, n: text * n, st.sampled_from(["x", "é", '"', "\n"]), st.just(9000))
values = st.recursive(
    st.one_of(leaves, big),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=10,
)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,8}", fullmatch=True)
times = st.floats(min_value=0, max_value=4e9).map(lambda at: round(at, 6))
failures = st.builds(Failure, code=names, message=texts, where=texts, retryable=st.booleans())
failed = st.one_of(st.none(), failures)
targets = st.lists(names, max_size=3).map(tuple)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RunStarted,
        at=times, run=names, workflow=names, graph=names, input=values, rules=st.just(1),
        components=st.dictionaries(names, names, max_size=3),
        origin=st.one_of(st.none(), st.builds(Origin, run=names, seq=st.integers(0, 99))),
    ),
    st.builds(RunResumed, at=times),
    st.builds(
        EffectAnswered,
        at=times, id=names, attempt=st.integers(1, 9), value=values, error=failed,
        spent=st.one_of(st.none(), st.dictionaries(names, leaves, max_size=3)), notes=targets,
    ),
    st.builds(DeadlinePassed, at=times, scope=names),
    st.builds(CancelAsked, at=times, reason=texts),
    st.builds(ScopeOpened, scope=names, graph=names),
    st.builds(NodeStarted, node=names, scope=names),
    st.builds(NodeSkipped, node=names, scope=names, reason=st.sampled_from(["dead_path", "when"])),
    st.builds(
        EffectRequested,
        id=names, kind=names, payload=values, attempt=st.integers(1, 9), wait=times,
        timeout=st.one_of(st.none(), times), answer=st.one_of(st.just(""), names),
    ),
    st.builds(
        Violation, node=names, effect=names, where=texts, message=texts, raw=big, schema=names
    ),
    st.builds(Repaired, node=names, effect=names, rule=names, before=values, after=values),
    st.builds(Noted, node=names, effect=names, kind=names, message=texts, data=values),
    st.builds(Decided, node=names, effect=names, value=values, scope=names),
    st.builds(NodeFinished, node=names, scope=names, value=values,
              taken=st.one_of(st.none(), targets), notes=targets),
    st.builds(NodeFailed, node=names, failure=failures, scope=names, taken=targets),
    st.builds(NodeStopped, node=names, scope=names),
    st.builds(NodeReopened, node=names, scope=names),
    st.builds(ScopeClosed, scope=names, value=values, failure=failed),
    st.builds(RunFinished, status=st.sampled_from(["completed", "failed"]), value=values,
              failure=failed),
)  # fmt: skip


@given(events)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    blobs: dict[str, bytes] = {}
    line = Chain().add(event, blobs)
    assert decode(line, blobs.__getitem__) == event


@given(st.lists(events, max_size=6))
def test_what_was_decoded_gives_the_same_bytes_again(written: list[Event]) -> None:
    blobs: dict[str, bytes] = {}
    chain, again = Chain(), Chain()
    for event in written:
        line = chain.add(event, blobs)
        more: dict[str, bytes] = {}
        assert again.add(decode(line, blobs.__getitem__), more) == line
        assert more.items() <= blobs.items()


@given(events)
def test_a_line_is_canonical_and_names_the_blobs_it_needs(event: Event) -> None:
    blobs: dict[str, bytes] = {}
    line = Chain().add(event, blobs)
    assert canonical(msgspec.json.decode(line)) == line
    assert b"\n" not in line
    assert set(blob_names(line)) <= blobs.keys()
    assert all(digest(data) == name for name, data in blobs.items())


@given(values)
def test_no_value_above_the_limit_stands_in_a_line(value: object) -> None:
    blobs: dict[str, bytes] = {}
    Chain().add(NodeFinished("a", value=value), blobs)
    for data in blobs.values():
        assert len(data) > INLINE_LIMIT


def test_a_large_value_is_stored_once_however_often_it_is_said() -> None:
    blobs: dict[str, bytes] = {}
    chain, text = Chain(), "x" * (INLINE_LIMIT + 1)
    lines = [chain.add(NodeFinished(name, value={"text": text}), blobs) for name in "abc"]
    assert list(blobs.values()) == [canonical(text)]
    assert max(len(line) for line in lines) < 300


def test_a_large_decision_is_stored_beside_the_line() -> None:
    blobs: dict[str, bytes] = {}
    paths = [{"path": [f"agent {at}"], "score": at / 7} for at in range(500)]
    event = Decided("scout", "scout#3", {"candidates": paths, "chosen": 499})
    line = Chain().add(event, blobs)
    assert len(line) < 400
    assert list(blobs.values()) == [canonical(paths)]
    assert decode(line, blobs.__getitem__) == event


def test_a_value_at_the_limit_stays_in_its_line() -> None:
    blobs: dict[str, bytes] = {}
    Chain().add(NodeFinished("a", value="x" * (INLINE_LIMIT - 2)), blobs)
    assert not blobs
    Chain().add(NodeFinished("a", value="x" * (INLINE_LIMIT - 1)), blobs)
    assert len(blobs) == 1


@given(st.sampled_from(["$blob", "$$blob", "$$$blob"]), values)
def test_a_users_own_blob_key_is_never_taken_for_a_reference(key: str, inner: object) -> None:
    blobs: dict[str, bytes] = {}
    event = NodeFinished("a", value={key: inner, "more": [{key: "0" * 64, "bytes": 1}]})
    assert decode(Chain().add(event, blobs), blobs.__getitem__) == event


@settings(max_examples=20, deadline=None)
@given(st.lists(events, min_size=2, max_size=3), st.integers(0, 7))
def test_a_flipped_bit_is_seen_in_every_line_but_the_last(written: list[Event], bit: int) -> None:
    """The last line is vouched for by the next one only: a store guards it with a checksum."""
    chain, blobs = Chain(), dict[str, bytes]()
    lines = [chain.add(event, blobs) for event in written]
    assert verify(lines, "r") == chain.prev
    for at, line in enumerate(lines[:-1]):
        for byte in range(len(line)):
            changed = line[:byte] + bytes([line[byte] ^ 1 << bit]) + line[byte + 1 :]
            with pytest.raises(StoreCorrupt) as raised:
                verify([*lines[:at], changed, *lines[at + 1 :]], "r")
            assert raised.value.valid in (at, at + 1)


def test_a_line_that_is_missing_doubled_or_moved_is_seen() -> None:
    chain, blobs = Chain(), dict[str, bytes]()
    lines = [chain.add(NodeStarted(name), blobs) for name in "abcd"]
    for wrong in (
        [lines[0], lines[2], lines[3]],
        [lines[0], lines[1], lines[1], lines[2]],
        [lines[0], lines[2], lines[1], lines[3]],
        lines[1:],
    ):
        with pytest.raises(StoreCorrupt):
            verify(wrong, "r")


def test_a_chain_goes_on_from_any_line() -> None:
    chain, blobs = Chain(), dict[str, bytes]()
    lines = [chain.add(NodeStarted(name), blobs) for name in "abcd"]
    later = Chain(seq=2, prev=link(lines[1]))
    assert [later.add(NodeStarted(name), blobs) for name in "cd"] == lines[2:]
    assert verify(lines[2:], "r", start=2, prev=link(lines[1])) == chain.prev


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b'{"blob":1}',
        b'["blob"]',
        b'{"event":"blob","prev":"","seq":0}',
        b'{"event":{"type":"no_such_event","value":"blob"},"prev":"","seq":0}',
        b'{"event":{"node":"a","type":"node_finished","value":{"$blob":5}},"prev":"","seq":0}',
        b'{"event":{"node":1,"type":"node_started"},"prev":"","seq":0}',
    ],
)
def test_what_is_no_line_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(line, no_blob)


@given(st.binary(max_size=200))
def test_noise_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(data, no_blob)


def no_blob(name: str) -> bytes:
    raise AssertionError(f"nothing refers to {name}")
