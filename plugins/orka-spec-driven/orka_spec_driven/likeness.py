"""How alike two objections are: by the words that carry them, whatever else is around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orka.score.novelty import likeness, words
from orka.value import Json

# Words that say nothing about what is wrong. The step is a field of its own.
_EMPTY = frozenset(
    """a an and are at be been but by can could does for from had has have how if in into is it its
    may might of on or s should so step steps still such that the their then there these they this
    to was were what when which will with would plan""".split()  # noqa: SIM905
)
# Words that say that something is not there.
_LACKING = frozenset(("no", "not", "none", "without", "lack", "miss", "absent", "never"))
_ENDINGS = ("ing", "ed", "es", "s")
_SHORTEST = 3


def core(text: str) -> frozenset[str]:
    """The words that carry a text, without endings; what is lacking is one word."""
    stems = {_stem(word) for word in words(text) - _EMPTY}
    return frozenset("lack" if stem in _LACKING else stem for stem in stems)


def alike(one: Mapping[str, Json], other: Mapping[str, Json], bound: float) -> bool:
    """True if two objections are about the same step and share at least `bound` of their words."""
    if one["step"] != other["step"]:
        return False
    mine, theirs = core(one["problem"]), core(other["problem"])
    return mine == theirs or likeness(mine, theirs) >= bound


def fresh(
    objections: Iterable[Mapping[str, Json]], earlier: Iterable[Mapping[str, Json]], bound: float
) -> list[Mapping[str, Json]]:
    """Those that are like none before them."""
    known = list(earlier)
    found = []
    for each in objections:
        if not any(alike(each, other, bound) for other in known):
            found.append(each)
            known.append(each)
    return found


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word
