"""Text on a terminal that nothing in it can disguise."""

from __future__ import annotations

import json
import re

# Letters and marks that are blank all the same.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
# All that may need to be made visible.
_HIDDEN = re.compile(r"[^ -~]")


def visible(text: str, indent: str = "") -> str:
    """Text that nothing in it can disguise: what moves the cursor, turns the line around or cannot
    be seen is written as JSON escapes it. Further lines begin with `indent`."""
    return _HIDDEN.sub(_escaped, text).replace("\n", f"\n{indent}")


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    if char == "\n" or (char.isprintable() and not _BLANK.match(char)):
        return char
    return json.dumps(char)[1:-1] if char != "\x7f" else "\\u007f"
