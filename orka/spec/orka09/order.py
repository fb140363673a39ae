"""What 0.9's queue meant: the order of the list, and which agents anything leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from orka.value import Json

Agents = Mapping[str, dict[str, Json]]


def texts(value: Json) -> list[str]:
    """The texts in a text or a list."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def listed(value: Json) -> list[Json]:
    """A list as it is; nothing for anything else."""
    return value if isinstance(value, list) else []


def arranged(ids: Sequence[str], needs: Mapping[str, Sequence[str]]) -> list[str] | None:
    """`ids` with each behind those of the list it `needs`, else as written; None for a cycle."""
    place = {id: at for at, id in enumerate(ids)}
    before = {id: {n: None for n in needs.get(id, ()) if n in place and n != id} for id in place}
    after: dict[str, list[str]] = {id: [] for id in place}
    for id, wanted in before.items():
        for each in wanted:
            after[each].append(id)
    left = {id: len(wanted) for id, wanted in before.items()}
    ready = [place[id] for id, count in left.items() if not count]
    heapify(ready)
    found = []
    while ready:
        found.append(id := ids[heappop(ready)])
        for each in after[id]:
            left[each] -= 1
            if not left[each]:
                heappush(ready, place[each])
    return found if len(found) == len(place) else None


def leads(agent: dict[str, Json]) -> Iterator[str]:
    """The agents that one leads to."""
    if agent.get("type") == "router":
        for _, targets in routes(agent):
            yield from targets
    if agent.get("type") == "fork":
        for branch in listed(agent.get("targets")):
            yield from texts(branch)
    for key in ("next", "on_error"):
        yield from texts(agent.get(key))
    on_violation = agent.get("on_violation")
    if isinstance(on_violation, dict):
        yield from texts(on_violation.get("route"))


def routes(router: dict[str, Json]) -> Iterator[tuple[str, list[str]]]:
    """The cases of a router, each with its targets."""
    table = router.get("routing_map")
    for case, targets in table.items() if isinstance(table, dict) else ():
        yield case, texts(targets)
    for route in listed(router.get("routes")):
        if isinstance(route, dict):
            yield str(route.get("condition")), texts(route.get("next"))


def reached(agents: Agents, order: Sequence[str]) -> list[str]:
    """The agents that run, or may: the listed ones, and all they lead to."""
    found = dict.fromkeys(id for id in order if id in agents)
    waiting = list(found)
    while waiting:
        for id in leads(agents[waiting.pop()]):
            if id in agents and id not in found:
                found[id] = None
                waiting.append(id)
    return list(found)


def behind(agents: Agents, order: Sequence[str]) -> dict[str, str]:
    """The agent that comes next, for each agent of the list, a route or a branch that has one."""
    lists = [list(order)]
    for agent in agents.values():
        if agent.get("type") == "router":
            lists += [targets for _, targets in routes(agent)]
        if agent.get("type") == "fork":
            lists += [texts(branch) for branch in listed(agent.get("targets"))]
    found: dict[str, str] = {}
    for ids in lists:
        for id, after in pairwise(ids):
            found.setdefault(id, after)
    return {id: after for id, after in found.items() if id in agents and after in agents}


def fruitless(agent: dict[str, Json]) -> bool:
    """Whether an agent asks the web as its last resort: without a network it has nothing."""
    children = agent.get("children")
    last = children[-1] if isinstance(children, list) and children else None
    searching = isinstance(last, dict) and last.get("type") == "websearch"
    return agent.get("type") == "failover" and searching


def guards(agents: Agents) -> dict[str, str]:
    """A condition for each agent that a route shares with another, and that an agent before it in
    its own route would lead to although another route was taken."""
    routers = {id: dict(routes(agent)) for id, agent in agents.items() if _routed(agent)}
    owners: dict[str, list[tuple[str, str]]] = {}
    for id, cases in routers.items():
        for case, targets in cases.items():
            for target in targets:
                owners.setdefault(target, []).append((id, case))
    shared = [target for target, own in owners.items() if len(own) > 1]
    found: dict[str, str] = {}
    for cases in routers.values():
        for targets in cases.values():
            for at, target in enumerate(targets):
                if any(_ends_in(before, shared, routers) for before in targets[:at]):
                    found[target] = _condition(owners[target])
    return found


def _routed(agent: dict[str, Json]) -> bool:
    return agent.get("type") == "router" and "routes" not in agent


def _ends_in(
    id: str, shared: Sequence[str], routers: Mapping[str, Mapping[str, Sequence[str]]]
) -> bool:
    """Whether `id`, or what a router of that name leads to, is shared by several routes."""
    seen, waiting = dict[str, None](), [id]
    while waiting:
        each = waiting.pop()
        if each in shared:
            return True
        if each not in seen:
            seen[each] = None
            waiting += [t for targets in routers.get(each, {}).values() for t in targets]
    return False


def _condition(owners: Sequence[tuple[str, str]]) -> str:
    return " or ".join(
        f"({id!r} in previous_outputs and previous_outputs[{id!r}]['route'] == {case!r})"
        for id, case in owners
    )
