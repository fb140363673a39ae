"""A rule: a pattern over the text as it is seen, what it is a sign of, and how sure a sign."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

STRONG, FIRM, FAIR, WEAK = 0.95, 0.85, 0.75, 0.5

# What the categories are called. `injection` is what only the classifier has found.
CATEGORIES = (
    "instruction_override",
    "prompt_leak",
    "role_spoof",
    "template_token",
    "privilege_escalation",
    "tool_or_command_injection",
    "jailbreak_persona",
    "exfiltration",
    "data_exfil_markup",
    "hidden_text",
    "encoded_payload",
    "custom",
    "injection",
)


class Rule(msgspec.Struct, frozen=True):
    """`pattern` is only tried where a word of each group of `needs` stands: plain words, which are
    found much faster. `whole`: what was found is reported with the sentence it stands in;
    `braces`: with the object it is part of."""

    name: str
    category: str
    score: float
    needs: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]
    whole: bool = True
    braces: bool = False


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A sign of an attack at `[start, end)` of the text that was given."""

    category: str
    start: int
    end: int
    score: float
    rule: str
    decoded: str = ""
    whole: bool = True


def rule(
    name: str,
    category: str,
    score: float,
    needs: str,
    pattern: str,
    *,
    whole: bool = True,
    braces: bool = False,
) -> Rule:
    """`needs`: words with blanks between them, groups with `&` between them."""
    if category not in CATEGORIES:
        raise ValueError(f"no category is called {category!r}")
    groups = tuple(tuple(group.split()) for group in needs.split(" & ") if group.strip())
    compiled = re.compile(pattern, re.MULTILINE)
    return Rule(name, category, score, groups, compiled, whole, braces)


class Rules:
    """Rules, with all of their plain words in one place: a text is asked once for each word."""

    __slots__ = ("_rules", "_words")

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = [(each, [*map(frozenset, each.needs)]) for each in rules]
        groups = (group for each, _ in self._rules for group in each.needs)
        self._words = sorted({word for group in groups for word in group})

    def hits(self, text: str) -> Iterator[tuple[Rule, int, int]]:
        """Where the rules apply in a text that was made plain."""
        said = distinct(text)
        known = {word for word in self._words if word in said}
        for rule, needs in self._rules:
            if not any(map(known.isdisjoint, needs)):
                for match in rule.pattern.finditer(text):
                    yield rule, match.start(), match.end()


def distinct(text: str) -> str:
    """The same without repeats: it holds the same runs of characters without a blank in them."""
    return text if len(text) < _SHORT else " ".join(set(text.split()))


def enclosed(text: str, start: int, end: int) -> tuple[int, int]:
    """The outermost object in braces around `[start, end)`, as far as it lies near."""
    depth, first = 0, start
    for at in range(start - 1, max(-1, start - _NEAR), -1):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth > 0:
            first, depth = at, 0
    depth, last = 0, end
    for at in range(first, min(len(text), end + _NEAR)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            last = max(end, at + 1)
            break
    return first, last


def any_of(words: Iterable[str]) -> str:
    """A group that matches one of the words, each a pattern of its own."""
    return f"(?:{'|'.join(words)})"


def literal(pattern: str) -> tuple[str, ...]:
    """Plain words one of which stands in whatever the pattern (a word with groups) matches."""
    outside = _GROUP.sub(" ", pattern)
    plain = _VAGUE.sub(" ", outside).split()
    longest = max(plain, key=len, default="")
    group = _GROUP.search(pattern)
    if len(longest) > 1 or group is None:
        return (longest,)
    return tuple(word for part in group[1].split("|") for word in literal(part))


_NEAR, _SHORT = 2_000, 1_000
_GROUP = re.compile(r"\((?:\?:)?((?:[^()]|\([^()]*\))*)\)[?*]?")
_VAGUE = re.compile(r"\\[a-zA-Z][*+?]?|\[[^\]]*\][*+?]?|\{[\d,]+\}|.[?*]|[.\-]")
