"""A check: a sentence that is true of every good plugin, and the code that finds out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from orka.errors import Failure, OrkaError
from orka.run.strand import read
from orka.testing.plugin_suite.subject import Subject, Thing

Outcome = Literal["pass", "fail", "skip"]


class Skipped(Exception):
    """A check that has nothing to look at; says what it would need."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a check. `told` says why it failed or was skipped."""

    kind: str
    name: str
    outcome: Outcome
    told: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """`kind` is the kind of thing it looks at, "plugin" for the plugin as a whole. Calling it
    raises `AssertionError` that says what is wrong, or `Skipped`."""

    kind: str
    name: str
    look: Callable[[Subject, Thing], None]

    def __call__(self, subject: Subject) -> None:
        if self.kind == "plugin":
            self.look(subject, subject.whole)
            return
        things = subject.of(self.kind)
        if not things:
            raise Skipped(f"it brings no {self.kind}")
        skipped: list[str] = []
        for thing in things:
            try:
                self.look(subject, thing)
            except AssertionError as error:
                raise AssertionError(f"{thing.name}: {error}") from None
            except Skipped as error:
                skipped.append(f"{thing.name}: {error}")
        if len(skipped) == len(things):
            raise Skipped(skipped[0])


def checks(kind: str, *looks: Callable[[Subject, Thing], None]) -> tuple[Check, ...]:
    """Checks of one kind; a function's name is the sentence."""
    return tuple(Check(kind, look.__name__.replace("_", " "), look) for look in looks)


def results(subject: Subject, all: Iterable[Check]) -> list[Result]:
    """What comes of each check."""
    return [_result(subject, check) for check in all]


def _result(subject: Subject, check: Check) -> Result:
    try:
        check(subject)
    except AssertionError as error:
        return Result(check.kind, check.name, "fail", str(error))
    except Skipped as error:
        return Result(check.kind, check.name, "skip", str(error))
    except OrkaError as error:
        return Result(check.kind, check.name, "fail", f"[{error.code}] {error.what}")
    return Result(check.kind, check.name, "pass")


def claim(holds: object, otherwise: str) -> None:
    """Raises `AssertionError` that says `otherwise`, unless it holds."""
    if not holds:
        raise AssertionError(otherwise)


def same(found: object, wanted: object, what: str) -> None:
    """Raises `AssertionError` unless both are equal."""
    if found != wanted:
        raise AssertionError(f"{what}: {short(found)}, then {short(wanted)}")


def safely(act: Callable[..., Any], *arguments: object) -> Any:  # Any: what a stranger gives
    """What a stranger's code gives. Raises `AssertionError` with what it raises."""
    found = tried(act, *arguments)
    if isinstance(found, Failure):
        raise AssertionError(f"it raised: {found.message}")
    return found


def tried(act: Callable[..., Any], *arguments: object) -> Any:  # Any: what a stranger gives
    """What a stranger's code gives, or the failure that it raises."""
    try:
        return read(act, *arguments)
    except SystemExit as error:
        return Failure(code="plugin.exited", message=f"SystemExit({error.code!r})")


def short(value: object, limit: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}…"


def listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
