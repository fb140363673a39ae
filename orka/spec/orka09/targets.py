"""The agents that a router or a fork names must be there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from orka.errors import nearest
from orka.spec.orka09.book import Place
from orka.spec.orka09.order import listed, texts
from orka.value import Json

# How alike two ids are when one is taken for a misspelling of the other.
_ALIKE = 0.85


def known(ids: Collection[str], agent: dict[str, Json], place: Place) -> None:
    """Leave out the targets of an agent that are none of `ids`, and say so; a misspelt one is a
    problem."""
    match agent.get("type"):
        case "router":
            _router(ids, agent, place)
        case "fork":
            _fork(ids, agent, place)


def _router(ids: Collection[str], router: dict[str, Json], place: Place) -> None:
    table = router.get("routing_map")
    if not isinstance(table, dict):
        return
    found: dict[str, Json] = {}
    for case, written in table.items():
        if isinstance(written, str):
            does = f"the route {case!r} leads to {written!r}"
            if written not in ids:
                does = f"the route {case!r} leads to no agent: {written!r} is none"
            place.note(does, "recorded the text and queued nothing", "routing_map")
        kept = [
            target
            for target in texts(written)
            if _exists(ids, target, place, f"the route {case!r}", told=isinstance(written, list))
        ]
        found[case] = kept if isinstance(written, (str, list)) else written
    router["routing_map"] = found


def _fork(ids: Collection[str], fork: dict[str, Json], place: Place) -> None:
    written = fork.get("targets")
    if not isinstance(written, list):
        return
    found: list[Json] = []
    for branch in written:
        if not isinstance(branch, (str, list)):
            found.append(branch)
            continue
        kept = [id for id in texts(branch) if _exists(ids, id, place, "'targets'", told=True)]
        if kept:
            found.append(kept)
    fork["targets"] = found


def merged(agents: Mapping[str, dict[str, Json]], join: dict[str, Json]) -> None:
    """A join of 0.9 merged all agents of its branches, not only the last of each."""
    fork = agents.get(str(join.get("group")))
    if join.get("type") != "join" or fork is None or "members" in join:
        return
    branches = [texts(branch) for branch in listed(fork.get("targets"))]
    if any(len(branch) > 1 for branch in branches):
        join["members"] = [id for branch in branches for id in branch]


def _exists(ids: Collection[str], target: str, place: Place, by: str, *, told: bool) -> bool:
    if target in ids:
        return True
    key = "targets" if by == "'targets'" else "routing_map"
    if get_close_matches(target, list(ids), n=1, cutoff=_ALIKE):
        what = f"{by} of agent {place.agent!r} names {target!r}, and there is no such agent"
        place.problem("config.unknown_agent", what, nearest(target[:80], ids), key)
    elif told:
        does = f"{by} names {target!r}, which is no agent: it is left out"
        place.warn(does, "OrKa 0.9 passed over it without a word", key)
    return False


def decision(agent: dict[str, Json], place: Place, dropped: Sequence[str]) -> None:
    """A router cannot read an agent that never runs."""
    key = agent.get("decision_key")
    if agent.get("type") == "router" and key in dropped:
        what = f"agent {place.agent!r} decides by {key!r}, which never runs"
        fix = f"add {key!r} to orchestrator.agents"
        place.problem("config.unreachable", what, fix, "params", "decision_key")
