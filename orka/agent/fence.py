"""A fence: text that stands in a prompt as data. Its marks carry the digest of what is inside, so
that no content can hold its own end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orka.value import digest

# A mark's name; it has no other meaning to any model's template.
_NAME = "untrusted-data"
_DIGITS = 16
_MARK = re.compile(
    rf'<{_NAME} digest="(?P<name>[0-9a-f]{{{_DIGITS}}})">\n'
    rf'|\n</{_NAME} digest="(?P<closes>[0-9a-f]{{{_DIGITS}}})">'
)
# Words with which a chat template (or a text that plays one) hands the turn to somebody else.
_TURNS = re.compile(
    r"<[|\uff5c][^|\uff5c<>\n]{1,40}[|\uff5c]>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS))\]"
    r"|<<?/?SYS>>?"
    r"|</?(?:s|bos|eos|think|tool_call|tool_response)>"
    r"|</?(?:start|end)_of_turn>"
    rf"|</?{_NAME}"
    r"|#{2,6}[ \t]*(?:system|assistant|user|human|instructions?)(?=[ \t]*:)"
    r"|^[ \t]*(?:system|assistant|human)(?=[ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)
# Stands where a token was cut in two: a dot to be seen, and behind it what nobody writes by hand.
_CUT = "\u00b7\u2063"
_CUTS = re.compile(f"{_CUT}({_CUT})?")


def fence(text: str) -> str:
    """`text` between marks that say it is data; tokens of chat templates inside are cut in two by a
    visible dot, which `opened` takes out again."""
    inside = _TURNS.sub(_cut, text.replace(_CUT, _CUT * 2))
    name = _named(inside)
    return f'<{_NAME} digest="{name}">\n{inside}\n</{_NAME} digest="{name}">'


def unfenced(text: str) -> list[str]:
    """The parts of `text` outside genuine fences: those whose marks carry the digest of what they
    hold, every token in it cut."""
    return [part for part, is_fence in divided(text) if not is_fence]


def divided(text: str) -> list[tuple[str, bool]]:
    """The parts of `text` in order, and of each whether it is a genuine fence."""
    parts, at = list[tuple[str, bool]](), 0
    for start, end, _ in _fences(text):
        parts += ((text[at:start], False), (text[start:end], True))
        at = end
    return [part for part in (*parts, (text[at:], False)) if part[0]]


def opened(text: str) -> str:
    """`text` with each genuine fence replaced by what it was made of."""
    parts, at = list[str](), 0
    for start, end, inside in _fences(text):
        parts += (text[at:start], _CUTS.sub(r"\1", inside))
        at = end
    return "".join((*parts, text[at:]))


def _cut(found: re.Match[str]) -> str:
    """The token with the cut behind its first letter, so that it is read as text."""
    word = found.group()
    at = next((at for at, char in enumerate(word) if char.isalnum()), 0) + 1
    return word[:at] + _CUT + word[at:]


def _tame(inside: str) -> bool:
    return all(_CUT in found.group() for found in _TURNS.finditer(inside))


def _fences(text: str) -> Iterator[tuple[int, int, str]]:
    """The genuine fences: where each begins and ends, and what it holds. No mark stands inside one,
    so that only neighbours can belong together."""
    begin: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        if begin and mark["closes"] == begin["name"]:
            inside = text[begin.end() : mark.start()]
            if _named(inside) == begin["name"] and _tame(inside):
                yield begin.start(), mark.end(), inside
        begin = mark if mark["name"] else None


def _named(inside: str) -> str:
    return digest(inside.encode("utf-8", "surrogatepass"))[:_DIGITS]
