"""Reads a map of the document key by key, and gathers what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

from orka.errors import nearest
from orka.spec.problems import Problem, Problems
from orka.spec.text import Mark
from orka.spec.yaml import Document, Path
from orka.value import Json

T = TypeVar("T")


class Form:
    """The map at `path`. A key with a wrong value is added to `problems` and reads as if absent, so
    that reading can go on; nothing read may be used before `settle(problems)`."""

    def __init__(self, document: Document, value: dict[str, Json], path: Path, owner: str) -> None:
        self.document, self.value, self.path, self.owner = document, value, path, owner
        self.problems = Problems(document.source)
        self.agent = ""

    def within(self, keys: Path, value: dict[str, Json], owner: str) -> Form:
        """A form for the map at `keys` below this one; its problems are told together."""
        form = Form(self.document, value, (*self.path, *keys), owner)
        form.agent, form.problems = self.agent, self.problems
        return form

    def where(self, *keys: str | int) -> str:
        place = self.document.where((*self.path, *keys))
        return f"{place} (agent {self.agent!r})" if self.agent else place

    def problem(self, code: str, what: str, fix: str, *keys: str | int) -> None:
        mark = self.document.mark((*self.path, *keys)) or Mark(line=0, column=0)
        self.problems.add(Problem(code, what, fix, mark, self.where(*keys)))

    def only(self, known: Iterable[str], own: str = "") -> None:
        """Refuses every key that is not `known`; those that begin with `own` are the author's."""
        known = tuple(known)
        for key in self.value:
            if key not in known and not (own and key.startswith(own)):
                what = f"{key[:80]!r} is not a key of {self.owner}"
                self.problem("config.unknown_key", what, nearest(key[:80], known), key)

    def require(self, key: str, fix: str) -> None:
        if key not in self.value:
            self.problem("config.missing_key", f"{self.owner} has no {key!r}", fix)

    def take(self, key: str, expected: str, accept: Callable[[Json], T | None]) -> T | None:
        """The value of `key` as `accept` gives it back; None if the key is absent or refused."""
        if key not in self.value:
            return None
        value = self.value[key]
        taken = accept(value)
        if taken is None:
            self.wrong(value, expected, key)
        return taken

    def wrong(self, value: Json, expected: str, *keys: str | int) -> None:
        name = next((key for key in reversed(keys) if isinstance(key, str)), "the value")
        fix = f"write {expected}"
        if value is None:
            fix = "give it a value or remove the key"
        elif expected.startswith("text") and isinstance(value, (bool, int, float)):
            fix = f'write it in quotes: "{show(value)}"'
        what = f"{name!r} must be {expected}, found {describe(value)}"
        self.problem("config.type", what, fix, *keys)


def describe(value: Json) -> str:
    """What was found instead, for people."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f"the text {value[:40]!r}" if value else "empty text"
    return f"the number {show(value)}" if not isinstance(value, bool) else show(value)


def show(value: float) -> str:
    return str(value).lower()[:40]


def text(value: Json) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def count(value: Json) -> int | None:
    """A whole number, 0 or more; a boolean is not one."""
    return value if type(value) is int and value >= 0 else None


def positive(value: Json) -> int | None:
    """A whole number, 1 or more; a boolean is not one."""
    return value if type(value) is int and value > 0 else None


def above(limit: float) -> Callable[[Json], float | None]:
    """Accepts finite numbers above `limit`."""
    return lambda value: taken if (taken := number(value)) is not None and taken > limit else None


def at_least(limit: float) -> Callable[[Json], float | None]:
    """Accepts finite numbers that are `limit` or more."""
    return lambda value: taken if (taken := number(value)) is not None and taken >= limit else None


def number(value: Json) -> float | None:
    """A finite number; a boolean is not one."""
    if type(value) not in (int, float) or abs(value) > 1e300 or not math.isfinite(value):
        return None
    return float(value)


def mapping(value: Json) -> dict[str, Json] | None:
    return value if isinstance(value, dict) else None


def listing(value: Json) -> list[Json] | None:
    return value if isinstance(value, list) else None
