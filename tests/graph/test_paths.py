"""The paths that a scout may propose: exactly the simple ones that are allowed, the rest told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orka.agent.paths import PathRules, Paths
from orka.graph import paths as module
from orka.graph.paths import paths

Path = tuple[str, ...]
AGENTS = ("a", "b", "c", "d")
START, STRANGER = "s", "x"
EVERYWHERE = st.sampled_from((*AGENTS, START, STRANGER))
MANY = 10_000


def rules(**given: object) -> PathRules:
    return PathRules(**{"max_depth": 3, "max_candidates": MANY, **given})  # type: ignore[arg-type]  # as tests write them


def some(of: Sequence[str], most: int = 2) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(of), max_size=most, unique=True).map(tuple)


EDGES = st.none() | st.dictionaries(EVERYWHERE, st.lists(EVERYWHERE, max_size=4).map(tuple))
RULES = st.builds(
    rules,
    max_depth=st.integers(1, 4),
    edges=EDGES,
    terminal=some(AGENTS),
    required=some(AGENTS),
    excluded=some((*AGENTS, STRANGER)).map(lambda ids: dict.fromkeys(ids, "because")),
)


# ---- an independent look: each path on its own, in no order


def following(held: PathRules, path: Path) -> Sequence[str]:
    """What the rules lead on to, allowed or not."""
    if held.edges is None:
        if held.terminal and path and path[-1] in held.terminal:
            return ()
        return [id for id in AGENTS if id not in path]
    if not path and START not in held.edges:
        return AGENTS
    return tuple(dict.fromkeys(held.edges.get(path[-1] if path else START, ())))


def barred(held: PathRules, id: str) -> str:
    if id == START:
        return "itself"
    if id in held.excluded:
        return "excluded"
    return "" if id in AGENTS else "unknown_agent"


def judged(held: PathRules, path: Path) -> Counter[str]:
    """Everything below a path: "found" for each that may be proposed, else the reason."""
    told: Counter[str] = Counter()
    leads = any(id not in path and not barred(held, id) for id in following(held, path))
    ends = not held.terminal or path[-1:] in [(id,) for id in held.terminal]
    if path and ends:
        complete = set(held.required) <= set(path)
        told["found" if complete else "lacks_required"] += 1
    if path and not ends and (len(path) == held.max_depth or not leads):
        told["not_terminal"] += 1
    if len(path) == held.max_depth:
        return told
    for id in following(held, path):
        if id in path:
            told["cycle"] += 1
        elif why := barred(held, id):
            told[why] += 1
        else:
            told += judged(held, (*path, id))
    return told


def expected(held: PathRules) -> Counter[str]:
    stray = [why for id in held.edges or () if id != START and (why := barred(held, id))]
    return judged(held, ()) + Counter(stray)


def counted(found: Paths) -> Counter[str]:
    told = Counter({"found": len(found.found)})
    for each in found.left:
        told[each.reason] += each.count
    return +told


@given(RULES)
def test_exactly_the_allowed_paths_are_found_and_the_rest_has_a_reason(held: PathRules) -> None:
    found = paths(START, AGENTS, held)
    assert counted(found) == expected(held)
    assert len(set(found.found)) == len(found.found)
    for path in found.found:
        _allowed(held, path)


def _allowed(held: PathRules, path: Path) -> None:
    assert 1 <= len(path) <= held.max_depth
    assert len(set(path)) == len(path)
    assert set(held.required) <= set(path) <= set(AGENTS) - set(held.excluded)
    assert not held.terminal or path[-1] in held.terminal
    assert all(id in following(held, path[:at]) for at, id in enumerate(path))


@given(RULES)
def test_each_path_that_is_named_with_a_reason_deserves_it(held: PathRules) -> None:
    found = paths(START, AGENTS, held)
    for each in found.left:
        assert each.message and 1 <= len(each.paths) <= each.count
        for path in each.paths:
            assert path not in found.found
            match each.reason:
                case "lacks_required":
                    assert set(held.required) - set(path)
                case "not_terminal":
                    assert path[-1] not in held.terminal
                case "cycle":
                    assert path[-1] in path[:-1]
                case _:
                    assert barred(held, path[-1]) == each.reason


@given(RULES)
def test_shorter_paths_come_first_then_the_order_of_the_file_or_of_the_edges(
    held: PathRules,
) -> None:
    found = paths(START, AGENTS, held).found
    places = [
        (len(path), [list(following(held, path[:at])).index(id) for at, id in enumerate(path)])
        for path in found
    ]
    assert places == sorted(places)


@given(RULES, st.integers(1, 6))
def test_no_more_are_proposed_than_the_limit_and_those_left_out_are_counted(
    held: PathRules, most: int
) -> None:
    whole = paths(START, AGENTS, held).found
    found = paths(START, AGENTS, rules(**{**_fields(held), "max_candidates": most}))
    assert found.found == whole[:most]
    assert counted(found)["too_many"] == max(0, len(whole) - most)


def _fields(held: PathRules) -> Mapping[str, object]:
    return {name: getattr(held, name) for name in held.__struct_fields__}


DECLARED = st.lists(st.lists(EVERYWHERE, max_size=4).map(tuple), min_size=1, max_size=8).map(tuple)


@given(RULES, DECLARED)
def test_of_declared_paths_the_allowed_ones_stay_in_their_order(
    held: PathRules, declared: tuple[Path, ...]
) -> None:
    held = rules(**{**_fields(held), "edges": None, "declared": declared})
    found = paths(START, AGENTS, held)
    once = dict.fromkeys(declared)
    allowed = [path for path in once if path and not _flaw(held, path)]
    assert list(found.found) == allowed
    assert sum(each.count for each in found.left) == len(once) - len(allowed)
    told = {path: each.reason for each in found.left for path in each.paths}
    assert all(reason == (_flaw(held, path) or "empty") for path, reason in told.items())


def _flaw(held: PathRules, path: Path) -> str:
    bars = [why for id in path if (why := barred(held, id))]
    if bars:
        return bars[0]
    if len(set(path)) < len(path):
        return "cycle"
    if len(path) > held.max_depth:
        return "too_long"
    if path and held.terminal and path[-1] not in held.terminal:
        return "not_terminal"
    return "lacks_required" if path and set(held.required) - set(path) else ""


# ---- by example


def left(reason: str, **given: object) -> str:
    found = paths(START, AGENTS, rules(**given))
    return "; ".join(each.message for each in found.left if each.reason == reason)


@pytest.mark.parametrize(
    ("given", "reason", "told"),
    [
        ({"edges": {START: ("a", "x")}}, "unknown_agent", "called 'x'"),
        ({"edges": {"x": ("a",)}}, "unknown_agent", "called 'x'"),
        ({"edges": {"a": (START,)}}, "itself", "'s' is the agent that chooses"),
        ({"edges": {"a": ("b",), "b": ("a",)}}, "cycle", "'a' would run twice"),
        ({"excluded": {"b": "too slow"}}, "excluded", "'b': too slow"),
        ({"required": ("a", "d")}, "lacks_required", "lacks the required 'a', 'd'"),
        ({"terminal": ("d",), "max_depth": 1}, "not_terminal", "it is 1 long"),
        ({"terminal": ("d",), "edges": {"a": ()}}, "not_terminal", "nothing leads on"),
        ({"max_candidates": 1}, "too_many", "only 1 are proposed"),
        ({"declared": (("a", "b", "c", "d"),)}, "too_long", "more than `max_depth` 3"),
        ({"declared": ((),)}, "empty", "names no agent"),
    ],
)
def test_what_is_left_out_is_told_in_words(
    given: dict[str, object], reason: str, told: str
) -> None:
    assert told in left(reason, **given)


def test_a_path_ends_where_an_answer_is_given_unless_edges_lead_on() -> None:
    held = rules(terminal=("b", "c"), max_depth=2)
    assert ("b", "c") not in paths(START, AGENTS, held).found
    held = rules(terminal=("b", "c"), max_depth=2, edges={START: ("b",), "b": ("c",)})
    assert paths(START, AGENTS, held).found == (("b",), ("b", "c"))


def test_a_great_many_paths_are_not_looked_at_without_end() -> None:
    agents = [f"a{number}" for number in range(30)]
    found = paths(START, agents, rules(max_depth=9, required=("a29",), max_candidates=MANY))
    told = [each for each in found.left if each.reason == "too_many"]
    assert [each.message.split()[0] for each in told][-1] == str(module._LOOKED_AT)
    assert found.found[0] == ("a29",)


def test_an_agent_follows_those_whose_output_it_needs() -> None:
    rules = PathRules(max_depth=2, max_candidates=9, reads={"b": ("a",)})
    found = paths("s", ["a", "b", "c"], rules)
    assert found.found == (("a",), ("c",), ("a", "b"), ("a", "c"), ("c", "a"))
    told = "'b' reads the output of 'a', which has not run before it"
    assert [(each.reason, each.message, each.paths) for each in found.left] == [
        ("unread", told, (("b",), ("c", "b")))
    ]
    declared = PathRules(
        max_depth=2, max_candidates=9, declared=(("b", "a"), ("a", "b")), reads={"b": ("a",)}
    )
    assert paths("s", ["a", "b"], declared).found == (("a", "b"),)
