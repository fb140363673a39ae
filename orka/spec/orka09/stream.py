"""A streaming session of 0.9, as one turn: the executor answers, then its satellites look at it."""

from __future__ import annotations

from orka.spec.orka09.book import Place
from orka.spec.orka09.order import texts
from orka.value import Json

_INVARIANTS = ("identity", "voice", "refusal", "tool_permissions", "safety_policies")
_SESSION = ("prompt_budgets", "refresh")
_SATELLITE = "satellite-state-writer"


def streams(value: dict[str, Json]) -> bool:
    head = value.get("orchestrator")
    return isinstance(head, dict) and head.get("mode") == "streaming" and "agents" not in head


def one_turn(value: dict[str, Json], place: Place) -> dict[str, Json]:
    """The workflow with a list of its own, and a fork over the satellites."""
    head, agents = value["orchestrator"], value.get("agents")
    if not isinstance(agents, list):
        return value
    at = place.within("orchestrator")
    for key in _SESSION:
        if key in head:
            does = f"{key!r} has no effect here: it belongs to a session"
            at.warn(does, "read it in `orka streaming` only", key)
    maps = [agent for agent in agents if isinstance(agent, dict)]
    satellites = texts(head.get("satellites")) or [
        str(agent.get("id")) for agent in maps if agent.get("type") == _SATELLITE
    ]
    does = "runs one turn: the executor answers the input, then the satellites run at once"
    at.note(does, "could not run the file, only stream it", "mode")
    order = texts(head.get("executor"))
    if satellites:
        ids = [agent.get("id") for agent in maps]
        name = "satellites" if "satellites" not in ids else "satellites_of_the_turn"
        targets: list[Json] = [[id] for id in satellites]
        fork = {"id": name, "type": "fork", "targets": targets, "mode": "parallel"}
        agents, order = [*agents, fork], [*order, name]
    kept = {key: item for key, item in head.items() if key not in _SESSION}
    return {**value, "orchestrator": {**kept, "agents": order}, "agents": agents}


def invariants(head: dict[str, Json]) -> str:
    """What the executor is always told."""
    said = head.get("executor_invariants")
    if not isinstance(said, dict):
        return ""
    lines = []
    for key in _INVARIANTS:
        words = texts(said.get(key))
        if words:
            lines.append(f"{key.replace('_', ' ').capitalize()}: {', '.join(words)}")
    return "\n".join(lines)
