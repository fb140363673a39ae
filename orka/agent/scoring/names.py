"""What the conditions of rules see of a proposed path, and how they are compiled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from orka.agent.guard import Guard
from orka.errors import ConfigError, GuardError, nearest
from orka.score.criterion import Proposal, State, Step
from orka.value import Json

# What is told of the path and of the run; no name that is lent takes the place of one of these.
_PATH = ("path", "length", "input", "outputs")
_DECLARED = ("steps", "types", "tools", "models", "capabilities", "first", "last")
_FOUND = ("shared", "repeated", "undeclared")
_ORDER = ("beside", "before", "after", "with_or_before", "with_or_after", "between")
_OWN = (*_PATH, *_DECLARED, *_FOUND, *_ORDER)
NAMES = (*_OWN, "tenant", "domain")


def names_of(proposal: Proposal, state: State) -> dict[str, Json]:
    """The names for a path. What its agents declare is missing if the proposal has no steps: a rule
    that asks for it has no answer then."""
    lent = {name: value for name, value in state.names.items() if name not in _OWN}
    names: dict[str, Json] = {"tenant": "", "domain": "", **lent}
    names |= {"path": list(proposal.path), "length": len(proposal.path)}
    names |= {"input": state.input, "outputs": dict(state.outputs)}
    if proposal.steps and tuple(step.id for step in proposal.steps) == proposal.path:
        names |= _declared(proposal.steps) | _order(proposal.steps)
    return names


def compiled(when: str, rule: str, more: Collection[str] = ()) -> Guard:
    """The condition of a rule. Raises `ConfigError` (`config.rule`) that names the `rule`, also for
    a name that is neither one of `NAMES` nor of `more`."""
    try:
        guard = Guard(when)
    except GuardError as error:
        raise ConfigError(f"{rule}: {error.what}", fix=error.fix, code="config.rule") from None
    for name, *_ in guard.names:
        if name not in NAMES and name not in more:
            raise ConfigError(
                f"{rule}: condition {when!r} reads {name!r}, which rules do not know",
                fix=nearest(name, (*NAMES, *more)),
                code="config.rule",
            )
    return guard


def _declared(steps: Sequence[Step]) -> dict[str, Json]:
    told = [_told(step) for step in steps]
    return {
        "steps": told,
        "types": _each(step.type for step in steps),
        "tools": _each(step.tool for step in steps),
        "models": _each(step.model for step in steps),
        "capabilities": _each(_able(steps)),
        "first": told[0],
        "last": told[-1],
        "shared": _each(_common([step.capabilities for step in steps])),
        "undeclared": [step.id for step in steps if not step.capabilities],
        "repeated": [step.id for before, step in pairwise(steps) if _same(before, step)],
    }


def _told(step: Step) -> dict[str, Json]:
    return {
        "id": step.id,
        "type": step.type,
        "model": step.model,
        "tool": step.tool,
        "operation": step.operation,
        "capabilities": list(step.capabilities),
    }


def _same(one: Step, other: Step) -> bool:
    """Whether two steps do the same: by their tool, or, if neither has one, by what they say they
    can do. Two that only share type and model (two prompts) are not the same."""
    if one.tool or other.tool:
        return one.tool == other.tool
    kinds = [(each.type, each.model, each.operation) for each in (one, other)]
    able = sorted(one.capabilities)
    return bool(able) and able == sorted(other.capabilities) and kinds[0] == kinds[1]


def _order(steps: Sequence[Step]) -> dict[str, Json]:
    """By capability. `beside`: what each step that has it can do too. `before`, `after`: what
    stands before the first step that has it, and after the last: before and after each.
    `with_or_before`, `with_or_after`: what stands at or before a step that has it, and at or after
    one. `between`: see `_between`."""
    found: dict[str, dict[str, Json]] = {name: {} for name in _ORDER}
    places = {
        able: [at for at, step in enumerate(steps) if able in step.capabilities]
        for able in _able(steps)
    }
    for able, at in places.items():
        found["beside"][able] = _each(_common([steps[place].capabilities for place in at]))
        found["before"][able] = _each(_able(steps[: at[0]]))
        found["after"][able] = _each(_able(steps[at[-1] + 1 :]))
        found["with_or_before"][able] = _each(_able(steps[: at[-1] + 1]))
        found["with_or_after"][able] = _each(_able(steps[at[0] :]))
        found["between"][able] = {
            other: _between(steps, at, there)
            for other, there in places.items()
            if at[0] <= there[-1]
        }
    return dict(found)


def _between(steps: Sequence[Step], starts: Sequence[int], ends: Sequence[int]) -> list[Json]:
    """What stands between each of `ends` and the nearest of `starts` at or before it."""
    nearest_start = {end: [start for start in starts if start <= end][-1:] for end in ends}
    return _each(
        _common([_able(steps[at[0] + 1 : end]) for end, at in nearest_start.items() if at])
    )


def _common(groups: Sequence[Sequence[str]]) -> list[str]:
    """The words that all groups have."""
    return [word for word in groups[0] if all(word in group for group in groups)]


def _able(steps: Sequence[Step]) -> list[str]:
    return [able for step in steps for able in step.capabilities]


def _each(words: Iterable[str]) -> list[Json]:
    """The words in their order, without repeats and without empty ones."""
    return [word for word in dict.fromkeys(words) if word]
