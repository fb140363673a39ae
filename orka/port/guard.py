"""A guard: looks at text that comes in or goes out, and says what is in it that must not pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import msgspec

from orka.errors import PluginError
from orka.value import Json

# What becomes of the text: it may pass, it was changed, parts of it may only be looked at as data,
# or it may not pass at all.
Verdict = Literal["pass", "changed", "quarantine", "block"]


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found at `text[start:end]` (code points, end exclusive) of the text as it was given.

    `kind` names it (`EMAIL`, `role_spoof`), `rule` what found it, `decoded` is what an encoding
    hid, `score` in [0, 1] says how sure the guard is.
    """

    kind: str
    start: int
    end: int
    score: float = 1.0
    rule: str = ""
    decoded: str = ""


class Screened(msgspec.Struct, frozen=True, kw_only=True):
    """What a guard says of a text. `text` is what may go on: the same text, unless the verdict is
    "changed". `findings` stand in order and do not overlap. `score` is of the text as a whole.
    `told` says why it may not pass."""

    text: str
    verdict: Verdict = "pass"
    findings: tuple[Finding, ...] = ()
    score: float = 0.0
    told: str = ""


class Guard(Protocol):
    """Pure: the same text gives the same answer. `reach` is how many characters before the end of
    a stream may still become part of a finding, so that they are held back until more has come."""

    @property
    def reach(self) -> int: ...

    def screen(self, text: str, /) -> Screened:
        """Look at a text. Raises `ScreenError` if it cannot be screened (a pattern of the user's
        that takes too long): it then does not pass."""


class NoGuardOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A guard without options."""


class GuardType(msgspec.Struct, frozen=True, kw_only=True):
    """What a plugin registers: `make` builds a guard from options of the type `config`. One that
    never `changes` a text has nothing that could be kept and given back."""

    name: str
    make: Callable[[Any], Guard]  # Any: the guard's own config type
    config: type[msgspec.Struct] = NoGuardOptions
    version: str = ""
    doc: str = ""
    changes: bool = True


def guard(
    name: str,
    *,
    config: type[msgspec.Struct] = NoGuardOptions,
    version: str = "",
    changes: bool = True,
) -> Callable[[Callable[[Any], Guard]], GuardType]:  # Any: the guard's own config type
    """Make a guard type of a function (or class) that takes the options and gives a guard.

    Raises `PluginError` for what cannot be called.
    """

    def register(make: Callable[[Any], Guard]) -> GuardType:
        if not callable(make):
            raise PluginError(f"guard {name!r} is not a function", code="plugin.signature")
        doc = (getattr(make, "__doc__", "") or "").strip()
        return GuardType(
            name=name, make=make, config=config, version=version, doc=doc, changes=changes
        )

    return register


def masked(text: str, findings: Sequence[Finding], label: Callable[[Finding], str]) -> str:
    """`text` with each finding replaced by its label."""
    pieces: list[str] = []
    at = 0
    for found in findings:
        pieces += (text[at : found.start], label(found))
        at = found.end
    return "".join((*pieces, text[at:]))


def redacted(found: Finding) -> str:
    """The placeholder of a finding that nobody may undo: `[EMAIL_REDACTED]`."""
    return f"[{found.kind}_REDACTED]"


def counted(findings: Sequence[Finding]) -> dict[str, Json]:
    """How many findings there are of each kind, kinds in order."""
    counts: dict[str, Json] = {}
    for kind in sorted(found.kind for found in findings):
        counts[kind] = counts.get(kind, 0) + 1
    return counts
