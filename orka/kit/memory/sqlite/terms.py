"""Texts as the words that are compared: the same for what is stored and for what is looked for.

The words are made here, not by SQLite, so that a query can hold no operator and every script is
cut the same way: compatibility forms and case are folded, accents are dropped, letters and digits
make words, and where a script writes no spaces each character is a word.
"""

from __future__ import annotations

import re
import unicodedata

# Words of a query beyond this many distinct ones do not count.
MOST = 64

_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana, Han
    "\U00020000-\U0003ffff"  # Han, continued
    "\u2600-\u27bf\U0001f000-\U0001faff"  # signs and emoji
)
_MARKED = "\u0900-\u0963\u0966-\u0dff"  # scripts of India, whose vowel signs are no letters
_WORD = re.compile(rf"[{_ALONE}]|(?:[^\W_{_ALONE}]|[{_MARKED}])+")
# What says nothing about the subject; left out of a query that has other words.
_LITTLE = (
    "a about all an and any are as at be been by can could did do does for from had has have how i "
    "if in into is it its me my of on or our please should so than that the their them then there "
    "these they this to us was we were what when where which who whom whose why will with would "
    "you your"
)
_STOP = frozenset(_LITTLE.split())


def words(text: str) -> list[str]:
    """The words of `text`, in order."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(c for c in folded if not unicodedata.combining(c))
    return _WORD.findall(unicodedata.normalize("NFKC", bare).casefold())


def asked(text: str) -> list[str]:
    """The distinct words of a query that count, in order."""
    distinct = list(dict.fromkeys(words(text)))
    return ([word for word in distinct if word not in _STOP] or distinct)[:MOST]


def phrase(tokens: list[str]) -> str:
    """An FTS5 expression for the words one after another. Words hold no quote."""
    return '"' + " ".join(tokens) + '"'


def sameness(content: str) -> str:
    """Equal for contents that say the same: case, forms and white space do not count."""
    return " ".join(unicodedata.normalize("NFKC", content).casefold().split())
