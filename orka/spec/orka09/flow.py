"""A workflow of OrKa 0.9 becomes one of today: its head, its agents, and those inside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from orka.errors import nearest
from orka.spec.note import Note
from orka.spec.orka09 import targets
from orka.spec.orka09.agents import agent_rewritten
from orka.spec.orka09.book import Book, Place
from orka.spec.orka09.loopvar import renamed
from orka.spec.orka09.order import arranged, behind, fruitless, guards, reached, texts
from orka.spec.orka09.scouts import followed, typed
from orka.spec.orka09.source import Head
from orka.spec.orka09.stream import invariants, one_turn, streams
from orka.spec.orka09.words import HEAD_IGNORED, old_type
from orka.spec.problems import Problems
from orka.spec.yaml import Document, Path
from orka.value import Json

_TOP = ("orchestrator", "agents", "version", "modules", "name", "description", "meta")
_HEAD: tuple[str, ...] = ("id", "agents", "timeout", "model", "params", "strategy")
_HEAD += ("max_concurrency", "guards", "policy")
_POOLED = ("graph-scout", "path_executor")
_BODIES = ("internal_workflow", "workflow")
# Keys of a head that did something, and do nothing today: why, and what they did.
_GONE = {
    "debug": (": the trace has every output", "kept what agents were given in the entries"),
}
# What the budgets of a head are called in a scout.
_BUDGETS = {"max_cost_usd": "cost", "max_latency_ms": "latency_ms", "max_tokens": "tokens"}
# An agent of a pool, and where it is written.
Pooled = tuple[dict[str, Json], Path]


def rewritten(document: Document) -> tuple[Document, tuple[Note, ...]]:
    """The document with the same places, and what there is to say about it. An agent that never
    runs leaves None in its place. Raises `ConfigError` for what has no meaning today."""
    copy = Document(value=document.value, marks=dict(document.marks), source=document.source)
    book = Book(copy, Problems(document.source))
    value = _flow(followed(typed(renamed(document.value)), book.at(())), book.at(()), [])
    book.problems.settle()
    return Document(value=value, marks=copy.marks, source=copy.source), book.told()


@dataclass
class _Level:
    """One workflow of the file. `raw` are its agents as written, with the place in the list."""

    place: Place
    head: Head
    written: list[Json]
    raw: dict[str, tuple[int, dict[str, Json]]] = field(default_factory=dict)
    made: dict[str, dict[str, Json]] = field(default_factory=dict)

    def at(self, id: str) -> Place:
        return self.place.within("agents", self.raw[id][0], agent=id)


def _flow(value: Json, place: Place, pool: list[Pooled]) -> Json:
    if not isinstance(value, dict):
        return value
    if streams(value):
        value = one_turn(value, place)
    head, agents = value.get("orchestrator"), value.get("agents")
    if not isinstance(head, dict) or not isinstance(agents, list):
        return value
    for key in value:
        if key not in _TOP:
            place.warn(f"{key!r} has no effect", "OrKa 0.9 did nothing with it", key)
    top = {key: item for key, item in value.items() if key in _TOP}
    level = _level(place, head, agents, pool)
    order = _decided(level, _order(level, head))
    new_head = _head(level, head, value, order)
    return {**top, "orchestrator": new_head, "agents": _agents(level, order, pool)}


def _level(place: Place, head: dict[str, Json], agents: list[Json], pool: list[Pooled]) -> _Level:
    level = _Level(place, _said(head), list(agents))
    known = [agent.get("id") for agent in agents if isinstance(agent, dict)]
    for agent, path in pool:
        if agent.get("id") not in known:
            level.place.copied(path, (*place.path, "agents", len(level.written)))
            level.written.append(agent)
    for at, agent in enumerate(level.written):
        if agent is None:
            what = "an agent is empty"
            place.problem("config.type", what, "write a map with 'id' and 'type'", "agents", at)
        if isinstance(agent, dict) and isinstance(agent.get("id"), str):
            level.raw.setdefault(agent["id"], (at, agent))
    return level


def _said(head: dict[str, Json]) -> Head:
    def part(value: Json, key: str) -> dict[str, Json]:
        found = value.get(key) if isinstance(value, dict) else None
        return found if isinstance(found, dict) else {}

    return Head(
        structured=part(head, "structured_output_defaults"),
        preset=head.get("memory_preset"),
        decay=part(head.get("memory"), "decay"),
        system=invariants(head),
        budget={
            new: part(head, "budgets")[old]
            for old, new in _BUDGETS.items()
            if old in part(head, "budgets")
        },
    )


def _order(level: _Level, head: dict[str, Json]) -> list[str]:
    """The list as 0.9 went over it."""
    place = level.place.within("orchestrator")
    if "agents" not in head:
        fix = "list the ids of the agents that run; OrKa 0.9 needs it too"
        place.problem("config.missing_key", "orchestrator has no 'agents'", fix)
        return list(level.raw)
    listed = []
    for at, id in enumerate(texts(head["agents"])):
        if id in level.raw:
            listed.append(id)
        else:
            does = f"{id!r} is left out: there is no such agent; {nearest(id[:80], level.raw)}"
            place.warn(does, "OrKa 0.9 passed over it without a word", "agents", at)
    needs = {id: texts(agent.get("depends_on")) for id, (_, agent) in level.raw.items()}
    order = arranged(list(dict.fromkeys(listed)), needs)
    if order is None:
        fix = "remove a `depends_on`"
        what = "the agents of the list depend on each other in a circle"
        place.problem("config.cycle", what, fix, "agents")
        return listed
    if len(order) < len(listed):
        return listed
    if order != listed:
        does = f"runs in the order {' → '.join(order)}, as `depends_on` says"
        place.note(does, "the same order", "agents")
    elif any(needs.values()):
        does = "`depends_on` orders the list, and is met by its order; nothing waits for more"
        place.note(does, "the same", "agents")
    return order


def _decided(level: _Level, order: list[str]) -> list[str]:
    """The list with each agent that only a router of the list reads, in front of that router."""
    bare = {id: _bare(agent) for id, (_, agent) in level.raw.items()}
    found = list(order)
    for id in order:
        key = bare[id].get("decision_key") if bare[id]["type"] == "router" else None
        if isinstance(key, str) and key in bare and key not in reached(bare, found):
            found.insert(found.index(id), key)
            does = f"{key!r} runs before it: it decides by it, and nothing else leads there"
            level.at(id).note(does, "never ran it, and took no route")
    return found


def _head(
    level: _Level, head: dict[str, Json], value: dict[str, Json], order: list[str]
) -> dict[str, Json]:
    place = level.place.within("orchestrator")
    if not level.place.path:
        does = "an agent that fails fails the run, unless `on_error` or a failover takes over"
        place.note(does, "recorded it as a success with the error as its text", "agents")
    new = {key: item for key, item in head.items() if key in _HEAD}
    new["id"] = new.get("id") or value.get("name") or "workflow"
    if "agents" in head:
        new["agents"] = order
    strategy = new.pop("strategy", "sequential")
    if strategy not in ("sequential", "graph"):
        does = f"strategy {strategy!r} means the order of the list; forks run at once"
        place.note(does, "never looked at it", "strategy")
    elif strategy == "graph":
        new["strategy"] = strategy
    meant: tuple[str, ...] = (
        "structured_output_defaults",
        "memory_preset",
        "mode",
        "executor",
        "budgets",
    )
    meant += ("satellites", "executor_invariants")
    for key in head:
        if key in _HEAD or key in meant:
            continue
        if key == "memory":
            _memory(head[key], place)
        elif key in _GONE:
            place.warn(f"{key!r} has no effect{_GONE[key][0]}", _GONE[key][1], key)
        else:
            place.leftover([(key, (key,))], (*_HEAD, *meant, "memory"), HEAD_IGNORED)
    return new


def _memory(memory: Json, place: Place) -> None:
    for key in memory if isinstance(memory, dict) else ():
        if key != "decay":
            does = f"'memory.{key}' has no effect: memory is in the store of the runs"
            place.warn(does, "reached Redis with it", "memory", key)


def _agents(level: _Level, order: list[str], pool: list[Pooled]) -> list[Json]:
    """The agents in their places, those that never run as None."""
    running = reached({id: _bare(agent) for id, (_, agent) in level.raw.items()}, order)
    idle = [id for id in level.raw if id not in running]
    bare = {id: _bare(level.raw[id][1]) for id in running}
    here = any(agent["type"] in _POOLED for agent in bare.values())
    inside = [id for id in running if _uses_pool(bare[id])]
    if not here and not inside:
        for id in idle:
            level.at(id).warn(f"never runs: nothing leads to agent {id!r}", "never ran it either")
    kept = running + idle if here else running
    for id in [] if idle else running:
        if bare[id]["type"] == _POOLED[0]:
            does = "has no agents to choose from: those that nothing leads to are its candidates"
            level.at(id).warn(does, "gave a fallback without a target, and the list went on")
    for id in kept:
        level.made[id] = _agent(level, id)
        targets.known(level.raw, level.made[id], level.at(id))
    given = [(level.raw[id][1], level.at(id).path) for id in idle] + pool
    for id in kept:
        _bodies(level, id, given if id in inside else [])
    _guard(level, running)
    for id in running:
        targets.merged(level.made, level.made[id])
    for id, after in behind({id: level.made[id] for id in running}, order).items():
        if fruitless(level.made[id]) and "on_error" not in level.made[id]:
            level.made[id]["on_error"] = after
            does = (
                f"a search that fails is a failure in the trace, and {after!r} goes on without it"
            )
            level.at(id).note(does, "took the error text of the search for its result")
    for id in running:
        targets.decision(level.made[id], level.at(id), [i for i in idle if i not in kept])
    return _placed(level)


def _bare(agent: dict[str, Json]) -> dict[str, Json]:
    """An agent with what says where it leads in its own keys, and today's type."""
    params = agent.get("params")
    kind = agent.get("type")
    own = {**params, **agent} if isinstance(params, dict) else dict(agent)
    return {**own, "type": old_type(kind) or kind}


