"""What a guard says of a text of any length. Long ones are looked at in windows, so that its work
stays linear and its memory bounded."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import structs

from orka.engine.escapes import Plain
from orka.engine.outside import looked_at
from orka.graph.guards import Filter
from orka.port.guard import Finding, Screened, Verdict, redacted

# Characters of a window. A text up to here is looked at as a whole.
WIDTH = 65_536
# A finding that is longer than the reach of its guard is followed so many times as far.
LENGTHS = 64
_WORSE: tuple[Verdict, ...] = ("pass", "changed", "quarantine", "block")


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a guard says of a text. `labels` are what stands in place of each finding, if it was
    changed; None if the guard wrote another `text` altogether."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    labels: tuple[str, ...] | None = ()
    text: str = ""
    told: str = ""


def said_of(by: Filter, text: str) -> Said:
    """Raises `ScreenError` if the guard cannot look at it."""
    if len(text) <= WIDTH:
        return _looked(by, text)
    parts, at = list[tuple[int, int, Said]](), 0
    reach = reach_of(by)
    while at < len(text):
        end = cut(text, at, at + max(WIDTH, 4 * reach), reach)
        said, end = part_of(by, text, at, end, reach)
        if said.labels is None:  # it writes texts of its own, so that it has to see all of it
            return _looked(by, text)
        parts.append((at, end, said))
        at = end
    worst = max((said for _, _, said in parts), key=lambda said: _WORSE.index(said.verdict))
    return Said(
        verdict=worst.verdict,
        findings=tuple(found for _, _, said in parts for found in said.findings),
        labels=tuple(label for _, _, said in parts for label in said.labels or ()),
        told=worst.told,
    )


def part_of(by: Filter, text: str, at: int, end: int, reach: int) -> tuple[Said, int]:
    """What a guard says of `text[at:end]`, seen with `reach` characters on both sides: of what
    begins there. What begins there and ends behind it belongs to it: gives the end that this makes.
    """
    first, last = max(0, at - reach), end + reach
    while True:
        whole = text[first:last]
        said = _looked(by, whole)
        found = [moved(each, first) for each in said.findings]
        mine = [n for n, each in enumerate(found) if at <= each.start < end]
        cut_off = last < len(text) and mine and found[mine[-1]].end == last
        if not cut_off or last - end > LENGTHS * reach:
            break
        last = end + 2 * (last - end)
    labels = tuple(said.labels[n] for n in mine) if said.labels else said.labels
    kept = structs.replace(said, findings=tuple(found[n] for n in mine), labels=labels)
    return kept, max([end, *(found[n].end for n in mine)])


def cut(text: str, start: int, end: int, reach: int) -> int:
    """A place to part a text at: behind the last space before `end`, if one is near."""
    if end >= len(text):
        return len(text)
    for at in range(end, max(start, end - reach), -1):
        if text[at - 1].isspace():
            return at
    return end


def reach_of(by: Filter) -> int:
    return max(1, by.guard.reach)


def moved(found: Finding, by: int) -> Finding:
    """The same finding, `by` characters later."""
    return structs.replace(found, start=found.start + by, end=found.end + by)


def _looked(by: Filter, text: str) -> Said:
    """What a guard says of a text as it is written, and of what its escapes stand for."""
    said = _said(text, looked_at(by.name, by.guard, text))
    meant = Plain(text)
    if meant.text == text or said.verdict == "block":
        return said
    more = _said(meant.text, looked_at(by.name, by.guard, meant.text))
    if more.verdict in ("pass", "block"):
        return said if more.verdict == "pass" else more
    if said.labels is None or more.labels is None:  # one of them wrote a text of its own
        return said if said.labels is None else more
    there = [
        structs.replace(each, start=meant.place(each.start), end=meant.place(each.end))
        for each in more.findings
    ]
    return _both(said, structs.replace(more, findings=tuple(there)))


def _both(said: Said, more: Said) -> Said:
    """All that was found in either way; where findings overlap, they are one."""
    if not said.findings or not more.findings:
        return max(more, said, key=lambda each: (_WORSE.index(each.verdict), len(each.findings)))
    found, labels = list[Finding](), list[str]()
    pairs = [pair for each in (said, more) for pair in _labelled(each)]
    for each, label in sorted(pairs, key=lambda pair: (pair[0].start, -pair[0].end)):
        if found and each.start < found[-1].end:
            end = max(found[-1].end, each.end)
            found[-1] = structs.replace(found[-1], end=end)
        else:
            found.append(each)
            labels.append(label)
    verdict = max(said.verdict, more.verdict, key=_WORSE.index)
    kept = tuple(labels) if verdict == "changed" else ()
    return structs.replace(more, verdict=verdict, findings=tuple(found), labels=kept)


def _labelled(said: Said) -> list[tuple[Finding, str]]:
    labels = said.labels or [redacted(each) for each in said.findings]
    return list(zip(said.findings, labels, strict=True))


def _said(text: str, said: Screened) -> Said:
    labels: tuple[str, ...] | None = ()
    if said.verdict == "changed":
        labels = _labels(text, said.text, said.findings)
    return Said(
        verdict=said.verdict,
        findings=said.findings,
        labels=labels,
        text=said.text,
        told=said.told,
    )


def _labels(text: str, changed: str, findings: Sequence[Finding]) -> tuple[str, ...] | None:
    """What stands in `changed` in place of each finding; None if anything else was changed too."""
    labels, at, read = list[str](), 0, 0
    for number, found in enumerate(findings):
        between = text[read : found.start]
        if not changed.startswith(between, at):
            return None
        at, read = at + len(between), found.end
        following = findings[number + 1].start if number + 1 < len(findings) else len(text)
        label = redacted(found)
        if not changed.startswith(label + text[read:following], at):
            end = len(changed) if following == read else changed.find(text[read:following], at)
            if end < 0 or (following == read and number + 1 < len(findings)):
                return None
            label = changed[at:end]
        labels.append(label)
        at += len(label)
    return tuple(labels) if changed[at:] == text[read:] else None
