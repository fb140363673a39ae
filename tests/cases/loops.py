"""What `expected` says about loops, in our words for a loop's output."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cases.language import Fields
from cases.observed import Observed, same
from orka.value import Json

# Their word -> the key of what a loop gives.
_WORDS = {
    "completed": "loops_completed",
    "loops_completed": "loops_completed",
    "threshold_met": "threshold_met",
    "scores": "scores",
    "best_iteration": "best_iteration",
    "best_result": "best_result",
    "score": "score",
}


def loops(observed: Observed, wanted: Json) -> None:
    """`loops: {LOOP: {completed, threshold_met, scores, best_iteration, best_result}}`."""
    for agent, expected in wanted.items():
        with Fields(expected, f"loops.{agent}") as fields:
            for word, name in _WORDS.items():
                if word in fields:
                    found, value = _said(observed.node(agent).value, name), fields.take(word)
                    assert same(found, value, observed.tolerance), f"{word} is {found!r}"


def _said(value: Json, name: str) -> Json:
    assert isinstance(value, Mapping) and name in value, f"a loop that says no {name!r}: {value!r}"
    return value[name]


def _scores(observed: Observed) -> list[Json]:
    """The scores of the only loop."""
    maps = [node.value for node in observed.nodes if isinstance(node.value, Mapping)]
    found = [value for value in maps if "loops_completed" in value]
    assert len(found) == 1, f"{len(found)} loops"
    scores: list[Json] = _said(found[0], "scores")
    return scores


def _accept_scores(observed: Observed, wanted: Json) -> None:
    found = _scores(observed)
    assert any(same(found, scores) for scores in wanted), f"scores: {found!r}"


def _accept_first_score(observed: Observed, wanted: Json) -> None:
    found = _scores(observed)[0]
    assert any(same(found, score) for score in wanted), f"the first score is {found!r}"


def score_is_not(observed: Observed, key: str, wanted: Json) -> None:
    """`must_not: {scores_contains | first_score: […]}`."""
    scores = _scores(observed)
    looked_at = scores[:1] if key == "first_score" else scores
    for score in looked_at:
        assert not any(same(score, wrong) for wrong in wanted), f"a score is {score!r}"


LOOPS: dict[str, Callable[[Observed, Json], None]] = {
    "accept_scores": _accept_scores,
    "accept_first_score": _accept_first_score,
    "scores_contains": lambda observed, wanted: score_is_not(observed, "scores_contains", wanted),
    "first_score": lambda observed, wanted: score_is_not(observed, "first_score", wanted),
}
