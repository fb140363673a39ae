"""The SQLite memory: identity, words, vectors, expiry, isolation, and texts of every kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orka.errors import RecallError
from orka.kit.memory.sqlite import SqliteMemory
from orka.port.memory import Draft, Entry, Query
from orka.value import Json

Make = Callable[[], SqliteMemory]
# What FTS5 reads as syntax, what ends a C string, and scripts without spaces or with odd case.
HARD = [
    *('"', '""', "'", "*", "(", ")", "NEAR(", "NEAR/2", " OR ", " AND ", " NOT ", "^", ":", "+"),
    *("-", "{a b}", "words:", "text : x", ";", "--", "/*", "%", "_", "\\", "\0", "\n", "\t"),
    *(
        "🍵",
        "👩‍👩‍👧",
        "東京",
        "ひらがな",
        "ไทย",
        "हिन्दी",
        "한국어",
        "ß",
        "İ",
        "ﬁ",
        "é",
        "e\u0301",
        "\u200b",
    ),
    *("tea", "tea cup", "9", "4.5", "x'y", "\u202e", "\ufffd", "𝔘𝔫𝔦", "Ⅷ", "½"),
]
TEXT = st.lists(st.one_of(st.sampled_from(HARD), st.text(max_size=8)), max_size=8).map("".join)
SAID = TEXT.filter(lambda text: bool(text.strip()))


def found(memory: SqliteMemory, text: str | None, *, now: float = 5.0, **more: Json) -> list[str]:
    query = Query(**{"namespace": "n", "text": text, **more})
    return [match.entry.content for match in memory.search(query, now=now).found]


def written(memory: SqliteMemory, content: str, *, now: float = 1.0, **more: Json) -> str:
    draft = Draft(**{"namespace": "n", "content": content, **more})
    return memory.write(draft, now=now).status


@given(stored=st.lists(SAID, min_size=1, max_size=5), asked=TEXT)
@settings(deadline=None)
def test_no_text_is_an_error_or_an_operator(stored: list[str], asked: str) -> None:
    memory = SqliteMemory(":memory:")
    for text in stored:
        written(memory, text)
    results = memory.search(Query(namespace="n", text=asked, limit=99), now=2.0).found
    scores = [match.score or 0.0 for match in results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert {match.entry.content for match in results} <= set(stored)
    memory.close()


@given(text=SAID)
@settings(deadline=None)
def test_a_text_is_kept_as_it_is_and_found_by_itself(text: str) -> None:
    memory = SqliteMemory(":memory:")
    assert written(memory, text) == "stored"
    assert written(memory, f" {text.upper().lower()} ") in ("duplicate", "stored")
    entry = memory.get("n", "m1", now=2.0)
    assert entry is not None
    assert entry.content == text
    if any(letter.isalnum() and letter.isascii() for letter in text):
        assert text in found(memory, text)
    memory.close()


@given(
    mine=st.tuples(st.sampled_from("ab"), st.sampled_from(["", "u", "U"])),
    other=st.tuples(st.sampled_from(["a", "b", "A", "a "]), st.sampled_from(["", "u", "v"])),
    key=st.sampled_from(["", "k"]),
)
def test_no_path_leads_to_another_namespace_or_user(
    mine: tuple[str, str], other: tuple[str, str], key: str
) -> None:
    memory = SqliteMemory(":memory:")
    (space, user), (asked_in, asked_by) = mine, other
    written(memory, "red tea", key=key, vector=(1.0, 0.0), namespace=space, user=user)
    there: dict[str, Json] = {"namespace": asked_in, "user": asked_by}
    seen = [
        bool(found(memory, "red tea", **there)),
        bool(found(memory, None, **there)),
        bool(found(memory, None, vector=(1.0, 0.0), **there)),
        memory.get(asked_in, key or "m1", user=asked_by, now=2.0) is not None,
        memory.get(asked_in, "m1", user=asked_by, now=2.0) is not None,
        written(memory, "Red  tea", key=key, **there) != "stored",
        memory.delete(asked_in, key or "m1", user=asked_by, now=4.0),
    ]
    if mine == other:
        assert all(seen)
    else:
        assert not any(seen[:-1])
        assert memory.get(space, "m1", user=user, now=5.0) is not None
    memory.close()


def test_words_rank_by_share_then_rarity_then_age() -> None:
    memory = SqliteMemory(":memory:")
    for now, text in enumerate(("red tea cup", "tea red", "tea", "Red", "green red"), 1):
        written(memory, text, now=now)
    results = memory.search(Query(namespace="n", text="Red tea!"), now=9.0).found
    assert [(match.entry.content, match.score) for match in results] == [
        ("red tea cup", 1.0),
        ("tea red", 0.95),
        ("tea", 0.475),
        ("green red", 0.475),
        ("Red", 0.475),
    ]


def test_accents_case_and_forms_do_not_count_and_scripts_without_spaces_are_found() -> None:
    memory = SqliteMemory(":memory:")
    for text in ("Caffè Ｌatte", "東京は日本の首都です", "STRASSE", "हिन्दी में चाय"):
        written(memory, text)
    for asked, text in (
        ("caffe latte", "Caffè Ｌatte"),
        ("日本", "東京は日本の首都です"),
        ("straße", "STRASSE"),
        ("चाय", "हिन्दी में चाय"),
    ):
        assert found(memory, asked) == [text]
    assert found(memory, "本日", threshold=0.99) == []


def test_filters_tell_a_truth_value_from_a_number_at_any_depth() -> None:
    memory = SqliteMemory(":memory:")
    for text, value in {"one": 1, "true": True, "text": "1", "float": 1.0}.items():
        written(memory, text, metadata={"n": value, "deep": [{"n": value}]})
    assert sorted(found(memory, None, filters={"n": 1})) == ["float", "one"]
    assert found(memory, None, filters={"n": True}) == ["true"]
    assert found(memory, None, filters={"deep": [{"n": True}]}) == ["true"]
    assert found(memory, None, filters={"deep": [{"n": True, "m": 1}]}) == []


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_the_length_of_a_vector_does_not_count(size: float) -> None:
    memory = SqliteMemory(":memory:")
    written(memory, "near", vector=(size, 0.0))
    written(memory, "far", vector=(0.0, size))
    assert found(memory, None, vector=(size, size / 10), threshold=0.5) == ["near"]


def test_a_vector_is_compared_by_its_cosine_and_nowhere_is_never_near() -> None:
    memory = SqliteMemory(":memory:")
    vectors = {"near": (2.0, 0.0), "mid": (0.8, 0.6), "far": (0.0, 1.0), "opposite": (-1.0, 0.0)}
    for text, vector in {**vectors, "zero": (0.0, 0.0)}.items():
        written(memory, text, vector=vector)
    assert found(memory, None, vector=(1.0, 0.0), threshold=0.7) == ["near", "mid"]
    assert found(memory, None, vector=(1.0, 0.0)) == ["near", "mid", "far"]
    assert found(memory, None, vector=(0.0, 0.0)) == []


def test_a_vector_of_another_dimension_is_refused_and_the_old_ones_stay() -> None:
    memory = SqliteMemory(":memory:")
    written(memory, "two", vector=(1.0, 0.0))
    with pytest.raises(RecallError, match=r"dimension 2.* 3") as raised:
        written(memory, "three", vector=(1.0, 0.0, 0.0))
    assert raised.value.code == "memory.embedding_dimension"
    with pytest.raises(RecallError):
        found(memory, None, vector=(1.0,))
    assert found(memory, "two") == ["two"]


def test_after_a_half_life_the_weight_is_a_half() -> None:
    memory = SqliteMemory(":memory:")
    week = 7 * 86_400.0
    written(memory, "old", vector=(0.9, 0.4358898943540674), now=0.0)
    written(memory, "new", vector=(0.6, 0.8), now=week)
    query = Query(namespace="n", vector=(1.0, 0.0), recency=1.0, half_life=week)
    results = memory.search(query, now=week).found
    assert [(m.entry.content, m.score, m.final) for m in results] == [
        ("new", 0.6, 0.6),
        ("old", 0.9, 0.45),
    ]


def test_an_entry_is_gone_at_its_instant_on_every_path() -> None:
    memory = SqliteMemory(":memory:")
    written(memory, "tea", key="k", ttl=10.0, now=0.0, vector=(1.0,))
    for now, there in ((9.999999, True), (10.0, False)):
        assert bool(found(memory, "tea", now=now)) is there
        assert bool(found(memory, None, now=now)) is there
        assert bool(found(memory, None, vector=(1.0,), now=now)) is there
        assert (memory.get("n", "k", now=now) is not None) is there
        assert memory.stats(now=now).total == there
    assert memory.stats(now=10.0).expired == 1
    assert written(memory, "tea", key="k", now=10.0) == "stored"
    assert memory.expire(10.0) == 0


def test_reading_renews_where_it_was_asked_for() -> None:
    memory = SqliteMemory(":memory:")
    written(memory, "tea", ttl=100.0, renew_on_read=True, now=0.0)
    written(memory, "tea cup", ttl=100.0, now=0.0)
    assert found(memory, "tea", now=60.0) == ["tea cup", "tea"]
    assert found(memory, "tea", now=120.0) == ["tea"]
    entry = memory.get("n", "m1", now=219.0)
    assert entry is not None
    assert entry.expires_at == 319.0


def test_a_duplicate_lives_as_long_as_the_longer_and_keeps_both_metadata() -> None:
    memory = SqliteMemory(":memory:")
    assert written(memory, "User likes tea.", ttl=10.0, metadata={"a": 1}) == "stored"
    assert written(memory, "user likes  tea. ", ttl=50.0, metadata={"b": 2}, now=2.0) == "duplicate"
    entry = memory.get("n", "m1", now=20.0)
    assert isinstance(entry, Entry)
    assert (entry.content, entry.version) == ("User likes tea.", 1)
    assert (entry.metadata, entry.expires_at) == ({"a": 1, "b": 2}, 52.0)


def test_a_writer_that_has_seen_an_old_version_changes_nothing() -> None:
    memory = SqliteMemory(":memory:")
    assert written(memory, "one", key="k", expect=0) == "stored"
    assert written(memory, "two", key="k", expect=0) == "conflict"
    assert written(memory, "two", key="k", expect=1) == "updated"
    assert found(memory, "one two") == ["two"]


def test_the_same_effect_acts_once() -> None:
    memory = SqliteMemory(":memory:")
    draft = Draft(namespace="n", content="tea", key="k")
    first = memory.write(draft, now=1.0, once="run/m#1")
    assert memory.write(draft, now=9.0, once="run/m#1") == first
    assert memory.write(draft, now=9.0, once="run/m#2").version == 2
    assert memory.delete("n", "k", now=10.0, once="run/d#1")
    memory.write(draft, now=11.0)
    assert memory.delete("n", "k", now=12.0, once="run/d#1")
    assert memory.get("n", "k", now=13.0) is not None


@pytest.mark.parametrize(
    "bad",
    [
        {"content": " \n"},
        {"ttl": 0.0},
        {"ttl": float("inf")},
        {"importance": 1.5},
        {"vector": (float("nan"),)},
    ],
)
def test_what_cannot_be_kept_is_refused(bad: dict[str, Json]) -> None:
    memory = SqliteMemory(":memory:")
    with pytest.raises(RecallError) as raised:
        memory.write(Draft(**{"namespace": "n", "content": "c", **bad}), now=1.0)
    assert raised.value.code == "memory.arguments"
    assert not raised.value.retryable


def test_reading_makes_no_file(tmp_path: Path) -> None:
    memory = SqliteMemory(str(tmp_path / "new"))
    assert found(memory, "tea") == []
    assert memory.get("n", "k", now=1.0) is None
    assert memory.stats(now=1.0).total == memory.expire(1.0) == 0
    assert not (tmp_path / "new").exists()


def test_a_file_that_is_no_memory_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"not a database" * 100)
    with pytest.raises(RecallError, match=r"memory\.db") as raised:
        found(SqliteMemory(str(tmp_path)), "tea")
    assert raised.value.code == "memory.failed"


def test_what_is_gone_is_swept_and_its_words_with_it(tmp_path: Path) -> None:
    memory = SqliteMemory(str(tmp_path))
    for number in range(5):
        written(memory, f"tea {number}", ttl=1.0, now=0.0)
    written(memory, "tea cup", now=5.0)
    assert memory.stats(now=5.0).expired == 0
    assert memory.stats(now=5.0).by_namespace == {"n": 1}
    assert found(memory, "tea 3", now=5.0) == ["tea cup"]
    memory.close()


@given(
    steps=st.lists(
        st.tuples(st.sampled_from("wkdg"), st.sampled_from(["a b", "A  b", "b c", "c"])),
        max_size=20,
    )
)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_index_agrees_with_a_plain_list(steps: list[tuple[str, str]]) -> None:
    """Against a model: entries by (key or words), each word found exactly where it stands."""
    memory = SqliteMemory(":memory:")
    model: list[Json] = []
    for now, (step, text) in enumerate(steps, 1):
        key = "k" if step != "w" else ""
        same = [e for e in model if (e["key"] == key if key else _same(e["text"], text))]
        if step == "d":
            assert memory.delete("n", "k", now=now) is bool(same)
            model = [e for e in model if e not in same]
        elif step == "g":
            entry = memory.get("n", "k", now=now)
            assert (entry.content if entry else None) == (same[0]["text"] if same else None)
        else:
            status = written(memory, text, key=key, now=float(now))
            assert status == (("updated" if key else "duplicate") if same else "stored")
            if not same:
                model.append({"key": key, "text": text})
            elif key:
                same[0]["text"] = text
    for word in "abc":
        wanted = sorted(e["text"] for e in model if word in e["text"].casefold().split())
        assert sorted(found(memory, word, now=99.0, limit=99)) == wanted
    memory.close()


def _same(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()
