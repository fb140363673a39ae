"""A template's text as literal parts and tags, each tag as tokens. Linear in the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from orka.errors import TemplateError

_OPEN = re.compile(r"\{[{%#]")
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>\*\*|//|==|!=|<=|>=|\S)""",
    re.VERBOSE | re.DOTALL,
)
# Behind a dot a number is an index: `a.0.1`.
_DIGITS = re.compile(_TOKEN.pattern.replace(r"(?:\.\d+)?(?:[eE][+-]?\d+)?", ""), _TOKEN.flags)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_NESTED = 60
# The engine descends into each operator and each `elif`: its stack ends somewhere.
_LONGEST = 2000
_BRANCHES = 500
_CLOSED = {"{{": "}}", "{%": "%}"}
_RAW = re.compile(r"\s*raw\s*[-+]?%\}")
_ENDRAW = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")


class Token(NamedTuple):
    """`space`: what stands before it. `line`: of the template, from 1."""

    kind: str
    text: str
    space: str
    line: int


class Tokens:
    """The tokens of a tag; `partner` leads from each opening bracket to its closing one."""

    __slots__ = ("all", "partner")

    def __init__(self, all: list[Token], partner: dict[int, int]) -> None:
        self.all, self.partner = all, partner

    def text(self, at: int) -> str:
        return self.all[at].text if at < len(self.all) else ""

    def source(self, start: int, end: int) -> str:
        """As written, with no more than one space in a row."""
        text = self.all[start].text
        for before, token in pairwise(self.all[start:end]):
            apart = token.space and "." not in (before.text, token.text)
            text += f" {token.text}" if apart else token.text
        return text

    def lines(self, start: int, end: int) -> int:
        inside = "".join(t.space + t.text for t in self.all[start:end])
        return inside.count("\n") - self.all[start].space.count("\n")

    def holds(self, sign: str, open: int) -> bool:
        """True if the brackets that begin at `open` hold `sign`, not in brackets of their own."""
        at, close = open + 1, self.partner[open]
        while at < close:
            if self.all[at].text == sign:
                return True
            at = self.partner.get(at, at) + 1
        return False


class Tag(NamedTuple):
    """`open` and `close` with their whitespace control; `space` stands before `close`."""

    open: str
    tokens: Tokens
    space: str
    close: str
    line: int


def split(text: str, where: str) -> Iterator[str | Tag]:
    """Raises `TemplateError` for a tag that is not closed."""
    at, line, branches = 0, 1, 0
    while found := _OPEN.search(text, at):
        start = found.start()
        if start > at:
            yield text[at:start]
            line += text.count("\n", at, start)
        if found.group() == "{#":
            at = _after(text, "#}", start, line, where)
        elif found.group() == "{%" and (raw := _raw(text, start)):
            closed = _ENDRAW.search(text, raw)
            if not closed:
                raise _unclosed("{% endraw %}", line, where)
            at = closed.end()
        else:
            tag, at = _tag(text, start, line, where)
            branches += tag.tokens.text(0) == "elif"
            if branches > _BRANCHES:
                raise TemplateError(f"a template has more than {_BRANCHES} elif", where=where)
            yield tag
            line += text.count("\n", start, at)
            continue
        yield text[start:at]
        line += text.count("\n", start, at)
    if at < len(text):
        yield text[at:]


def _after(text: str, close: str, start: int, line: int, where: str) -> int:
    end = text.find(close, start + 2)
    if end < 0:
        raise _unclosed(close, line, where)
    return end + len(close)


def _raw(text: str, start: int) -> int:
    at = start + 2
    if text[at : at + 1] in ("-", "+"):
        at += 1
    found = _RAW.match(text, at)
    return found.end() if found else 0


def _tag(text: str, start: int, line: int, where: str) -> tuple[Tag, int]:
    close = _CLOSED[text[start : start + 2]]
    at = start + 3 if text[start + 2 : start + 3] in ("-", "+") else start + 2
    opened = text[start:at]
    tokens, brackets = list[Token](), _Brackets(where)
    space, now = "", line
    while found := (_DIGITS if _dot(tokens) else _TOKEN).match(text, at):
        word, kind = found.group(), found.lastgroup or ""
        if not brackets.open and (ended := _ended(text, at, close)):
            return Tag(opened, Tokens(tokens, brackets.partner), space, ended, line), at + len(
                ended
            )
        at = found.end()
        if kind == "space":
            space = word
        else:
            token = Token(kind, word, space, now)
            brackets.take(token, len(tokens))
            tokens.append(token)
            if len(tokens) > _LONGEST:
                raise _too_long(line, where)
            space = ""
        now += word.count("\n")
    raise _unclosed(close, line, where)


def _dot(tokens: list[Token]) -> bool:
    return bool(tokens) and tokens[-1].text == "."


def _ended(text: str, at: int, close: str) -> str:
    """The end of the tag, if it stands here."""
    if text.startswith(close, at):
        return close
    return text[at] + close if text[at] in "-+" and text.startswith(close, at + 1) else ""


class _Brackets:
    def __init__(self, where: str) -> None:
        self._where = where
        self.partner: dict[int, int] = {}
        self.open: list[tuple[int, Token]] = []

    def take(self, token: Token, at: int) -> None:
        if token.text in _BRACKETS:
            self.open.append((at, token))
            if len(self.open) > _NESTED:
                raise self._error(f"a template nests brackets more than {_NESTED} deep", token)
        elif token.text in (")", "]", "}"):
            begin, opened = self.open.pop() if self.open else (0, token)
            if _BRACKETS.get(opened.text) != token.text:
                raise self._error(f"syntax error: unexpected {token.text!r}", token)
            self.partner[begin] = at

    def _error(self, what: str, token: Token) -> TemplateError:
        return TemplateError(what, where=f"{self._where}, line {token.line} of the template")


def _too_long(line: int, where: str) -> TemplateError:
    return TemplateError(
        f"a tag has more than {_LONGEST} words and signs",
        where=f"{where}, line {line} of the template",
        fix="split it with {% set … %}, or let a tool do it",
    )


def _unclosed(close: str, line: int, where: str) -> TemplateError:
    return TemplateError(
        f"syntax error: unexpected end of template, expected {close!r}",
        where=f"{where}, line {line} of the template",
        fix="close the tag, or write {% raw %}…{% endraw %} around braces that are meant as text",
    )


def literal(text: str) -> str:
    """The text that a string literal means."""
    try:
        return str(ast.literal_eval(text))
    except (SyntaxError, ValueError):
        return text[1:-1]
