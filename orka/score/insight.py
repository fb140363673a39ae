"""What a round teaches the next one: insights, improvements and mistakes, found in its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from orka.score.extract import Outputs, pattern_of, texts_of
from orka.score.number import ascii_form, number_at
from orka.value import Json

CATEGORIES = ("insights", "improvements", "mistakes")
_SHORTEST_TEXT, _SHORTEST, _LONGEST = 20, 11, 200
# Characters of a text that patterns look at.
_READ = 20_000
_QUALITY = re.compile(r"REASONING_QUALITY\W{1,6}(?=[.0-9])", re.IGNORECASE)
_TREND = re.compile(r"CONVERGENCE_TREND\W{1,6}([A-Za-z]+)", re.IGNORECASE)
# Criteria that stand for a category whose patterns found nothing.
_CRITERIA = {
    "insights": ("passed_criteria",),
    "improvements": ("failed_criteria", "unknown_criteria"),
    "mistakes": ("failed_criteria",),
}


class Cognition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to look for: patterns by category, whose first group is kept. `agent_priorities`: the
    categories an agent is read for; such agents are read before those without."""

    enabled: bool = True
    max_length_per_category: int = 300
    extract_patterns: dict[str, list[str]] = {}
    agent_priorities: dict[str, list[str]] = {}

    def problem(self) -> str:
        """Raises `ConfigError` for a pattern that is none; says what else is wrong."""
        for patterns in self.extract_patterns.values():
            for pattern in patterns:
                pattern_of(pattern)
        return "" if self.max_length_per_category > 0 else "`max_length_per_category` must be 1 up"


def learned(
    rules: Cognition, order: Sequence[str], outputs: Outputs, criteria: Json
) -> dict[str, str]:
    """Each category as one line. Where no pattern finds any, the criteria of a boolean score speak:
    those passed are insights, those failed mistakes, what is not passed can be improved."""
    names = dict.fromkeys([*CATEGORIES, *rules.extract_patterns])
    if not rules.enabled:
        return dict.fromkeys(names, "")
    found = {name: _joined(rules, name, order, outputs) for name in names}
    if isinstance(criteria, Mapping):
        for name, keys in _CRITERIA.items():
            told = [str(item) for key in keys for item in criteria.get(key) or []]
            found[name] = found[name] or ", ".join(told)
    return found


def quality(outputs: Outputs) -> float | None:
    """The REASONING_QUALITY that an agent told, if one did and it can be read."""
    for text in _all(outputs):
        plain = ascii_form(text)
        for match in _QUALITY.finditer(plain):
            return number_at(plain, match.end()).value
    return None


def trend(outputs: Outputs, scores: Sequence[float | None]) -> str:
    """The CONVERGENCE_TREND that an agent told; without it, what the last two scores say."""
    for text in _all(outputs):
        if match := _TREND.search(text):
            return match.group(1).upper()
    if len(scores) < 2 or scores[-1] is None or scores[-2] is None:
        return "UNKNOWN"
    gain = scores[-1] - scores[-2]
    return "IMPROVING" if gain > 0 else "DECLINING" if gain < 0 else "STABLE"


def summary(past: Sequence[Mapping[str, Json]], keys: Sequence[str]) -> dict[str, Json]:
    """The rounds so far as one map: a category is the last five of them, newest first; anything
    else is that of the last round."""
    return {key: _summed(past, key) for key in dict.fromkeys([*keys, *CATEGORIES])}


def _summed(past: Sequence[Mapping[str, Json]], key: str) -> Json:
    told = [each[key] for each in reversed(past) if each.get(key) not in (None, "")]
    if not told:
        return f"No {key} available"
    return " | ".join(str(item) for item in told[:5]) if key in CATEGORIES else told[0]


def _all(outputs: Outputs) -> Iterator[str]:
    for value in outputs.values():
        yield from texts_of(value)


def _joined(rules: Cognition, name: str, order: Sequence[str], outputs: Outputs) -> str:
    asked = [id for id, names in rules.agent_priorities.items() if name in names]
    rest = [id for id in order if id not in rules.agent_priorities]
    found: dict[str, str] = {}
    for pattern in rules.extract_patterns.get(name, ()):
        compiled = re.compile(pattern, re.IGNORECASE | re.DOTALL)
        for id in [*asked, *rest]:
            for text in texts_of(outputs.get(id)):
                for item in _items(compiled, text):
                    found.setdefault(item.casefold(), item)
    line = " | ".join(found.values())
    limit = rules.max_length_per_category
    return line if len(line) <= limit else line[:limit] + "..."


def _items(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    if len(text) < _SHORTEST_TEXT:
        return
    for match in pattern.finditer(text[:_READ]):
        item = " ".join((match.group(min(pattern.groups, 1)) or "").split())
        if _SHORTEST <= len(item) <= _LONGEST:
            yield item
