"""A graph-scout that nothing follows: 0.9 meant to run the path it chose, and forgot."""

from __future__ import annotations

from orka.spec.orka09.book import Place
from orka.spec.orka09.words import old_type
from orka.value import Json

_SCOUT, _EXECUTOR = "graph-scout", "path_executor"
_BODIES = ("internal_workflow", "workflow")
_LISTS = ("agents", "routing_map", "targets")


def typed(value: Json) -> Json:
    """The file with the type of each agent that is written as an implementation of a router."""
    if isinstance(value, list):
        return [typed(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: typed(item) for key, item in value.items()}
    if found.get("type") == "router" and found.get("implementation") == "GraphScoutAgent":
        del found["implementation"]
        found["type"] = _SCOUT
    return found


def followed(value: Json, place: Place) -> Json:
    """The file with a `path_executor` behind each scout, if it has none anywhere."""
    return value if _executes(value) else _level(value, place)


def _kind(agent: dict[str, Json]) -> Json:
    return old_type(agent.get("type")) or agent.get("type")


def _runs(agent: dict[str, Json]) -> bool:
    """Whether a scout runs its choice itself: a word of today that may stand in an old file."""
    params = agent.get("params")
    under = params.get("execute") if isinstance(params, dict) else None
    return agent.get("execute", under) is True


def _maps(value: Json) -> list[dict[str, Json]]:
    agents = value.get("agents") if isinstance(value, dict) else None
    return [a for a in agents if isinstance(a, dict)] if isinstance(agents, list) else []


def _executes(value: Json) -> bool:
    return any(
        _kind(agent) == _EXECUTOR or any(_executes(agent.get(key)) for key in _BODIES)
        for agent in _maps(value)
    )


def _level(value: Json, place: Place) -> Json:
    if not isinstance(value, dict):
        return value
    agents, head = value.get("agents"), value.get("orchestrator")
    if not isinstance(agents, list) or not isinstance(head, dict):
        return value
    new = [
        _inside(agent, place.within("agents", at)) if isinstance(agent, dict) else agent
        for at, agent in enumerate(agents)
    ]
    ids = [str(agent.get("id")) for agent in _maps(value)]
    names = {
        id: _free(f"{id}_path", ids)
        for agent, id in zip(_maps(value), ids, strict=True)
        if _kind(agent) == _SCOUT and not _runs(agent)
    }
    if not names:
        return {**value, "agents": new}
    new = [_behind(agent, names) if isinstance(agent, dict) else agent for agent in new]
    for at, agent in enumerate(agents):
        id = str(agent.get("id")) if isinstance(agent, dict) else ""
        if id in names:
            added, inside = names[id], place.within("agents", at, agent=id)
            inside.note(f"the path it chooses is run, as agent {added!r}", "ran nothing of it")
            place.copied(inside.path, behind := (*place.path, "agents", len(new)))
            place.book.added.add(behind)
            new.append({"id": added, "type": _EXECUTOR, "path_source": id})
    return {**value, "orchestrator": _behind(head, names), "agents": new}


def _inside(agent: dict[str, Json], place: Place) -> dict[str, Json]:
    bodies = {
        key: _level(agent[key], place.within(key))
        for key in _BODIES
        if isinstance(agent.get(key), dict)
    }
    return {**agent, **bodies} if bodies else agent


def _behind(holder: dict[str, Json], names: dict[str, str]) -> dict[str, Json]:
    """The map with each scout of its lists followed by what runs its path."""
    found = {key: _spread(v, names) if key in _LISTS else v for key, v in holder.items()}
    if isinstance(found.get("params"), dict):
        found["params"] = _behind(found["params"], names)
    return found


def _spread(value: Json, names: dict[str, str]) -> Json:
    if isinstance(value, dict):
        return {key: _spread(item, names) for key, item in value.items()}
    if isinstance(value, str):
        return [value, names[value]] if value in names else value
    if not isinstance(value, list):
        return value
    found: list[Json] = []
    for item in value:
        found.append(_spread(item, names) if isinstance(item, list) else item)
        if isinstance(item, str) and item in names:
            found.append(names[item])
    return found


def _free(name: str, ids: list[str]) -> str:
    while name in ids:
        name += "_"
    return name
