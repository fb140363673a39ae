"""A strategy: from a ranking to a choice. It sees scores and never changes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from orka.errors import AgentError, PluginError
from orka.score.factor import Abstained
from orka.score.ledger import Kind, Status
from orka.score.scorer import Exact, Standing
from orka.score.setting import Setting


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """What a strategy chooses from: at least one candidate is ranked. `needed` is the margin from
    which a winner is clear, in units of 1e-12 (None: nobody knows how much noise there is)."""

    standing: Standing
    setting: Setting
    needed: Exact | None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What a strategy chose: ids of ranked candidates. `ask` is the agent that shall decide."""

    decision: Kind
    chosen: str = ""
    shortlist: tuple[str, ...] = ()
    status: Status = "decided"
    ask: str = ""
    reason: str = ""


class Strategy(msgspec.Struct, frozen=True):
    """A named way to choose."""

    name: str
    function: Callable[[Situation], Choice]
    version: str = ""


def strategy(name: str, *, version: str = "") -> Callable[[Callable[..., Choice]], Strategy]:
    """Make a strategy of a pure function of a `Situation`. Raises `PluginError` for what is no
    function."""

    def register(function: Callable[[Situation], Choice]) -> Strategy:
        if not callable(function):
            raise PluginError(f"strategy {name!r} is not a function")
        return Strategy(name, function, version)

    return register


def commit(situation: Situation, at: int = 0, reason: str = "") -> Choice:
    """Take the candidate at a place of the ranking; the next ones stand by if it fails."""
    ranked = situation.standing.ranked
    chosen = ranked[at].candidate
    return Choice(
        decision="commit_next" if len(chosen.path) == 1 else "commit_path",
        chosen=chosen.id,
        shortlist=_shortlist(situation, at),
        reason=reason,
    )


def _shortlist(situation: Situation, at: int = 0) -> tuple[str, ...]:
    """The chosen one, then the others in their order, at most `k_beam`."""
    ids = [each.candidate.id for each in situation.standing.ranked]
    return (ids[at], *ids[:at], *ids[at + 1 :])[: situation.setting.k_beam]


def strict(situation: Situation) -> Choice:
    """The best one, however close the next is."""
    return commit(situation, reason="the highest score")


def shortlist(situation: Situation) -> Choice:
    """Always a shortlist, the best first; whoever reads it decides."""
    ids = _shortlist(situation)
    return Choice(decision="shortlist", chosen=ids[0], shortlist=ids, reason="as it is set")


def margin(situation: Situation) -> Choice:
    """The best one if it is clear; if it is too close, what `too_close` says."""
    found = situation.standing.margin
    if found is None:
        return commit(situation, reason="there is nothing beside it")
    if situation.needed is not None and found >= situation.needed:
        return commit(situation, reason="ahead by what is needed, or more")
    setting, ids = situation.setting, _shortlist(situation)
    told = (
        "the noise of the judge is not known, so nothing is clear"
        if situation.needed is None
        else "ahead by less than what is needed"
    )
    if setting.too_close == "safer":
        return _safer(situation, told)
    if setting.too_close == "shortlist":
        kind: Kind = "shortlist"
        return Choice(decision=kind, chosen=ids[0], shortlist=ids, status="too_close", reason=told)
    agent = setting.too_close.removeprefix("agent:") if ":" in setting.too_close else ""
    return Choice(decision="human_gate", shortlist=ids, status="too_close", ask=agent, reason=told)


def _safer(situation: Situation, told: str) -> Choice:
    """Of those that are too close to the first, the one that is better by the factors of `safer`,
    in their order: known ones before those that only count as much; among equals the one with the
    higher score."""
    ranked, setting = situation.standing.ranked, situation.setting
    first, needed = ranked[0].final, situation.needed
    places = [f.name for f in setting.factors]
    by = [places.index(name) for name in setting.safer if name in places]

    def safety(at: int) -> tuple[tuple[int, bool], ...]:
        held = ranked[at].candidate.factors
        return tuple(
            (
                -(ranked[at].effective[factor] or 0),
                isinstance(held[setting.factors[factor].name], Abstained),
            )
            for factor in by
        )

    close = [
        at
        for at, each in enumerate(ranked)
        if needed is None or (first or 0) - (each.final or 0) < needed
    ]
    names = ", ".join(name for name in setting.safer if name in places) or "nothing"
    choice = commit(situation, min(close, key=safety), f"{told}; the safest by {names}")
    return msgspec.structs.replace(choice, status="too_close")


def check_choice(name: str, choice: object, situation: Situation) -> None:
    """Raises `AgentError` (`strategy.choice`) for what is no choice among the ranked candidates."""
    if wrong := _wrong(choice, situation):
        raise AgentError(
            f"strategy {name!r} {wrong}, which is no choice among the ranked candidates",
            fix="a strategy gives a `Choice` of ids that its situation has ranked; the first of "
            "the shortlist is the one that is chosen",
            code="strategy.choice",
        )


def _wrong(choice: object, situation: Situation) -> str:
    """What is wrong with a choice, if anything: what is recorded as chosen must be what is run."""
    if not isinstance(choice, Choice):
        return f"gave {type(choice).__name__}"
    try:
        msgspec.convert(msgspec.to_builtins(choice), Choice)
    except (msgspec.ValidationError, TypeError) as error:
        return f"gave a `Choice` that cannot be read ({error})"
    ids, listed = [each.candidate.id for each in situation.standing.ranked], choice.shortlist
    for id in (choice.chosen, *listed):
        if id and id not in ids:
            return f"chose {id!r}"
    if len(dict.fromkeys(listed)) < len(listed):
        return f"listed one twice ({', '.join(listed)})"
    match choice.decision:
        case "fallback" if choice.chosen or listed:
            return f"gave a fallback and chose {choice.chosen or listed[0]!r}"
        case "human_gate" if choice.chosen or not listed:
            told = f"chose {choice.chosen!r}" if choice.chosen else "listed none"
            return f"asks who shall decide and {told}"
        case "commit_next" | "commit_path" | "shortlist" if (choice.chosen,) != (*listed[:1],):
            first = repr(listed[0]) if listed else "nothing"
            return f"chose {choice.chosen!r} and has {first} first in its shortlist"
    return ""


STRATEGIES: Mapping[str, Strategy] = {
    each.name: each
    for each in (
        Strategy("margin", margin),
        Strategy("strict", strict),
        Strategy("shortlist", shortlist),
    )
}
