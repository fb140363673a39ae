"""The ledger: one decision as it is recorded, with all that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from orka.errors import ConfigError, LedgerError
from orka.score.factor import Abstained, Known, Reading, bounds, reading
from orka.score.setting import Factor, Setting
from orka.value import Json

VERSION = 1
Kind = Literal["commit_next", "commit_path", "shortlist", "human_gate", "fallback"]
Status = Literal["decided", "too_close", "no_candidates", "all_excluded", "unknown", "stopped"]


class Candidate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A path and what was measured of it. `excluded` says why it could not be chosen, whatever its
    score; empty if it could."""

    id: str
    path: tuple[str, ...]
    factors: Mapping[str, Reading]
    excluded: str = ""


class Pruned(msgspec.Struct, frozen=True, omit_defaults=True):
    """Paths that were not proposed: the `reason` to look for, words, how many, and some of them."""

    reason: str
    message: str
    count: int = 1
    paths: tuple[tuple[str, ...], ...] = ()


class Noise(msgspec.Struct, frozen=True, omit_defaults=True):
    """Test-retest noise of a factor: the standard deviation of its value over `asked` askings of
    each candidate (None: it was asked once, so nobody knows)."""

    factor: str
    deviation: float | None
    asked: int = 1


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a candidate came out: its score (None: it was out, and why)."""

    id: str
    score: float | None
    why: str = ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided. `ranking` has the best first; `margin` is the distance of the first two
    (None: there are not two), `needed` the distance to commit (None: nobody knows the noise);
    `tied` are those whose score is that of the first, in the order that broke the tie."""

    decision: Kind
    status: Status
    chosen: str = ""
    shortlist: tuple[str, ...] = ()
    ranking: tuple[Place, ...] = ()
    margin: float | None = None
    needed: float | None = None
    tied: tuple[str, ...] = ()
    ask: str = ""
    reason: str = ""


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """One decision, whole: it can be made again from this alone. `context` says for whom and about
    what it was (domain, tenant, the question's digest)."""

    setting: Setting
    candidates: tuple[Candidate, ...]
    outcome: Outcome
    pruned: tuple[Pruned, ...] = ()
    noise: tuple[Noise, ...] = ()
    context: Mapping[str, Json] = {}
    version: int = VERSION

    def candidate(self, id: str) -> Candidate:
        """Raises `LedgerError` (`ledger.candidate`) if there is none of that id."""
        for each in self.candidates:
            if each.id == id:
                return each
        there = ", ".join(each.id for each in self.candidates) or "none"
        raise LedgerError(
            f"the decision has no candidate {id!r}",
            fix=f"its candidates are: {there}",
            code="ledger.candidate",
        )

    def json(self) -> dict[str, Json]:
        """As it is recorded."""
        told: dict[str, Json] = msgspec.to_builtins(self)
        return told

    @staticmethod
    def read(value: Json) -> Ledger:
        """A recorded decision. Raises `LedgerError` that names what is missing or is no value of
        its factor: nothing is filled in."""
        _whole(value)
        try:
            found = msgspec.convert(value, Ledger, strict=True)
        except msgspec.ValidationError as error:
            raise _incomplete(
                f"a recorded decision cannot be read: {_named(value, error)}"
            ) from None
        if found.version != VERSION:
            raise _incomplete(f"the decision has version {found.version}, not {VERSION}")
        complete(found.setting.factors, found.candidates)
        return found


def _whole(value: Json) -> None:
    """Raises `LedgerError` for the first part that is not there, one with a default too."""
    for name, kind in (("", Ledger), ("setting", Setting), ("outcome", Outcome)):
        part = value.get(name) if name and isinstance(value, dict) else value
        if not isinstance(part, dict):
            continue  # said with its type when it is read
        for field in kind.__struct_fields__:
            if field not in part:
                where = f" in its {name}" if name else ""
                raise _incomplete(f"a recorded decision has no {field!r}{where}")


def _named(value: Json, error: msgspec.ValidationError) -> str:
    """What is wrong, with candidate and factor by name where it is about one."""
    candidates = value.get("candidates") if isinstance(value, dict) else None
    for candidate in candidates if isinstance(candidates, list) else ():
        held = candidate.get("factors") if isinstance(candidate, dict) else None
        for name, each in held.items() if isinstance(held, dict) else ():
            try:
                msgspec.convert(each, Reading, strict=True)
            except msgspec.ValidationError as found:
                return f"factor {name!r} of candidate {candidate.get('id')!r}: {found}"
    return str(error)


def complete(factors: Sequence[Factor], candidates: Sequence[Candidate]) -> None:
    """Raises `LedgerError` (`ledger.incomplete`) for the first factor that a candidate lacks, and
    for a value that its factor cannot have."""
    ranges = [(factor.name, *bounds(factor.penalty)) for factor in factors]
    for candidate in candidates:
        get = candidate.factors.get
        for name, low, high in ranges:
            held = get(name)
            if held.__class__ is Known and low <= held.value <= high:
                continue
            if held is None:
                raise _incomplete(
                    f"candidate {candidate.id!r} has no factor {name!r}: neither a value "
                    "nor an abstention is recorded"
                )
            if isinstance(held, Known):
                checked = reading(held.value, penalty=low < 0)
                cause = checked.cause if isinstance(checked, Abstained) else ""
                raise _incomplete(
                    f"factor {name!r} of candidate {candidate.id!r} is no value: {cause}"
                )


def distinct(candidates: Sequence[Candidate]) -> None:
    """Raises `ConfigError` (`score.candidates`) for an id that two candidates have."""
    seen: dict[str, None] = {}
    for candidate in candidates:
        if candidate.id in seen:
            raise ConfigError(
                f"two candidates are called {candidate.id!r}",
                fix="give each its own id",
                code="score.candidates",
            )
        seen[candidate.id] = None


def _incomplete(what: str) -> LedgerError:
    return LedgerError(
        what,
        fix="nothing is guessed: take the decision from an intact trace",
        code="ledger.incomplete",
    )
