"""The JSON values in a text: alone, in fences, or with prose around them, outside reasoning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from orka.agent.sensor.broken import Broken, Cut
from orka.agent.sensor.decoder import Decoded, decode, space_after
from orka.agent.sensor.reading import Repair
from orka.value import Json

_TAGS = (
    r"(?:[a-z]+:)?(?:think|thinking|reasoning|thoughts?|thought_process|reflection|scratchpad"
    r"|inner_monologue)"
)
_MARKS = re.compile(
    rf"(?P<open><(?P<tag>{_TAGS})(?:\s[^<>]*)?>|\[THINK\]|◁think▷"
    r"|<\|(?:START_THINKING|begin_of_thought)\|>"
    r"|<\|channel\|>\s*(?:analysis|commentary)[^<>]*<\|message\|>)"
    rf"|(?P<close></(?:{_TAGS})\s*>|\[/THINK\]|◁/think▷"
    r"|<\|(?:END_THINKING|end_of_thought)\|>|<\|channel\|>\s*final\s*<\|message\|>)"
    r"|(?P<fence>`{3,}|~{3,})|(?P<value>[{\[])",
    re.IGNORECASE,
)
# How a mark without a tag begins -> what ends the reasoning.
_CLOSERS = {
    "[": "[/THINK]",
    "◁": "◁/think▷",
    "<|s": "<|END_THINKING|>",
    "<|b": "<|end_of_thought|>",
    "<|c": "<|end|>",
}
_FENCE_TAG = re.compile(r"[ \t]*(?P<tag>[\w.+#-]{0,40})")
_JSON_TAGS = ("", "json", "json5", "jsonc", "jsonl", "ndjson", "geojson", "tool_call", "text")
# What follows a bracket that begins JSON, well or badly written, and not prose.
_OBJECT = re.compile(r"\{(?!\s*\"[^\"\n]*\"\s*\})\s*(?:[\"“”„‘}]|//|/\*|'[^'\n]*'\s*:)")
_NAMED = re.compile(r"\{\s*[A-Za-z_$][\w$-]*\s*:")
_ARRAY = re.compile(r"\[\s*(?:[\"“\]{\[]|'[^'\n]*'\s*[,\]]|(?:true|false|null)\b)")
_ESCAPED = re.compile(r'\s*[{\[](?:\\[nrt]|\s)*\\"')
# So many values, and so many attempts at one, are read in a text.
_MOST, _MOST_BROKEN, _MOST_BRACKETS = 256, 64, 4096
_LINE = 80
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_GOES_ON = re.compile(r"\s*[,:\]}\"]")


@dataclass(frozen=True)
class Found:
    """A value in the text. One that is `loose` may be prose or code: `[1]`, `{more: 1}`."""

    value: Json
    start: int
    end: int
    repairs: tuple[Repair, ...] = ()
    fenced: bool = False
    loose: bool = False


@dataclass
class Fragments:
    """All values of a text; `broken` is the first that is none, `unclosed` an open reasoning tag,
    `prose` the text without its reasoning."""

    found: list[Found] = field(default_factory=list)
    broken: Broken | None = None
    unclosed: str = ""
    unopened: str = ""
    prose: str = ""


def whole(text: str) -> Decoded | None:
    """The value that is all of `text` but blanks; None if it is more, or something else.

    Raises `Broken` for JSON that says what cannot be.
    """
    if _ESCAPED.match(text):
        return _unescaped(text)
    try:
        decoded = decode(text)
    except Broken as error:
        if error.kind in ("syntax", "truncated"):
            return None
        raise
    end, repairs = space_after(text, decoded.end)
    return Decoded(decoded.value, end, decoded.repairs + repairs) if end == len(text) else None


def _unescaped(text: str) -> Decoded | None:
    """The value of a text that was escaped as if it stood in a string, all of it."""
    try:
        inner = decode(f'"{text.strip()}"')
    except Broken:
        return None
    if inner.repairs or inner.end != len(text.strip()) + 2:
        return None
    alone = whole(inner.value)
    if alone is None or alone.repairs:
        return None
    return Decoded(alone.value, len(text), (Repair("escaped_text", text, inner.value),))


def fragments(text: str) -> Fragments:
    """Every top-level value of `text` in its order."""
    return _Walk(text).walked()


class _Walk:
    """One way through a text, from mark to mark; strings of values are never looked into."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.fence, self.foreign = "", False
        self.result = Fragments()
        self.spoken = self.failures = self.brackets = 0

    def walked(self) -> Fragments:
        while mark := _MARKS.search(self.text, self.at):
            self.at = mark.end()
            if mark["open"]:
                if not self._reasoning(mark):
                    break
            elif mark["close"]:
                self.result, self.fence = Fragments(unopened=mark.group()), ""
                self.spoken = mark.end()
            elif mark["fence"]:
                self._fence(mark)
            else:
                self._value(mark.start())
            if self._enough():
                told = f"the answer holds more than {_MOST} values, or too many broken ones"
                self.result.broken = Broken("too_large", told, self.at, ())
                self.result.found.clear()
                break
        self.result.prose += self.text[self.spoken :]
        return self.result

    def _enough(self) -> bool:
        """Whether the text is no answer any more: it holds too much to tell apart."""
        many = len(self.result.found) > _MOST or self.failures > _MOST_BROKEN
        return many or self.brackets > _MOST_BRACKETS

    def _reasoning(self, mark: re.Match[str]) -> bool:
        """Go over a block of reasoning; False if it does not end."""
        self.result.prose += self.text[self.spoken : mark.start()]
        tag = mark["tag"]
        said = mark.group().casefold()
        ending = next((end for sign, end in _CLOSERS.items() if said.startswith(sign)), "")
        closer = rf"</{re.escape(tag)}\s*>" if tag else re.escape(ending)
        end = re.compile(closer, re.IGNORECASE).search(self.text, self.at)
        if end is None:
            self.result.unclosed, self.spoken = mark.group(), len(self.text)
            return False
        self.at = self.spoken = end.end()
        return True

    def _fence(self, mark: re.Match[str]) -> None:
        sign = mark.group()
        if self.fence:
            if sign.startswith(self.fence):
                self.fence, self.foreign = "", False
            return
        told = _FENCE_TAG.match(self.text, self.at)
        tag = told["tag"].casefold() if told else ""
        self.fence, self.foreign = sign, tag not in _JSON_TAGS and not _literal(tag)
        self.at += len(told["tag"]) if told and not _literal(tag) else 0
        if not self.foreign:
            self._scalar()

    def _scalar(self) -> None:
        """A number, text or literal that is all of a fence."""
        try:
            decoded = decode(self.text, self.at)
        except Broken:
            return
        if not isinstance(decoded.value, (dict, list)):
            end, _ = space_after(self.text, decoded.end)
            if self.text.startswith(self.fence, end):
                start = self.at
                self._keep(decoded, start, loose=False)

    def _value(self, start: int) -> None:
        named = bool(_NAMED.match(self.text, start))
        sure = bool(_OBJECT.match(self.text, start) or _ARRAY.match(self.text, start))
        try:
            decoded = decode(self.text, start)
        except Broken as error:
            self.brackets += 1
            if sure and not self.foreign:
                self.failures += 1
                self.result.broken = self.result.broken or error
                self.at = _after_broken(self.text, start, error)
            return
        alone = sure or _bounded(self.text, start)
        self._keep(decoded, start, loose=named or not alone)

    def _keep(self, decoded: Decoded, start: int, *, loose: bool) -> None:
        self.at = decoded.end
        self.result.found.append(
            Found(
                decoded.value,
                start,
                decoded.end,
                decoded.repairs,
                fenced=bool(self.fence) and not self.foreign,
                loose=self.foreign or (loose and not self.fence),
            )
        )


def _literal(tag: str) -> bool:
    """Whether what stands after a fence is a value and no tag: ```42```."""
    return tag in ("true", "false", "null") or tag.lstrip("-")[:1].isdigit()


def _bounded(text: str, start: int) -> bool:
    """Whether a list of numbers begins a line: `[1]` within prose is a footnote."""
    before = text[max(0, start - _LINE) : start]
    line = before[before.rfind("\n") + 1 :]
    return not line.strip() and ("\n" in before or start <= _LINE)


def _after_broken(text: str, start: int, error: Broken) -> int:
    """Where reading goes on after a broken value: after its last bracket, if that can be told.
    What may be a part of it is never taken for a value of its own."""
    if isinstance(error, Cut):
        return len(text)
    depth = 0
    for piece in _STRING_OR_BRACKET.finditer(text, start):
        if piece.group() in "{[":
            depth += 1
        elif piece.group() in "}]":
            depth -= 1
            if not depth:
                return len(text) if _GOES_ON.match(text, piece.end()) else piece.end()
    return len(text)
