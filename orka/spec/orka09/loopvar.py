"""Words in templates of 0.9 that mean something else today: `{% for loop in … %}`, a name that
templates keep for themselves, so another one stands there; and `.raw()`, which is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orka.value import Json

_NAME = "each_loop"
_PIECE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_FOR = re.compile(r"\{%[-+]?\s*for\b")
_OVER = re.compile(r"\{%[-+]?\s*for\s+loop\s+in\b")
# Keys that hold an expression.
_CONDITIONS = ("when", "condition")
_RAW = re.compile(r"""("[^"]*"|'[^']*')|\.raw\(\s*\)""")
_END = re.compile(r"\{%[-+]?\s*endfor\b")
# The word itself: no field of another value, no keyword of a call, no text in quotes.
_WORD = re.compile(r"""("[^"]*"|'[^']*')|(?<![\w.])loop(?!\w|\s*=[^=])""")


def renamed(value: Json) -> Json:
    """The value with every text in it rewritten."""
    if isinstance(value, str):
        bare = _PIECE.sub(lambda found: _plain(found.group()), value) if "raw" in value else value
        return "".join(_pieces(bare)) if _OVER.search(bare) else bare
    if isinstance(value, dict):
        return {
            key: _plain(item) if key in _CONDITIONS and isinstance(item, str) else renamed(item)
            for key, item in value.items()
        }
    return [renamed(item) for item in value] if isinstance(value, list) else value


def _plain(code: str) -> str:
    """The expression without `.raw()`: every value is plain."""
    return _RAW.sub(lambda found: found.group(1) or "", code)


def _pieces(text: str) -> Iterator[str]:
    """The text, with the variable renamed inside each loop that has it."""
    open_loops: list[bool] = []
    end = 0
    for found in _PIECE.finditer(text):
        piece = found.group()
        yield text[end : found.start()]
        end = found.end()
        if _OVER.match(piece):
            inside = any(open_loops)
            head, word, over = piece.partition("loop")
            yield f"{head}{_NAME}{_said(over) if inside else over}" if word else piece
            open_loops.append(True)
            continue
        if _END.match(piece) and open_loops:
            open_loops.pop()
        yield _said(piece) if any(open_loops) else piece
        if _FOR.match(piece):
            open_loops.append(False)
    yield text[end:]


def _said(piece: str) -> str:
    return _WORD.sub(lambda found: found.group(1) or _NAME, piece)
