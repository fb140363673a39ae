"""A number in a text as a score between 0 and 1, with its scale; or why it is none."""

from __future__ import annotations

import math
import re
import unicodedata

import msgspec

# Places of a score, when it is made.
PLACES = 6
# Characters after a number in which its scale is looked for.
_AHEAD = 60

_NUMBER = re.compile(r"(?:[0-9][0-9.,]*|[.,][0-9][0-9.,]*)(?:[eE][+-]?[0-9]+)?")
_PLAIN = re.compile(r"[0-9]*[.,]?[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[.,]?")
_GROUPED = re.compile(r"0*[1-9][0-9]*,[0-9]{3}")
# What follows a number and gives its scale, on the same line.
_PERCENT = re.compile(r"[ \t]*(?:%|per ?cent\b)", re.IGNORECASE)
_OVER = re.compile(r"[ \t*_`\"']*\(?[ \t]*(?:/|out[ \t]+of\b)[ \t*_`\"']*", re.IGNORECASE)
# What follows a number and makes it something else than the score it looks like.
_RANGE = re.compile(r"[ \t]*(?:[-–—~:/]|\b(?:to|or|bis|à)\b)[ \t]*[.,]?[0-9]", re.IGNORECASE)
_OTHER_SCALE = re.compile(r"[ \t*_`\"']*(?:[(\[]|(?:[^\W\d]+[ \t]+){0,2})[^()\[\]\n\d]*[0-9]")
# A character right before a number that makes it no plain amount.
_SIGNS = "$€£#<>≤≥"
_LOOKALIKES = str.maketrans({"⁄": "/", "∕": "/", "−": "-", "﹣": "-", "٫": ".", "٪": "%", "‐": "-"})


class Found(msgspec.Struct, frozen=True):
    """A score that was looked for: its value; or the `problem` with what stands there; or, without
    both, nothing. `text` is what was read, `count` how many different ones were there,
    `end` where in the text the reading ended."""

    value: float | None = None
    text: str = ""
    problem: str = ""
    count: int = 1
    end: int = 0

    @property
    def there(self) -> bool:
        """True if something was found that is, or looks like, a score."""
        return self.value is not None or bool(self.problem)


NOTHING = Found()


def ascii_form(text: str) -> str:
    """The same text, of the same length, with digits and signs of other scripts as ASCII ones."""
    if text.isascii():
        return text
    return "".join(_ascii(char) for char in text).translate(_LOOKALIKES)


def _ascii(char: str) -> str:
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)


def number_at(text: str, start: int, end: int | None = None) -> Found:
    """The first number between `start` and `end` of an `ascii_form`, read whole: with digits that
    stand before it, and the scale that follows it, even beyond `end`."""
    start -= _cut_off(text, start)
    found = _NUMBER.search(text, start, len(text) if end is None else _whole(text, end))
    if found is None:
        return NOTHING
    read = _measured(text, found)
    return msgspec.structs.replace(read, end=found.start() + len(read.text))


def score_of_number(value: float) -> Found:
    """A bare number: a score if it lies between 0 and 1, unreadable if not."""
    told = repr(value)
    if not math.isfinite(value) or not 0 <= value <= 1:
        return Found(text=told, problem=f"{told} is no number between 0 and 1")
    return Found(round(float(value), PLACES), told)


def _cut_off(text: str, start: int) -> int:
    """How much of a number stands before the digit at `start`."""
    digits = "0123456789"
    if text[start : start + 1] not in tuple(digits):
        return 0
    at = start
    while at and (
        text[at - 1] in digits or (text[at - 1] in ".," and text[at - 2 : at - 1].isdigit())
    ):
        at -= 1
    return start - at + (text[at - 1 : at] == ".")


def _whole(text: str, end: int) -> int:
    """The end of the number that `end` cuts, if it cuts one."""
    while (
        end < len(text) and text[end] in "0123456789.,eE+-" and text[end - 1] in "0123456789.,eE+-"
    ):
        end += 1
    return end


def _measured(text: str, found: re.Match[str]) -> Found:
    end = found.end() - (len(found.group()) - len(found.group().rstrip(".,")))
    token = text[found.start() : end]
    rest = text[end : end + _AHEAD].partition("\n")[0]
    over, percent = _OVER.match(rest), _PERCENT.match(rest)
    scale = _NUMBER.match(rest, over.end()) if over else None
    told = token + (rest[: scale.end()] if scale else percent.group() if percent else "")
    told = told.rstrip(".,")
    number = _amount(token)
    if number is None:
        return Found(text=told, problem=f"{told!r} is no plain number")
    if problem := _before(text, found.start()):
        return Found(text=told, problem=f"{told!r} {problem}")
    if scale is not None:
        return _fraction(number, scale, rest, told)
    if percent is not None or text[max(0, found.start() - 1)] == "%":
        return _bounded(number / 100, told)
    if _RANGE.match(rest) or (rest[:1].isalnum() and rest[:1] not in "eE"):
        return Found(text=told, problem=f"{told!r} is part of something else")
    if float(number).is_integer() and token.strip("0123456789") == "" and _OTHER_SCALE.match(rest):
        return Found(text=told, problem=f"{told!r} has a scale that cannot be read")
    return _bounded(number, told)


def _amount(token: str) -> float | None:
    """A number as it is written: one decimal point or comma; `1,000` could be either."""
    if not _PLAIN.fullmatch(token) or _GROUPED.fullmatch(token):
        return None
    number = float(token.replace(",", "."))
    return number if math.isfinite(number) else None


def _before(text: str, start: int) -> str:
    """What is wrong with a number because of what stands right before it."""
    last, before = text[start - 1 : start], text[start - 2 : start - 1]
    if last == "-" and (start < 2 or not before.isalpha()):
        return "is part of a range" if before.isdigit() else "is negative"
    if last == "/" and before.isdigit():
        return "is part of a fraction"
    if last.isalnum() or last in _SIGNS:
        return "is part of something else" if last else ""
    return ""


def _fraction(number: float, scale: re.Match[str], rest: str, told: str) -> Found:
    whole = _amount(scale.group().rstrip(".,"))
    after = rest[scale.end() : scale.end() + 1]
    if not whole or after in ("/", "%") or after.isalpha():
        return Found(text=told, problem=f"{told!r} has no scale that can be read")
    return _bounded(number / whole, told)


def _bounded(number: float, told: str) -> Found:
    if not 0 <= number <= 1:
        return Found(text=told, problem=f"{told!r} is no number between 0 and 1")
    return Found(round(number, PLACES), told)
