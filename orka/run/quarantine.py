"""Texts that may be looked at only as data, and whether a prompt holds part of one."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from orka.agent.fence import divided, fence, opened, unfenced
from orka.errors import Failure
from orka.value import Json

# Letters and digits in a row from which on part of a text is known again. A block begins every
# `_STEP`, so that any part of `_BLOCK + _STEP` holds one whole.
_BLOCK, _STEP = 24, 12
# Blocks of a text longer than this do not overlap.
_LONG = 100_000
# Less than this is a word like any other: it cannot be told from the author's own. A letter of a
# script that writes no spaces counts as two.
_SHORTEST = 4
_SPACELESS = "\u2e80"
# What writing a text into JSON, HTML or an address adds to it.
_ESCAPES = re.compile(
    r"\\+u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\+u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\+(?:u(?P<code>[0-9a-fA-F]{4})|[bfnrt])?"
    r"|(?P<bytes>(?:%[0-9a-fA-F]{2})+)"
    r"|(?P<entity>&(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[\da-fA-F]{1,6});)"
)
_MARKS = ("\\", "&", "%")
_NO_LETTER = re.compile(r"[\W_]+")
# Whose messages hold what nobody wrote into a prompt.
_SAID = ("tool", "assistant")
_BETWEEN = r"[\W_]*"


class Quarantine:
    """The texts a run holds back. Empty for most runs, and then nothing is looked at."""

    __slots__ = ("_blocks", "_short", "tainted")

    def __init__(self) -> None:
        self.tainted = False
        self._blocks: set[str] = set()
        self._short: dict[str, re.Pattern[str] | None] = {}

    def add(self, texts: Iterable[str]) -> None:
        """Hold these back too. The run is tainted, whatever they are."""
        self.tainted = True
        for text in texts:
            letters = _letters(text)
            if len(letters) >= _BLOCK:
                self._blocks.update(_parts(letters))
            elif sum(1 if char < _SPACELESS else 2 for char in letters) >= _SHORTEST:
                self._short[letters] = _word(letters)

    def held(self, value: Json) -> int:
        """How many letters and digits of what is held back stand outside a fence, in any text
        inside `value`; 0 if there is none."""
        if not self.tainted:
            return 0
        outside = [part for text in _texts(value) for part in unfenced(text)]
        letters = "".join(map(_letters, outside))
        rows = (letters, letters[::-1])
        long = sum(end - start for row in rows for start, end in self._long(row))
        return long + self._whole(letters, outside)

    def spans(self, letters: str) -> list[tuple[int, int]]:
        """Where what is held back stands in a row of letters, in order."""
        found = list(self._long(letters))
        for short in self._short:
            at = letters.find(short)
            while at >= 0:
                found.append((at, at + len(short)))
                at = letters.find(short, at + len(short))
        return sorted(found)

    def _long(self, letters: str) -> Iterator[tuple[int, int]]:
        """Blocks that touch or overlap are one part."""
        blocks, start, end = self._blocks, 0, 0
        for at in range(len(letters) - _BLOCK + 1) if blocks else ():
            if letters[at : at + _BLOCK] not in blocks:
                continue
            if at > end and end:
                yield start, end
            start, end = (start if at <= end and end else at), at + _BLOCK
        if end:
            yield start, end

    def _whole(self, letters: str, outside: list[str]) -> int:
        """Short texts stand there whole, and as words of their own where words are set apart."""
        found = 0
        for short, word in self._short.items():
            if short not in letters:
                continue
            if word is None or any(word.search(_plain(part)) for part in outside):
                found += len(short)
        return found


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _plain(text: str) -> str:
    """Without escapes, and all that is written in two ways written in one."""
    if any(mark in text for mark in _MARKS):
        text = _ESCAPES.sub(_unescaped, text)
    return unicodedata.normalize("NFKC", text).casefold()


def _unescaped(found: re.Match[str]) -> str:
    if high := found["high"]:
        pair = bytes.fromhex(high + found["low"])
        return pair.decode("utf-16-be")
    if code := found["code"]:
        return chr(int(code, 16))
    if octets := found["bytes"]:
        return bytes.fromhex(octets.replace("%", "")).decode(errors="replace")
    return html.unescape(found["entity"]) if found["entity"] else " "


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", _plain(text))


def _parts(letters: str) -> Iterator[str]:
    """Blocks of a text, the last of them at its very end."""
    step = _STEP if len(letters) <= _LONG else _BLOCK
    for at in range(0, len(letters) - _BLOCK, step):
        yield letters[at : at + _BLOCK]
    yield letters[-_BLOCK:]


def _word(letters: str) -> re.Pattern[str] | None:
    """What finds `letters` as words of their own. None for a script that writes no spaces."""
    if any(char >= _SPACELESS for char in letters):
        return None
    spaced = _BETWEEN.join(map(re.escape, letters))
    return re.compile(rf"(?<![^\W_]){spaced}(?![^\W_])")


def refusal(node: str, count: int) -> Failure:
    """Why a question to a model is not asked."""
    return Failure(
        code="prompt.quarantined",
        message=f"the prompt of {node!r} holds {count} characters of quarantined text outside a "
        "fence: a model would take them for instructions",
        fix="put them into the prompt as data: `{{ … | fence }}`",
        retryable=False,
    )


def held_in(payload: Json, quarantine: Quarantine) -> int:
    """What a question to a model holds outside a fence. A model's own calls of tools are left out:
    they go back to it as it made them."""
    if not quarantine.tainted:
        return 0
    messages = [
        {key: item for key, item in message.items() if key != "tool_calls"}
        for message in payload["messages"]
    ]
    return quarantine.held({**payload, "messages": messages})


def kept_apart(messages: Sequence[Json], quarantine: Quarantine, *, whole: bool) -> list[Json]:
    """The messages with what is held back put into fences: in what a tool or a model said, or in
    the `whole` of them."""
    return [
        {**message, "content": _fenced(message["content"], quarantine)}
        if "content" in message and (whole or message.get("role") in _SAID)
        else message
        for message in messages
    ]


def _fenced(text: Json, quarantine: Quarantine) -> Json:
    if not isinstance(text, str) or not quarantine.held(text):
        return text
    parts = divided(text)
    return "".join(part if is_fence else _put_apart(part, quarantine) for part, is_fence in parts)


def without_fences(value: Json) -> Json:
    """`value` with the content of every fence in place of the fence."""
    if isinstance(value, dict):
        return {key: without_fences(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_fences(item) for item in value]
    return opened(value) if isinstance(value, str) else value


def _put_apart(text: str, quarantine: Quarantine) -> str:
    letters, places = _placed(text)
    parts, at = list[str](), 0
    for start, end in quarantine.spans(letters):
        begin, stop = max(places[start][0], at), places[end - 1][1]
        if begin < stop:
            parts += (text[at:begin], fence(text[begin:stop]))
            at = stop
    return "".join((*parts, text[at:]))


def _placed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The letters and digits of a text, and where in it each stands."""
    letters, places, at = list[str](), list[tuple[int, int]](), 0
    while at < len(text):
        found = _ESCAPES.match(text, at)
        end = found.end() if found and found.end() > at else at + 1
        told = _letters(text[at:end])
        letters.append(told)
        places += [(at, end)] * len(told)
        at = end
    return "".join(letters), places


def screened_texts(screened: Mapping[str, Json] | None) -> list[str] | None:
    """The texts that filters quarantined, as a fact says it. None: no filter did."""
    if screened is None or "quarantined" not in screened:
        return None
    return [text for text in screened["quarantined"] or () if isinstance(text, str)]
