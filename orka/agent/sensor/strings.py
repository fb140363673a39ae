"""A string of a JSON text, with what models do to it: other quotes, raw line ends, wrong
escapes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from orka.agent.sensor.broken import Broken, Cut
from orka.agent.sensor.places import Step
from orka.agent.sensor.reading import Repair

# Opening quote -> what closes it, and the rule that allows it.
QUOTES = {
    '"': ('"', ""),
    "'": ("'", "single_quotes"),
    **dict.fromkeys("“”„‟", ('“”„‟"', "curly_quotes")),
    **dict.fromkeys("‘’‚‛", ("‘’‚‛", "curly_quotes")),
}
_STOPS = {closing: re.compile(f"[{closing}\\\\]") for closing, _ in QUOTES.values()}
_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_CONTROL = re.compile("[\x00-\x1f]")
_LETTER = re.compile("[a-z]")
_WORD = re.compile("[A-Za-z]")
# A backslash and what follows it, as pieces of a string.
_PIECES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


def string_at(text: str, start: int, path: Sequence[Step]) -> tuple[str, int, list[Repair]]:
    """The string whose opening quote is at `start`, where it ends, and what was mended in it.

    Raises `Broken`, and `Cut` if the text ends inside it.
    """
    closing, quotes = QUOTES[text[start]]
    end = _end(text, start + 1, closing, path)
    raw = text[start + 1 : end]
    rules = [quotes] if quotes else []
    if _CONTROL.search(raw):
        rules.append("control_char")
    value, escapes = _unescaped(raw, start + 1, text[start], path)
    rules += ["invalid_escape"] if escapes else []
    if not value.isascii():
        _encodable(value, start, path)
    before, after = text[start : end + 1], json.dumps(value, ensure_ascii=False)
    return value, end + 1, [Repair(rule, before, after, f"offset {start}") for rule in rules]


def _end(text: str, at: int, closing: str, path: Sequence[Step]) -> int:
    while stop := _STOPS[closing].search(text, at):
        if stop.group() != "\\":
            return stop.start()
        at = stop.end() + 1
    raise Cut(len(text), path)


def _unescaped(raw: str, offset: int, quote: str, path: Sequence[Step]) -> tuple[str, bool]:
    """The string with its escapes read; a backslash that begins none is kept as it is written."""
    if "\\" not in raw:
        return raw, False
    pieces = list(_PIECES.finditer(raw))
    wrong = [piece for piece in pieces if not _escapes(piece.group(), quote)]
    if wrong:
        _unambiguous(raw, pieces, offset, path)
    parts: list[str] = []
    at = 0
    for piece in pieces:
        parts.append(raw[at : piece.start()])
        parts.append(_meant(piece, raw, kept=bool(wrong)))
        at = piece.end()
    joined = "".join([*parts, raw[at:]])
    return _paired(joined), bool(wrong)


def _escapes(piece: str, quote: str) -> bool:
    return piece[1] in _ESCAPES or len(piece) == 6 or (piece[1] == "'" and quote == "'")


def _meant(piece: re.Match[str], raw: str, *, kept: bool) -> str:
    """What an escape stands for. Beside wrong escapes a form feed or backspace before a letter is
    a backslash and a letter (`\\frac`)."""
    text = piece.group()
    if len(text) == 6:
        return chr(int(text[2:], 16))
    if text[1] == "'":
        return "'"
    if text[1] not in _ESCAPES:
        return text
    if kept and text[1] in "bf" and _WORD.match(raw, piece.end()):
        return text
    return _ESCAPES[text[1]]


def _unambiguous(
    raw: str, pieces: Sequence[re.Match[str]], offset: int, path: Sequence[Step]
) -> None:
    """Beside wrong escapes, `\\nu` may be a line end or a Greek letter: nobody can know."""
    for piece in pieces:
        if piece.group()[1] in "nrt" and _LETTER.match(raw, piece.end()):
            word = raw[piece.start() : piece.end() + 8]
            what = f"wrong escapes stand beside {word!r}, which may be an escape or a word"
            raise Broken("syntax", what, offset + piece.start(), path)


def _paired(text: str) -> str:
    """Two surrogates that were escaped one by one become the character they stand for."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _encodable(value: str, offset: int, path: Sequence[Step]) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Broken("syntax", "half of a surrogate pair stands alone", offset, path) from None
