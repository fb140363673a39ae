"""A JSON decoder that knows the slips of models, mends those with one meaning, and says so."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable

import msgspec

from orka.agent.sensor.broken import NOTHING, Broken, Cut
from orka.agent.sensor.places import Step
from orka.agent.sensor.reading import Repair
from orka.agent.sensor.strings import QUOTES, string_at
from orka.value import DEEPEST, Json, identical

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_WORD = re.compile(r"-?[^\W\d][\w]*")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_PLAIN_SPACE = re.compile(r"[ \t\n\r]*")
_LITERALS: dict[str, Json] = {"true": True, "false": False, "null": None}
_PYTHON: dict[str, Json] = {"True": True, "False": False, "None": None}
_NOT_FINITE = ("NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "-NaN")
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060"
# Digits of an integer: no more than Python reads at once.
_LONGEST = 1000


class Decoded(msgspec.Struct, frozen=True):
    """A value, the offset after it, and what was mended on the way."""

    value: Json
    end: int
    repairs: tuple[Repair, ...] = ()


def decode(text: str, start: int = 0) -> Decoded:
    """The value that begins at `start`. Raises `Broken`; `Cut` if the text ends inside it."""
    decoder = _Decoder(text, start)
    decoder.space()
    value = decoder.value(0)
    return Decoded(value, decoder.at, tuple(decoder.repairs))


def space_after(text: str, start: int) -> tuple[int, tuple[Repair, ...]]:
    """The offset of what follows blanks and comments, and which of them JSON does not have."""
    decoder = _Decoder(text, start)
    decoder.space()
    return decoder.at, tuple(decoder.repairs)


class _Decoder:
    """One pass over a text."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.path: list[Step] = []
        self.repairs: list[Repair] = []

    def value(self, depth: int) -> Json:
        """The value here."""
        letter = self._letter()
        if letter in "{[":
            if depth >= DEEPEST:
                raise self._broken("too_deep", f"nested more than {DEEPEST} levels deep")
            return (self._object if letter == "{" else self._array)(depth + 1)
        if letter in QUOTES:
            return self._string()
        value = self._number() if letter in "-0123456789" else self._word()
        if depth and self.at == len(self.text):  # 12 may be the beginning of 123
            raise Cut(self.at, self.path)
        return value

    def space(self) -> None:
        """Go over blanks and comments."""
        while True:
            found = _PLAIN_SPACE.match(self.text, self.at)
            start = self.at = found.end() if found else self.at
            while self.at < len(self.text) and _odd(self.text[self.at]):
                self.at += 1
            if self.at > start:
                self._mended("odd_whitespace", start, " ")
            elif comment := _COMMENT.match(self.text, self.at):
                self.at = comment.end()
                self._mended("comment", start, "")
            else:
                return

    def _letter(self) -> str:
        if self.at >= len(self.text):
            raise Cut(self.at, self.path)
        return self.text[self.at]

    def _object(self, depth: int) -> Json:
        result: dict[str, Json] = {}

        def member() -> None:
            key = self._key()
            self.space()
            if self._letter() != ":":
                raise self._unexpected("':' after a key")
            self.at += 1
            self.space()
            with _Step(self, key, lambda value: result.update({key: value})):
                start = self.at
                value = self.value(depth)
                if key in result and not identical(result[key], value):
                    self.at = start
                    raise self._broken("duplicate_key", f"the key {key!r} has two values")
            result[key] = value

        self._members("}", member, result)
        return result

    def _array(self, depth: int) -> Json:
        result: list[Json] = []

        def member() -> None:
            with _Step(self, len(result), result.append):
                value = self.value(depth)
            result.append(value)

        self._members("]", member, result)
        return result

    def _members(self, closing: str, member: Callable[[], None], result: Json) -> None:
        """Members up to `closing`. What was read when the text ends goes with the `Cut`."""
        self.at += 1
        try:
            self.space()
            while self._letter() != closing:
                member()
                self.space()
                if self._letter() == ",":
                    comma = self.at
                    self.at += 1
                    self.space()
                    if self._letter() == closing:
                        self._mended("trailing_comma", comma, closing, self.at + 1)
                elif self._letter() != closing:
                    raise self._unexpected(f"',' or {closing!r}")
        except Cut as cut:
            cut.partial = result
            raise
        self.at += 1

    def _key(self) -> str:
        if self._letter() in QUOTES:
            return self._string()
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise self._unexpected("a key in quotes")
        start, self.at = self.at, name.end()
        self._mended("unquoted_key", start, json.dumps(name.group()))
        return name.group()

    def _string(self) -> str:
        value, self.at, repairs = string_at(self.text, self.at, self.path)
        self.repairs += repairs
        return value

    def _number(self) -> Json:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            return self._word()
        start, text = self.at, found.group()
        if len(text) > _LONGEST:
            raise self._broken("too_large", f"a number of {len(text)} characters")
        value = float(text) if found.group(1) or found.group(2) else int(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise self._broken("non_finite_number", f"{text} is too large for a number")
        self.at = found.end()
        if self.at < len(self.text) and (
            self.text[self.at].isalnum() or self.text[self.at] in "._"
        ):
            self.at = start
            raise self._broken("syntax", f"{self._excerpt()} is not a number as JSON has them")
        return value

    def _word(self) -> Json:
        found = _WORD.match(self.text, self.at)
        word = found.group() if found else ""
        if word in _NOT_FINITE:
            raise self._broken("non_finite_number", f"{word} is not a number that JSON has")
        if word not in _LITERALS and word not in _PYTHON:
            if found and found.end() == len(self.text):
                raise Cut(len(self.text), self.path)
            raise self._unexpected("a value")
        start, self.at = self.at, self.at + len(word)
        if word in _PYTHON:
            self._mended("python_literals", start, json.dumps(_PYTHON[word]))
            return _PYTHON[word]
        return _LITERALS[word]

    def _mended(self, rule: str, start: int, after: str, end: int | None = None) -> None:
        before = self.text[start : self.at if end is None else end]
        if rule == "odd_whitespace" and before == "\ufeff":
            rule = "byte_order_mark"
        self.repairs.append(Repair(rule, before, after, f"offset {start}"))

    def _excerpt(self) -> str:
        return repr(self.text[self.at : self.at + 16])

    def _unexpected(self, wanted: str) -> Broken:
        quoted = self.at and self.text[self.at - 1] in QUOTES and self._excerpt()[1:2].isalnum()
        hint = "; is a quote inside a string not escaped?" if quoted else ""
        return self._broken("syntax", f"expected {wanted}, found {self._excerpt()}{hint}")

    def _broken(self, kind: str, message: str) -> Broken:
        return Broken(kind, message, self.at, self.path)


class _Step:
    """One step down into a container; a part that was cut is kept where it belongs."""

    def __init__(self, decoder: _Decoder, step: Step, keep: Callable[[Json], object]) -> None:
        self._decoder, self._step, self._keep = decoder, step, keep

    def __enter__(self) -> None:
        self._decoder.path.append(self._step)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._decoder.path.pop()
        if isinstance(error, Cut) and error.partial is not NOTHING:
            self._keep(error.partial)


def _odd(letter: str) -> bool:
    """A blank that JSON does not have."""
    return letter in _INVISIBLE or (letter.isspace() and letter not in " \t\n\r")
