"""A text made of another by replacing parts of it, that knows where each character came from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable


class Mapped:
    """`text`, and where it came from. `origin` gives back places in the first text."""

    __slots__ = ("_news", "_olds", "_parent", "_sizes", "text")

    def __init__(
        self,
        text: str,
        parent: Mapped | None = None,
        news: list[int] | None = None,
        olds: list[int] | None = None,
        sizes: list[int] | None = None,
    ) -> None:
        self.text, self._parent = text, parent
        # Piece i starts at news[i] here and at olds[i] there; sizes[i] is how many characters it
        # stands for if it was replaced, -1 if it is the same text.
        self._news, self._olds, self._sizes = news or [0], olds or [0], sizes or [-1]

    def same_length(self, text: str) -> Mapped:
        """A text whose characters stand where those of this one do."""
        return self if text == self.text else Mapped(text, self)

    def replaced(self, pattern: re.Pattern[str], by: Callable[[re.Match[str]], str]) -> Mapped:
        """Each match replaced; one that stays as it is stays mapped character by character."""
        pieces: list[str] = []
        news, olds, sizes = [0], [0], [-1]
        at = length = 0
        for match in pattern.finditer(self.text):
            new = by(match)
            if new == match.group():
                continue
            pieces += (self.text[at : match.start()], new)
            length += match.start() - at
            news += (length, length + len(new))
            olds += (match.start(), match.end())
            sizes += (match.end() - match.start(), -1)
            at, length = match.end(), length + len(new)
        if not pieces:
            return self
        return Mapped("".join((*pieces, self.text[at:])), self, news, olds, sizes)

    def backwards(self) -> Mapped:
        """The text read from its end."""
        return _Backwards(self.text[::-1], self)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stands in the first text."""
        if self._parent is None:
            return start, end
        first, last = self._place(start), self._place(max(start, end - 1))
        old = self._olds[first] + (0 if self._sizes[first] >= 0 else start - self._news[first])
        if self._sizes[last] >= 0:
            stop = self._olds[last] + self._sizes[last]
        else:
            stop = self._olds[last] + max(start, end - 1) - self._news[last] + 1
        return self._parent.origin(old, max(stop, old))

    def _place(self, at: int) -> int:
        return bisect_right(self._news, at) - 1


class _Backwards(Mapped):
    __slots__ = ()

    def origin(self, start: int, end: int) -> tuple[int, int]:
        assert self._parent is not None
        length = len(self.text)
        return self._parent.origin(length - end, length - start)
