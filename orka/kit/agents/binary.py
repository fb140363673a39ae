"""`binary`: true if a text says yes and does not deny it. No model is asked."""

from __future__ import annotations

import re

import msgspec

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.view import text_of
from orka.value import Json

_SAYS = frozenset(("yes", "true", "correct"))
_DENIES = frozenset(
    ("no", "not", "never", "neither", "nor", "cannot", "hardly", "false", "incorrect", "without")
)
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[.!?;:,\n]")
# A denial reaches over so many words, within its clause.
_REACH = 3


class BinaryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`prompt` is the text that is read; without it the run's input."""

    prompt: str = "{{ input }}"


@agent("binary", config=BinaryOptions, templates=("prompt",), version="1")
async def binary(ctx: Context) -> Json:
    """Give true for a text with `yes`, `true` or `correct` in it that is not denied."""
    return says_yes(text_of(ctx.render("prompt")))


def says_yes(text: str) -> bool:
    """Whether one of the words that say yes stands in a text, and none of them is denied."""
    near: list[str] = []
    found = False
    for word in _WORDS.findall(text.casefold()):
        if not word[0].isalpha():
            near = []
        elif word in _SAYS:
            if any(_denies(before) for before in near):
                return False
            found = True
        else:
            near = [*near, word][-_REACH:]
    return found


def _denies(word: str) -> bool:
    return word in _DENIES or word.endswith(("n't", "n’t"))
