"""Making text: token by token, in whole characters, until the model or the caller ends it."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orka.kit.models.local.llama import Check, Llama
from orka.kit.models.local.sampler import Sampler


@dataclass(frozen=True)
class Written:
    """`finish` is "stop" or "length"; `tokens` counts the end mark too."""

    text: str
    finish: str
    tokens: int


class Outlet:
    """Passes text on as it comes, but holds back what may be the start of a stop word."""

    def __init__(self, stops: Sequence[str], emit: Callable[[str], None]) -> None:
        self._stops, self._emit = [stop for stop in stops if stop], emit
        self._hold = max((len(stop) - 1 for stop in self._stops), default=0)
        self.text = ""
        self._sent = 0
        self.closed = False

    def write(self, piece: str) -> None:
        """Take a piece; a stop word ends the text before it."""
        start = max(0, len(self.text) - self._hold)
        self.text += piece
        found = [at for stop in self._stops if (at := self.text.find(stop, start)) >= 0]
        if found:
            self.text, self.closed = self.text[: min(found)], True
        self._send(len(self.text) - (0 if self.closed else self._hold))

    def end(self) -> str:
        """Everything is out; gives the whole text."""
        self._send(len(self.text))
        return self.text

    def _send(self, until: int) -> None:
        if until > self._sent:
            self._emit(self.text[self._sent : until])
            self._sent = until


def write(llama: Llama, sampler: Sampler, outlet: Outlet, *, limit: int, check: Check) -> Written:
    """Continue from what `llama` has evaluated, for at most `limit` tokens."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    finish, made = "length", 0
    while made < limit:
        check()
        token = sampler.next()
        made += 1
        if llama.ends(token):
            finish = "stop"
            break
        outlet.write(decoder.decode(llama.piece(token)))
        if outlet.closed:
            finish = "stop"
            break
        if made < limit:
            llama.feed([token], check)
    if not outlet.closed:
        outlet.write(decoder.decode(b"", final=True))
    return Written(outlet.end(), finish, made)
