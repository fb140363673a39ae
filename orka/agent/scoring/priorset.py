"""A set of priors as it is written, and what may be wrong with one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import msgspec

from orka.agent.scoring.names import compiled
from orka.errors import ConfigError, nearest
from orka.value import Json

Path = tuple[str | int, ...]
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_RANGE = "write a number from 0 (never) to 1 (always)"


class PriorRule(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What is thought of a path for which `when` is true: a `prior` in [0, 1], or `forbid`; and the
    `reason`."""

    id: str
    when: str
    reason: str
    prior: float | None = None
    forbid: bool = False


class Otherwise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is thought of a path of which no rule speaks."""

    prior: float
    reason: str


class PriorSet(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What is thought of paths in a `domain`. The rules of `tenants` hold for that tenant only.

    With `learn` the runs of a path correct what is declared, which counts like `strength` runs."""

    domain: str
    about: str = ""
    rules: list[PriorRule] = []
    otherwise: Otherwise | None = None
    tenants: dict[str, list[PriorRule]] = {}
    learn: bool = False
    strength: float = 10.0


class Flaw(msgspec.Struct, frozen=True):
    """What is wrong, where in the set, and what to do."""

    path: Path
    what: str
    fix: str = ""


def flaw_in(value: Json) -> Flaw | None:
    """What is wrong with a set as it stands in a file: the first thing that is."""
    try:
        held = msgspec.convert(value, PriorSet)
    except msgspec.ValidationError as error:
        return _misread(str(error))
    return flaw_of(held) or next(_miswritten(held), None)


def flaw_of(held: PriorSet) -> Flaw | None:
    """What is wrong with a set, its conditions aside."""
    return next(_flaws(held), None)


def _flaws(held: PriorSet) -> Iterator[Flaw]:
    if not held.domain.strip():
        yield Flaw(("domain",), "its domain is empty", "say what it is for")
    if not 0 < held.strength < math.inf:
        told = f"its strength is {held.strength}"
        yield Flaw(("strength",), told, "write how many runs it counts for, above 0")
    if held.otherwise is not None and not 0 <= held.otherwise.prior <= 1:
        yield Flaw(("otherwise", "prior"), f"`otherwise` is {held.otherwise.prior}", _RANGE)
    if not (held.rules or held.tenants or held.otherwise or held.learn):
        yield Flaw((), "it says nothing", "give it `rules`, or `otherwise`, or `learn: true`")
    seen: dict[str, None] = {}
    for path, rule in _rules(held):
        if rule.id in seen:
            told = f"two rules have the id {rule.id!r}"
            yield Flaw((*path, "id"), told, "rename one of them")
        seen[rule.id] = None
        yield from _flaws_of(rule, path)


def _flaws_of(rule: PriorRule, path: Path) -> Iterator[Flaw]:
    for key in ("id", "reason"):
        if not getattr(rule, key).strip():
            yield Flaw((*path, key), f"the {key} of a rule is empty", "write one")
    if rule.forbid == (rule.prior is not None):
        told = f"rule {rule.id!r} has {'both' if rule.forbid else 'neither'} `prior` and `forbid`"
        yield Flaw(path, told, "give it one of the two")
    if rule.prior is not None and not 0 <= rule.prior <= 1:
        yield Flaw((*path, "prior"), f"the prior of rule {rule.id!r} is {rule.prior}", _RANGE)


def _miswritten(held: PriorSet) -> Iterator[Flaw]:
    """Conditions that cannot be read, or read a name that rules do not know."""
    for path, rule in _rules(held):
        try:
            compiled(rule.when, f"rule {rule.id!r}")
        except ConfigError as error:
            yield Flaw((*path, "when"), error.what, error.fix)


def _rules(held: PriorSet) -> Iterator[tuple[Path, PriorRule]]:
    for at, rule in enumerate(held.rules):
        yield ("rules", at), rule
    for tenant, rules in held.tenants.items():
        for at, rule in enumerate(rules):
            yield ("tenants", tenant, at), rule


def _misread(message: str) -> Flaw:
    """What msgspec says, with its place as a path."""
    what, _, place = message.partition(" - at `$")
    path: list[str | int] = []
    for found in _STEP.finditer(place.partition("[...]")[0]):
        path.append(found[1] if found[1] else int(found[2]))
    if (unknown := _UNKNOWN.search(what)) is None:
        return Flaw(tuple(path), f"{what}{f' in {_spelt(path)}' if path else ''}")
    owner = PriorRule if {"rules", "tenants"} & {*path} else Otherwise if path else PriorSet
    fix = nearest(unknown[1], owner.__struct_fields__)
    return Flaw((*path, unknown[1]), f"{unknown[1]!r} is not a key of it", fix)


def _spelt(path: list[str | int]) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)[1:]
