"""One value on its way into a run: each of its texts is looked at by the filters, in order."""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import accumulate

from orka.engine.escapes import plain
from orka.engine.window import Said, said_of
from orka.errors import ScreenError
from orka.graph.guards import Filter
from orka.port.guard import Finding, counted
from orka.port.placeholders import Placeholders
from orka.value import Json

# What is noted of a value as quarantined: so many texts of so many characters. What does not fit
# is taken out of the value, so that nothing is left that nobody keeps an eye on.
TEXTS = 64
LONGEST = 4_000
REMOVED = "[QUARANTINED_REMOVED]"
# A whole number of so many digits may be the number of a card or a telephone.
_DIGITS = 10**8
# A key that is a plain word names no one and gives no orders.
PLAIN = re.compile(r"[A-Za-z_][A-Za-z_-]{0,23}")
WITHHELD = "[WITHHELD]"
# Labels are given by several threads at once.
_NUMBERING = threading.Lock()

_OTHER = re.compile(r"[^A-Z0-9]+")

_Span = tuple[int, int]


class Look:
    """`found` counts what each guard found, by kind; `quarantined` are the texts that may only be
    looked at as data. Texts that are `spared` are known already. `known` are values that a
    tool was told, by placeholder: where they come back, they get it again."""

    def __init__(
        self,
        filters: Sequence[Filter],
        placeholders: Placeholders | None,
        spared: Container[str] = (),
        known: Mapping[str, str] | None = None,
    ) -> None:
        self._filters, self._placeholders, self._spared = filters, placeholders, spared
        self._known = _Known(known) if known else None
        self.found: dict[str, dict[str, int]] = {}
        self.quarantined: dict[str, None] = {}

    @property
    def screened(self) -> Mapping[str, Json] | None:
        """What a fact says of it: nothing, if nothing was found."""
        told: dict[str, Json] = {"found": self.found} if self.found else {}
        if self.quarantined:
            told["quarantined"] = list(self.quarantined)
        return told or None

    def value(self, value: Json) -> Json:
        """The value as it may go on. Raises `ScreenError` if it may not."""
        if self._placeholders is not None:
            with _NUMBERING:
                for text in texts(value):
                    self._placeholders.reserve(text)
        return self._value(value)

    def text(self, text: str) -> str:
        """The text as it may go on. Raises `ScreenError` if it may not."""
        if not text or text in self._spared:
            return text
        text = self._known.hidden(text) if self._known else text
        spans: list[_Span] = []
        for by in self._filters:
            said = said_of(by, text)
            if said.verdict == "pass":
                continue
            if said.verdict == "block":
                raise blocked(by, said, self.quiet)
            self._count(by, said)
            if said.verdict == "quarantine":
                spans += [(each.start, each.end) for each in said.findings] or [(0, len(text))]
            else:
                text, spans = self._changed(by, said, text, spans)
        return self._noted(text, _merged(spans)) if spans else text

    def told(self, text: str) -> str:
        """The words of an error, which is there whatever they say."""
        try:
            return self.text(text)
        except ScreenError:
            return WITHHELD

    def _value(self, value: Json) -> Json:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, dict):
            return self._map(value)
        if type(value) in (int, float) and abs(value) >= _DIGITS:
            return self._number(value)
        return value

    def _map(self, value: Mapping[str, Json]) -> Json:
        """Keys that become the same stay apart: the later ones are numbered."""
        found: dict[str, Json] = {}
        for key, item in value.items():
            plain_word = PLAIN.fullmatch(key) and not (self._known and self._known.found(key))
            name = new = key if plain_word else self.text(key)
            number = 1
            while name in found:
                number += 1
                name = f"{new} ({number})"
            found[name] = self._value(item)
        return dict(sorted(found.items()))

    def _number(self, value: float) -> Json:
        """A number is a text to a guard, if it has as many digits as one that names somebody."""
        written = str(value) if isinstance(value, int) else f"{value:.0f}"
        told = self.text(written)
        return value if told == written else told

    def _count(self, by: Filter, said: Said) -> None:
        counts = counted(said.findings) or {said.verdict.upper(): 1}
        mine = self.found.setdefault(by.name, {})
        for kind, number in counts.items():
            mine[kind] = mine.get(kind, 0) + number

    def _changed(
        self, by: Filter, said: Said, text: str, spans: list[_Span]
    ) -> tuple[str, list[_Span]]:
        """The text with labels in it, and where spans of it are now."""
        labels = labels_of(by, said, text, self._placeholders)
        if labels is None:
            return said.text, [(0, len(said.text))] if spans else []
        return labelled(text, said.findings, labels), _shifted(spans, said.findings, labels)

    def _noted(self, text: str, spans: Sequence[_Span]) -> str:
        """Note what is quarantined, in pieces; gives the text without what does not fit."""
        removed: list[_Span] = []
        for start, end in spans:
            pieces = [text[at : min(end, at + LONGEST)] for at in range(start, end, LONGEST)]
            new = dict.fromkeys(piece for piece in pieces if piece not in self.quarantined)
            if len(self.quarantined) + len(new) > TEXTS:
                removed.append((start, end))
            else:
                self.quarantined |= new
        gone = [Finding(kind="QUARANTINED", start=start, end=end) for start, end in removed]
        return labelled(text, gone, [REMOVED] * len(gone))

    def quiet(self, text: str) -> str:
        """What a guard says of a text that does not pass, in the words that may go on."""
        for by in self._filters:
            said = said_of(by, text)
            if said.verdict == "changed":
                labels = [f"[{each.kind}]" for each in said.findings]
                text = labelled(text, said.findings, labels) if labels else said.text
        return text