def _placed(level: _Level) -> list[Json]:
    """The list as it was written: what it holds twice, or wrongly, is for others to refuse."""
    placed: list[Json] = []
    for at, agent in enumerate(level.written):
        id = agent.get("id") if isinstance(agent, dict) else None
        if not isinstance(id, str) or level.raw[id][0] != at:
            placed.append(agent)
        else:
            placed.append(level.made.get(id))
    return placed


def _agent(level: _Level, id: str) -> dict[str, Json]:
    place = level.at(id)
    made = agent_rewritten(level.raw[id][1], place, level.head)
    if made.get("type") == "failover" and isinstance(made.get("children"), list):
        made["children"] = _children(level, made["children"], place)
    return made


def _children(level: _Level, children: list[Json], place: Place) -> list[Json]:
    found: list[Json] = []
    for at, child in enumerate(children):
        if isinstance(child, str) and child in level.raw:
            place.note(
                f"the child {child!r} is the agent of that id", "took no ids", "children", at
            )
            child = level.raw[child][1]
        if not isinstance(child, dict):
            found.append(child)
            continue
        name = child.get("id")
        inner = place.within("children", at, agent=name if isinstance(name, str) else "")
        made = agent_rewritten(child, inner, level.head, caught=True)
        if made.get("type") == "failover" and isinstance(made.get("children"), list):
            made["children"] = _children(level, made["children"], inner)
        found.append(made)
    return found


def _bodies(level: _Level, id: str, pool: list[Pooled]) -> None:
    made = level.made[id]
    for key in _BODIES:
        if isinstance(made.get(key), dict):
            body = level.place.within("agents", level.raw[id][0], key)
            made[key] = _flow(made[key], Place(body.book, body.path), pool)


def _uses_pool(agent: dict[str, Json]) -> bool:
    """Whether an agent inside one of this agent's workflows chooses among those nobody leads to."""
    for key in _BODIES:
        body = agent.get(key)
        inner = body.get("agents") if isinstance(body, dict) else None
        for each in inner if isinstance(inner, list) else ():
            if isinstance(each, dict) and (_bare(each)["type"] in _POOLED or _uses_pool(each)):
                return True
    return False


def _guard(level: _Level, running: list[str]) -> None:
    for id, condition in guards({id: level.made[id] for id in running}).items():
        if id in level.made:
            own = level.made[id].get("when")
            level.made[id]["when"] = f"({own}) and ({condition})" if own else condition
            does = f"runs only if a route to it was taken: {condition}"
            level.at(id).note(does, "ran it once for each route that named it")
