"""Numbered placeholders: a text without what was found in it, and the way back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orka.port.guard import Finding, masked
from orka.value import Json

# What any placeholder looks like, numbered or not.
_LOOKS = re.compile(r"\[[A-Z][A-Z0-9_]{0,60}_(?:REDACTED|\d{1,9})\]")
NUMBERED = re.compile(r"\[([A-Z][A-Z0-9_]{0,60})_(\d{1,9})\]")
# The kind of what looked like a placeholder before there was one.
LITERAL = "LITERAL"


class Placeholders:
    """Gives each value a placeholder, `[EMAIL_1]`: the same value the same number, another value of
    its kind the next. `values` (placeholder -> value) is all there is to keep: those of another
    `Placeholders` continue it; `last` are the highest numbers that are taken, by kind."""

    __slots__ = ("_given", "_last", "_values")

    def __init__(
        self, values: Mapping[str, str] | None = None, last: Mapping[str, int] | None = None
    ) -> None:
        self._values: dict[str, str] = {}
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = dict(last or {})
        for placeholder, value in (values or {}).items():
            parts = NUMBERED.fullmatch(placeholder)
            if parts is None:
                raise ValueError(f"{placeholder!r} is no placeholder such as '[EMAIL_1]'")
            kind, number = parts.group(1), int(parts.group(2))
            self._keep(kind, value, placeholder)
            self._last[kind] = max(self._last.get(kind, 0), number)

    @property
    def values(self) -> dict[str, str]:
        """Placeholder -> what it stands for."""
        return dict(self._values)

    @property
    def last(self) -> dict[str, int]:
        """The highest number of each kind that is taken."""
        return dict(self._last)

    def reserve(self, text: str) -> None:
        """Never give out the numbers of what looks like a placeholder in `text` and is none."""
        for match in NUMBERED.finditer(text) if "[" in text else ():
            kind, number = match.group(1), int(match.group(2))
            self._last[kind] = max(self._last.get(kind, 0), number)

    def placeholder(self, kind: str, value: str) -> str:
        """The placeholder of a value."""
        found = self._given.get((kind, value))
        if found is None:
            self._last[kind] = self._last.get(kind, 0) + 1
            found = f"[{kind}_{self._last[kind]}]"
            self._keep(kind, value, found)
        return found

    def replace(self, text: str, findings: Sequence[Finding], *, ours: bool = False) -> str:
        """`text` with each finding replaced by its placeholder.

        What already looks like a placeholder in a text from outside is no reference to a value: it
        gets a placeholder of its own, so that `restore` gives it back as it was. In a text that is
        `ours` (written by a model that was given placeholders) it stays what it is."""
        spans = findings if ours else _with_literals(text, findings)
        return masked(text, spans, lambda each: self._of(text, each))

    def restore(self, text: str) -> str:
        """`text` with the values in place of their placeholders. Those never given out stay."""
        return NUMBERED.sub(lambda match: self._values.get(match.group(), match.group()), text)

    def restore_value(self, value: Json) -> Json:
        """A value with every text in it restored, keys too."""
        if isinstance(value, str):
            return self.restore(value)
        if isinstance(value, list):
            return [self.restore_value(item) for item in value]
        if isinstance(value, dict):
            return {self.restore(key): self.restore_value(item) for key, item in value.items()}
        return value

    def _of(self, text: str, found: Finding) -> str:
        return self.placeholder(found.kind, text[found.start : found.end])

    def _keep(self, kind: str, value: str, placeholder: str) -> None:
        self._values[placeholder] = value
        self._given[kind, value] = placeholder


def _with_literals(text: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, and between them what only looks like a placeholder."""
    spans = list(findings)
    for match in _LOOKS.finditer(text) if "[" in text else ():
        start, end = match.span()
        if all(end <= each.start or start >= each.end for each in findings):
            spans.append(Finding(kind=LITERAL, start=start, end=end))
    return sorted(spans, key=lambda each: each.start)