class _Known:
    """Values and their placeholders, to put one in place of the other: as whole words, however they
    are written."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._labels = {value.casefold(): label for label, value in values.items()}
        either = "|".join(map(re.escape, sorted(values.values(), key=len, reverse=True)))
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)

    def found(self, text: str) -> bool:
        return self._pattern.search(text) is not None

    def hidden(self, text: str) -> str:
        return self._pattern.sub(self._label, text)

    def _label(self, found: re.Match[str]) -> str:
        return self._labels.get(found.group().casefold(), WITHHELD)


def labels_of(
    by: Filter, said: Said, text: str, placeholders: Placeholders | None
) -> Sequence[str] | None:
    """What stands in place of each finding in a text that is changed; None if the guard wrote a
    text of its own."""
    if not by.reversible or placeholders is None or not said.findings:
        return said.labels
    with _NUMBERING:
        values = [plain(text[each.start : each.end]) for each in said.findings]
        kinds = [_kind(each) for each in said.findings]
        return [placeholders.placeholder(*each) for each in zip(kinds, values, strict=True)]


def _kind(found: Finding) -> str:
    """A finding's kind as placeholders spell it."""
    name = _OTHER.sub("_", found.kind.upper()).strip("_")
    return name[:40] if name[:1].isalpha() else f"VALUE_{name}"[:40].rstrip("_")


def texts(value: Json) -> Iterable[str]:
    """All texts of a value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)


def blocked(by: Filter, said: Said, quiet: Callable[[str], str]) -> ScreenError:
    """The error for what a guard does not let pass, with its words as `quiet` lets them be told."""
    why = quiet(said.told) if said.told else ", ".join(counted(said.findings))
    return ScreenError(
        f"guard {by.name!r} does not let it pass" + (f": {why}" if why else ""),
        where=by.where,
        fix="change what comes in, or the guard's options",
        code="screen.blocked",
    )


def labelled(text: str, findings: Sequence[Finding], labels: Sequence[str]) -> str:
    """The text with each label in place of its finding."""
    pieces, at = list[str](), 0
    for found, label in zip(findings, labels, strict=True):
        pieces += (text[at : found.start], label)
        at = found.end
    return "".join((*pieces, text[at:])) if pieces else text


def _shifted(
    spans: Sequence[_Span], findings: Sequence[Finding], labels: Sequence[str]
) -> list[_Span]:
    """Where spans are once labels stand in place of findings: one that ends within a finding takes
    the whole label in."""
    ends = [each.end for each in findings]
    both = zip(labels, findings, strict=True)
    grown = [0, *accumulate(len(label) - (each.end - each.start) for label, each in both)]

    def place(at: int, *, stop: bool) -> int:
        before = bisect_right(ends, at)
        if before < len(findings) and findings[before].start < at:
            at = findings[before].start + (len(labels[before]) if stop else 0)
        return at + grown[before]

    return [(place(start, stop=False), place(end, stop=True)) for start, end in spans]


def _merged(spans: Sequence[_Span]) -> list[_Span]:
    """Spans in order, each character in one of them."""
    found: list[_Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif end > start:
            found.append((start, end))
    return found
