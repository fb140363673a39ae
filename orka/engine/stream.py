"""Text that streams is looked at before anybody sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from orka.engine.look import Look, blocked, labelled, labels_of
from orka.engine.window import LENGTHS, Said, cut, moved, part_of, reach_of, said_of
from orka.errors import ScreenError
from orka.graph.guards import Filter
from orka.port.placeholders import Placeholders

# New characters that are worth another look, if the guard's reach does not say more.
_STEP = 32
# So many times the reach without a space in it are held back, and no more.
_PATIENCE = 4


class StreamScreen:
    """Give it the pieces of a text as they come; it gives what may be seen of them, in all the same
    text as if it had been looked at as a whole. What may still become part of a finding is held
    back until more has come or `close` is called.

    Raises `ScreenError` for a text that may not pass, and from then on gives nothing more.
    """

    def __init__(self, filters: Sequence[Filter], placeholders: Placeholders | None = None) -> None:
        quiet = Look(filters, None).quiet
        self._stages = [_Stage(each, placeholders, quiet) for each in filters]
        self.blocked: ScreenError | None = None

    def feed(self, piece: str) -> str:
        """What can be seen after one more piece."""
        return self._through(piece, last=False)

    def close(self) -> str:
        """The rest."""
        return self._through("", last=True)

    def _through(self, text: str, *, last: bool) -> str:
        if self.blocked is not None:
            return ""
        try:
            for stage in self._stages:
                text = stage.feed(text, last=last)
        except ScreenError as error:
            self.blocked = error
            raise
        return text


class _Stage:
    """One guard. `_held` begins with what was given already and is only there to be seen."""

    def __init__(
        self, by: Filter, placeholders: Placeholders | None, quiet: Callable[[str], str]
    ) -> None:
        self._by, self._placeholders, self._quiet = by, placeholders, quiet
        self._reach = reach_of(by)
        self._held, self._given, self._seen = "", 0, 0

    def feed(self, text: str, *, last: bool) -> str:
        self._held += text
        new = len(self._held) - self._given
        if not last and (new <= self._reach or len(self._held) - self._seen < self._step):
            return ""
        self._seen = len(self._held)
        end = len(self._held) if last else self._end()
        if end <= self._given:
            return ""
        return self._give(end, last=last)

    @property
    def _step(self) -> int:
        return max(_STEP, self._reach // 2)

    @property
    def _long(self) -> bool:
        """True if more is held back than should be."""
        return len(self._held) - self._given > _PATIENCE * max(self._reach, _STEP)

    def _end(self) -> int:
        """Up to where the text may go on, as far as spaces tell."""
        most = len(self._held) - self._reach
        spaced = cut(self._held, self._given, most, most - self._given)
        if spaced < most or self._held[most - 1].isspace():
            return spaced
        return most if self._long else self._given

    def _give(self, end: int, *, last: bool) -> str:
        """What is there up to `end`, or up to a finding there that may still grow."""
        said, stop = part_of(self._by, self._held, self._given, end, self._reach)
        if said.verdict == "block":
            raise blocked(self._by, said, self._quiet)
        if stop > end and not last and not self._whole(stop):
            growing = next(n for n, each in enumerate(said.findings) if each.end > end)
            stop = said.findings[growing].start
            labels = None if said.labels is None else said.labels[:growing]
            said = structs.replace(said, findings=said.findings[:growing], labels=labels)
        given = self._rendered(said, stop, last=last) if stop > self._given else None
        if given is None:
            return ""
        keep = max(0, stop - self._reach)
        self._held, self._given = self._held[keep:], stop - keep
        self._seen -= keep
        return given

    def _whole(self, stop: int) -> bool:
        """True if nothing that comes can make a finding longer that ends there."""
        long = len(self._held) - self._given > LENGTHS * self._reach
        return long or stop + self._reach <= len(self._held)

    def _rendered(self, said: Said, stop: int, *, last: bool) -> str | None:
        """What is there up to `stop`. None if the guard writes texts of its own, and has to see all
        of it first."""
        if said.verdict != "changed":
            return self._held[self._given : stop]
        labels = labels_of(self._by, said, self._held, self._placeholders)
        if labels is None:
            text = self._held[self._given :]
            return said_of(self._by, text).text if last else None
        found = [moved(each, -self._given) for each in said.findings]
        return labelled(self._held[self._given : stop], found, labels)


Sink = Callable[[str, str, str], None]


class Streams:
    """Where models stream to: whoever watches, through the screen of the effect, if it has one."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._open: dict[tuple[str, str], StreamScreen] = {}

    def piece(self, run: str, effect: str, piece: str) -> None:
        """Raises `ScreenError` for a text that may not pass."""
        screen = self._open.get((run, effect))
        seen = piece if screen is None else screen.feed(piece)
        if seen or screen is None:
            self._sink(run, effect, seen)

    def open(self, run: str, effect: str, screen: StreamScreen) -> None:
        self._open[run, effect] = screen

    def drop(self, run: str, effect: str) -> None:
        """Nobody will see the rest."""
        self._open.pop((run, effect), None)

    def close(self, run: str, effect: str) -> None:
        """Raises `ScreenError` if the text was not let pass."""
        screen = self._open.pop((run, effect))
        if screen.blocked is not None:
            raise screen.blocked
        if rest := screen.close():
            self._sink(run, effect, rest)
