"""Patterns for many words, which a search passes over quickly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SIGNS = frozenset("\\.^$*+?{}[]()|")
_GROUP = re.compile(r"\(\?:([^()]*)\)(\??)|\[([^\]]*)\](\??)|([^\\()\[\]])(\?)")


def tree(words: Iterable[str]) -> str:
    """An alternation of patterns in which what they begin with alike stands once. The longer one of
    two is tried first."""
    heads: dict[str, list[str]] = {}
    others: list[str] = []
    for word in dict.fromkeys(words):
        if _plain(word):
            heads.setdefault(word[0], []).append(word[1:])
        else:
            others.append(word)
    branches = [re.escape(head) + tree(rest) for head, rest in heads.items()]
    branches += sorted(others, key=len, reverse=True)
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def starts(words: Iterable[str], *, never: str = r"\w") -> str:
    """The same for words with none of `never` (a part of a set) before them. Each of them begins
    with a letter that is written out, so that a search skips to such letters."""
    return f"(?:{'|'.join(_starts(words, never, ''))})"


def scan(words: Iterable[str], joined: Iterable[str] = ()) -> str:
    """A pattern that finds whole words in a text of small letters, and the `joined` anywhere."""
    whole = _starts(words, r"^\W_", r"(?![^\W_])")
    return "|".join((*whole, *_starts(joined, "", "")))


def _starts(words: Iterable[str], never: str, after: str) -> list[str]:
    heads: dict[str, list[str]] = {}
    for word in dict.fromkeys(words):
        if not _plain(word):
            raise ValueError(f"{word!r} does not begin with a letter")
        heads.setdefault(word[0], []).append(word[1:])
    before = {head: rf"(?<![{never}]{re.escape(head)})" if never else "" for head in heads}
    return [re.escape(h) + before[h] + tree(rest) + after for h, rest in heads.items()]


def spelt(pattern: str) -> Iterator[str]:
    """Each text that a simple pattern matches: letters, `(?:a|b)`, `[ab]`, and `?` behind one."""
    for part in alternatives(pattern):
        yield from _spelt(part)


def cased(words: Iterable[str]) -> Iterator[str]:
    """The words as they are written in small letters, with a capital one, and in capitals."""
    for word in words:
        yield from (word, word[:1].upper() + word[1:], word.upper())


def _plain(word: str) -> bool:
    return bool(word) and word[0] not in _SIGNS and word[1:2] not in ("?", "*", "+", "{")


def alternatives(pattern: str) -> Iterator[str]:
    """The parts of a pattern between the bars that stand in no group."""
    depth, begin = 0, 0
    for at, char in enumerate(pattern):
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            yield pattern[begin:at]
            begin = at + 1
    yield pattern[begin:]


def _spelt(part: str) -> Iterator[str]:
    # The innermost group, or the letter that may be left out, comes first.
    found = _GROUP.search(part)
    if found is None:
        yield part
        return
    group, maybe, letters, maybe_letter, single, _ = found.groups()
    if group is not None:
        choices = group.split("|")
    else:
        choices = list(letters) if letters is not None else [single]
    if maybe or maybe_letter or single:
        choices.append("")
    for choice in choices:
        yield from _spelt(part[: found.start()] + choice + part[found.end() :])
