"""What is written down while a file is rewritten: notes, problems, and where things stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from orka.spec.note import Note
from orka.spec.problems import Problem, Problems
from orka.spec.text import Mark
from orka.spec.yaml import Document, Path
from orka.value import Json

# How alike two words are when one is taken for a misspelling of the other: of the same length but
# for a letter, and of any.
_ALIKE, _VERY_ALIKE = 0.8, 0.9


@dataclass
class Book:
    """One file's notes and problems. The document's marks grow by what is moved elsewhere."""

    document: Document
    problems: Problems
    notes: list[tuple[int, int, Note]] = field(default_factory=list)
    # Where agents stand that nobody wrote.
    added: set[Path] = field(default_factory=set)

    def told(self) -> tuple[Note, ...]:
        """The notes in the order of the file, each once."""
        found = sorted(self.notes, key=lambda each: each[:2])
        return tuple(dict.fromkeys(note for _, _, note in found))

    def at(self, path: Path, agent: str = "") -> Place:
        return Place(self, path, agent)


@dataclass(frozen=True)
class Place:
    """A map of the file, and the agent it belongs to."""

    book: Book
    path: Path
    agent: str = ""

    def within(self, *keys: str | int, agent: str = "") -> Place:
        return Place(self.book, (*self.path, *keys), agent or self.agent)

    def where(self, *keys: str | int) -> str:
        place = self.book.document.where((*self.path, *keys))
        return f"{place} (agent {self.agent!r})" if self.agent else place

    def note(self, does: str, did: str, *keys: str | int) -> None:
        """The old runtime did something else here."""
        self._told(Note(self.where(*keys), does, did), keys)

    def warn(self, does: str, did: str, *keys: str | int) -> None:
        """Something here is written in vain."""
        self._told(Note(self.where(*keys), does, did, warning=True), keys)

    def _told(self, note: Note, keys: Path) -> None:
        mark = self.book.document.mark((*self.path, *keys)) or Mark(line=0, column=0)
        self.book.notes.append((mark.line, mark.column, note))

    def problem(self, code: str, what: str, fix: str, *keys: str | int) -> None:
        mark = self.book.document.mark((*self.path, *keys)) or Mark(line=0, column=0)
        self.book.problems.add(Problem(code, what, fix, mark, self.where(*keys)))

    def moved(self, new: str, *old: str | int) -> None:
        """The key `new` stands for what is written at `old`."""
        if (mark := self.book.document.mark((*self.path, *old))) is not None:
            self.book.document.marks[*self.path, new] = mark

    def copied(self, source: Path, target: Path) -> None:
        """What is written at `source` stands at `target` as well."""
        size = len(source)
        self.book.document.marks.update(
            {
                (*target, *p[size:]): m
                for p, m in self.book.document.marks.items()
                if p[:size] == source
            }
        )

    def leftover(
        self, keys: Iterable[tuple[str, Path]], known: Iterable[str], ignored: Iterable[str]
    ) -> None:
        """Keys that nobody took: known to be idle, misspelt, or unknown. Each with its place."""
        known, idle = tuple(known), tuple(ignored)
        for key, path in keys:
            close = _meant(key, known)
            if key in idle or not close:
                did = "OrKa 0.9 did nothing with it" if key in idle else "OrKa 0.9 let any key pass"
                self.warn(f"{key!r} has no effect", did, *path)
            else:
                what = f"{key!r} is not a key of {self._owner}"
                fix = f"did you mean {close[0]!r}?"
                self.problem("config.unknown_key", what, fix, *path)

    @property
    def _owner(self) -> str:
        return f"agent {self.agent!r}" if self.agent else "orchestrator"


def _meant(key: str, known: Iterable[str]) -> list[str]:
    """The word that `key` is misspelt from, if it is one."""
    like = [word for word in known if abs(len(word) - len(key)) <= 1]
    close = get_close_matches(key, like, n=1, cutoff=_ALIKE)
    return close or get_close_matches(key, list(known), n=1, cutoff=_VERY_ALIKE)


class Keys:
    """The keys of one agent that are still to be read, and where each is written. Those under
    `params` lie below the agent's own."""

    def __init__(self, values: dict[str, Json], under: Json, place: Place) -> None:
        self.place = place
        self._left: dict[str, tuple[Json, Path]] = {
            key: (value, (key,)) for key, value in values.items()
        }
        if isinstance(under, dict):
            for key, value in under.items():
                self._left.setdefault(key, (value, ("params", key)))

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def take(self, *names: str) -> Json:
        """The value of the first of `names` that is there, all of them taken; None without one."""
        found = [self._left.pop(name)[0] for name in names if name in self._left]
        return found[0] if found else None

    def where(self, *names: str) -> Path:
        """Where the first of `names` that is there stands."""
        return next((self._left[name][1] for name in names if name in self._left), ())

    def peek(self, name: str) -> Json:
        return self._left[name][0] if name in self._left else None

    def rest(self, *names: str) -> dict[str, Json]:
        """Those of `names` that are there, taken as they are; their places go along."""
        found = {}
        for name in names:
            if name in self._left:
                found[name], path = self._left.pop(name)
                if len(path) > 1:
                    self.place.moved(name, *path)
        return found

    def left(self) -> list[tuple[str, Path]]:
        return [(key, path) for key, (_, path) in self._left.items()]
