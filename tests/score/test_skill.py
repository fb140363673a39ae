"""Features of tasks, skills and episodes: words are words, and what is unknown stays so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from orka.score.episode import Episode, relevance, told
from orka.score.features import Features, adaptations, features, structural, verbal, weighed
from orka.score.skill import ANTI, Skill, Transfer, born, fit, identity, used
from orka.score.steps import LONGEST, MOST, steps_of

SHARE = st.floats(0, 1)


@pytest.mark.parametrize(
    ("task", "structures", "patterns"),
    [
        ("a specific roadmap", (), ("planning",)),
        ("generate", (), ("generation",)),
        ("if it rains, choose", ("routing",), ()),
        ("Comparing and filtered, VERIFIES", ("comparison", "filtering", "validation"), ()),
        ("break down the study", ("decomposition",), ("analysis",)),
        ("", (), ()),
    ],
)
def test_key_words_are_whole_words_with_their_endings(
    task: str, structures: tuple[str, ...], patterns: tuple[str, ...]
) -> None:
    found = features({"task": task})
    assert (found.structures, found.patterns) == (structures, patterns)


def test_likeness_without_a_known_kind_is_unknown_and_unknown_shapes_do_not_count() -> None:
    plain, listed = Features(input_shape="single_text"), Features(input_shape="list")
    assert structural(plain, plain) is None
    one = Features(structures=("routing",), input_shape="list")
    assert structural(one, Features(structures=("routing",))) == 0.7
    assert structural(one, plain) is None
    other = Features(structures=("routing", "parallel"), input_shape="list")
    assert structural(one, other) == pytest.approx(0.7 * 0.5 + 0.15)
    assert verbal("", "words") is None
    assert adaptations(one, listed) == {"remove_structures": ["routing"]}


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.one_of(st.none(), SHARE)), max_size=6),
)
def test_not_knowing_never_helps(parts: list[tuple[float, float | None]]) -> None:
    found = weighed(parts)
    assert (found is None) is all(value is None for _, value in parts)
    for at, (weight, _) in enumerate(parts):
        hidden = weighed([*parts[:at], (weight, None), *parts[at + 1 :]])
        assert (hidden or 0.0) <= (found or 0.0) + 1e-6


@given(st.lists(st.booleans(), max_size=30), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_uses_move_confidence_and_rate_as_they_should(ends: list[bool], start: float) -> None:
    skill = Skill(name="s", skill_type="procedural", domain="d", confidence=start)
    for success in ends:
        after = used(skill, success=success)
        assert after.confidence >= skill.confidence if success else after.confidence <= start + 1
        assert 0 <= after.confidence <= 1
        skill = after
    assert skill.usage_count == len(ends)
    if ends:
        assert skill.success_rate == pytest.approx(sum(ends) / len(ends), abs=1e-4)
    else:
        assert skill.success_rate is None


def test_identity_is_type_name_and_domain_and_nothing_else() -> None:
    ids = {
        identity(kind, name, domain)
        for kind in ("procedural", ANTI)
        for name in ("a", "b")
        for domain in ("x", "y")
    }
    assert len(ids) == 8
    assert identity("procedural", "a", "x") in ids


def test_nothing_known_of_the_quality_is_the_prior_not_a_guess() -> None:
    assert born("procedural", None) == 0.5
    assert born("procedural", 1.0) == 0.7
    assert born("graph_path", 0.95) == 0.8
    assert born("graph_path", 0.2) == 0.2
    assert born(ANTI, None) == 0.9


def test_a_fit_says_what_it_did_not_know() -> None:
    task = features({"task": "compare two samples"})
    skill = Skill(name="s", skill_type="procedural", domain="d", task="compare", features=task)
    found = fit(skill, task, "compare two samples")
    assert found is not None
    assert found.unknown == ("transfer",)
    assert "unknown: transfer" in found.reasoning
    failed = (Transfer(success=False, at=1.0),)
    worse = fit(replace(skill, transfers=failed), task, "compare two samples")
    assert worse is not None
    assert worse.unknown == ()
    assert worse.combined == found.combined, "a bad record is no better than none, and no worse"
    assert fit(skill, features({"task": "sing"}), "sing a song") is None


@given(
    st.one_of(
        st.none(),
        st.lists(st.one_of(st.text(), st.integers(), st.dictionaries(st.text(), st.text()))),
    ),
    st.text(),
)
def test_steps_of_anything_are_short_and_in_order(listed: object, text: str) -> None:
    steps = steps_of(listed, text)
    assert [step["order"] for step in steps] == list(range(1, len(steps) + 1))
    assert all(step["action"] and len(step["action"]) <= LONGEST for step in steps)
    assert listed or len(steps) <= MOST


def test_an_episode_is_judged_by_what_is_known_of_it() -> None:
    bare = relevance(Episode(task="sweep"), age=0.0, task="", domain="")
    assert (bare.semantic, bare.domain, bare.outcome, bare.combined) == (None, None, None, 0.2)
    week = relevance(Episode(task="sweep"), age=168 * 3600.0, task="sweep", domain="")
    assert week.recency == 0.5
    failed = Episode(task="t", success=False, failure_analysis="x", lessons=("a", "b", "c"))
    assert relevance(failed, age=0, task="t", domain="").outcome == 1.0


@given(st.integers(1, 400), st.integers(0, 9))
def test_told_episodes_keep_within_their_tokens(tokens: int, count: int) -> None:
    episodes = [(Episode(task="a task " * 9, lessons=("one", "two")), 60.0)] * count
    assert len(told(episodes, tokens)) <= tokens * 4
