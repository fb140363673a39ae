"""The layers put together: every reading of a text, the rules, what is encoded, the classifier."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from orka.kit.guards.injection.classifier import Classifier, Window
from orka.kit.guards.injection.custom import Finder
from orka.kit.guards.injection.decoding import decoded
from orka.kit.guards.injection.english import ENGLISH, GOODS, SQUEEZED, TOLD
from orka.kit.guards.injection.folding import unseen
from orka.kit.guards.injection.hidden import conceals, hidden, veiled
from orka.kit.guards.injection.languages import FOREIGN
from orka.kit.guards.injection.mapped import Mapped
from orka.kit.guards.injection.roles import ROLES
from orka.kit.guards.injection.rule import FIRM, WEAK, Match, Rules, enclosed
from orka.kit.guards.injection.technical import TECHNICAL
from orka.kit.guards.injection.views import View, squeezed, unsqueezed, views

CHUNK, OVERLAP = 16_000, 1_000
DEEPEST = 3
_BREAK = re.compile(r"[.!?…。！？]+[\"')\]”»]*(?=\s|$)|[。！？\n]")
_REACH = 200
_FEWEST_WORDS = 3
_TELLER, _GOODS = 60, 20  # characters before and behind a match that may say who does what
_ALL = ENGLISH + ROLES + TECHNICAL + FOREIGN
_RULES = Rules(_ALL)
# Those that can apply where every letter is Latin, and those that are sure in any reading.
_LATIN = Rules(each for each in _ALL if all(any(map(str.isascii, group)) for group in each.needs))
_CLEAR = Rules(each for each in ENGLISH + ROLES + TECHNICAL if each.whole and each.score >= FIRM)
_SQUEEZED = Rules(SQUEEZED)


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """What a text is looked at with."""

    threshold: float
    categories: frozenset[str]
    classifier: Classifier | None
    custom: Finder


def detect(text: str, layers: Layers, depth: int = 0) -> tuple[Match, ...]:
    """The signs of an attack that are at least as sure as the threshold, in order. They may
    overlap."""
    found = [*layers.custom(text)] if depth == 0 else []
    pieces = max(1, -(-len(text) // CHUNK))
    for at in range(pieces):
        start = at * CHUNK
        piece = text[start : start + CHUNK + OVERLAP]
        for match in _in_piece(piece, layers, depth, pieces):
            if match.start < CHUNK or at == pieces - 1:
                found.append(_moved(match, start))
    kept = {
        (each.start, each.end, each.category, each.rule): each
        for each in found
        if each.score >= layers.threshold and each.category in layers.categories
    }
    return tuple(_apart(sorted(kept.values(), key=lambda each: (each.start, -each.end))))


def _apart(found: list[Match]) -> Iterator[Match]:
    """Without those that lie within another of their category that is as sure."""
    wide: dict[str, Match] = {}
    for each in found:
        last = wide.get(each.category)
        if last is None or each.end > last.end or each.score > last.score:
            wide[each.category] = each
            yield each


def _in_piece(piece: str, layers: Layers, depth: int, pieces: int) -> Iterator[Match]:
    raw = Mapped(piece)
    yield from (_sentence(piece, match) for match in hidden(piece))
    yield from _encoded(raw, layers, depth)
    shown: list[Match] = []
    first: View | None = None
    for view in views(raw):
        first = first or view
        for match in _by_rules(view):
            if any(_same(match, other) for other in shown):
                continue
            shown.append(match)
    windows = _windows(first, layers.classifier, pieces) if first else []
    veils = veiled(piece)
    for match in shown:
        sure = _supported(match, windows, layers)
        whole = _sentence(piece, sure) if sure.whole else sure
        yield whole
        unseen_there = conceals(piece[whole.start : whole.end]) or any(
            start < match.end and match.start < end for start, end in veils
        )
        if unseen_there and sure.score >= layers.threshold:
            yield msgspec.structs.replace(whole, category="hidden_text", whole=False)
    if layers.classifier and first:
        yield from _learned(first, windows, shown, layers)


def _encoded(raw: Mapped, layers: Layers, depth: int) -> Iterator[Match]:
    if depth >= DEEPEST:
        return
    bare = unseen(raw)
    for each in decoded(bare.text):
        inner = detect(each.text, layers, depth + 1)
        if inner:
            start, end = bare.origin(each.start, each.end)
            deepest = next((match.decoded for match in inner if match.decoded), each.text)
            yield Match(
                category="encoded_payload",
                start=start,
                end=end,
                score=max(match.score for match in inner),
                rule=each.encoding,
                decoded=deepest,
                whole=False,
            )


def _by_rules(view: View) -> Iterator[Match]:
    text = view.text.text
    turned = view.disguise in ("rot13", "caesar", "atbash", "reversed")
    rules = _LATIN if text.isascii() else _RULES
    if turned or view.disguise == "leetspeak":
        rules = _CLEAR
    for rule, start, end in rules.hits(text):
        score = rule.score
        if rule.braces:
            start, end = enclosed(text, start, end)
        elif rule.category == "instruction_override" and _is_told(text, start, end):
            score = min(score, WEAK)
        yield _match(view, rule.category, score, rule.name, start, end, whole=rule.whole)
    if turned or view.disguise in ("", "leetspeak"):
        letters = squeezed(text)
        for rule, start, end in _SQUEEZED.hits(letters):
            start, end = unsqueezed(text, start, end)
            score = WEAK if _is_told(text, start, end) else rule.score
            yield _match(view, rule.category, score, rule.name, start, end, whole=True)


def _is_told(text: str, start: int, end: int) -> bool:
    """True where somebody tells what others do, or speaks of goods, not to a model."""
    told = TOLD.search(text[max(0, start - _TELLER) : start])
    return bool(told or GOODS.search(text, start, end + _GOODS))


def _match(
    view: View, category: str, score: float, rule: str, start: int, end: int, *, whole: bool
) -> Match:
    origin = view.text.origin(start, end)
    said = ""
    if view.encoded:
        category = "hidden_text" if view.disguise == "tags" else "encoded_payload"
        rule, said = f"{view.disguise}: {rule}", view.text.text[start:end]
    return Match(
        category=category,
        start=origin[0],
        end=origin[1],
        score=score,
        rule=rule,
        decoded=said,
        whole=whole,
    )


def _same(match: Match, other: Match) -> bool:
    """True if the one says again what the other has said of the same place."""
    said = match.rule.rpartition(": ")[2] == other.rule
    kind = match.category == other.category and match.score <= other.score
    return (said or kind) and match.start < other.end and other.start < match.end


def _windows(view: View, classifier: Classifier | None, pieces: int) -> list[tuple[Window, float]]:
    """The windows, where they stand in the piece, and how sure each is. In a long text there are
    more chances to be wrong, so that each must be surer."""
    if classifier is None or _short(view.text.text):
        return []
    found = list(classifier.windows(view.text.text))
    strict = classifier.strictness(max(len(found), 1) * pieces)
    placed = []
    for each in found:
        start, end = view.text.origin(each.start, each.end)
        sure = classifier.confidence(each.logit - strict)
        placed.append((msgspec.structs.replace(each, start=start, end=end), sure))
    return placed


def _short(text: str) -> bool:
    """A word or two: too little for a feeling about it. (Other scripts say more in as many.)"""
    return text.isascii() and len(text.split()) < _FEWEST_WORDS


def _supported(match: Match, windows: list[tuple[Window, float]], layers: Layers) -> Match:
    """A rule that is not sure by itself is surer where the classifier is not at ease."""
    if match.score >= layers.threshold:
        return match
    near = (sure for each, sure in windows if each.start < match.end and match.start < each.end)
    sure = 1 - (1 - match.score) * (1 - max(near, default=0.0))
    return msgspec.structs.replace(match, score=round(sure, 6))


def _learned(
    view: View, windows: list[tuple[Window, float]], shown: list[Match], layers: Layers
) -> Iterator[Match]:
    """What only the classifier has found; windows that touch are one."""
    start, end, best = -1, -1, 0.0
    for each, sure in [*windows, (Window(-1, -1, 0.0), 0.0)]:
        known = any(match.start < each.end and each.start < match.end for match in shown)
        if sure >= layers.threshold and not known:
            if best and each.start <= end:
                end, best = each.end, max(best, sure)
                continue
            if best:
                yield _window(start, end, best)
            start, end, best = each.start, each.end, sure
        elif best:
            yield _window(start, end, best)
            best = 0.0


def _window(start: int, end: int, sure: float) -> Match:
    return Match(
        category="injection", start=start, end=end, score=sure, rule="classifier", whole=False
    )


def _sentence(text: str, match: Match) -> Match:
    """The match with the sentence it stands in."""
    before = text[max(0, match.start - _REACH) : match.start]
    cut = max((found.end() for found in _BREAK.finditer(before)), default=-1)
    start = match.start - len(before) + cut if cut >= 0 else max(0, match.start - _REACH)
    while start < match.start and text[start].isspace():
        start += 1
    found = _BREAK.search(text, max(match.start, match.end - 1), match.end + _REACH)
    end = match.end if found is None else max(match.end, found.end())
    if found is None:
        end = min(len(text), match.end + _REACH)
    while end > match.end and text[end - 1].isspace():
        end -= 1
    return msgspec.structs.replace(match, start=start, end=end)


def _moved(match: Match, by: int) -> Match:
    if not by:
        return match
    return msgspec.structs.replace(match, start=match.start + by, end=match.end + by)
