"""How new a text is beside earlier ones: 0 says the same again, 1 shares no word with them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations

from orka.score.number import PLACES

_WORD = re.compile(r"[^\W\d_]+")
# Scripts without spaces between words: each sign is taken as a word.
_UNSPACED = re.compile(r"([\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af])")


def words(text: str) -> frozenset[str]:
    """The words of a text: letters only, folded, so that digits and punctuation change nothing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(_WORD.findall(_UNSPACED.sub(r" \1 ", folded)))


def novelty(text: str, earlier: Iterable[str]) -> float | None:
    """1 minus the likeness to the earlier text that is most alike; None if `text` has no words or
    nothing came before it."""
    own = words(text)
    alike = [likeness(own, words(each)) for each in earlier]
    return round(1 - max(alike), PLACES) if own and alike else None


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words two texts have in common: 2·|both| / (|one| + |other|)."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def agreement(texts: Sequence[str]) -> float | None:
    """The mean likeness of each two texts; None for fewer than two with words."""
    found = [each for each in map(words, texts) if each]
    pairs = [likeness(one, other) for one, other in combinations(found, 2)]
    return round(sum(pairs) / len(pairs), PLACES) if pairs else None
