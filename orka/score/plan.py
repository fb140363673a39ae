"""A proposed path of agents in the outputs of earlier ones: where it stands, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.score.reading import object_in
from orka.value import Json

# Ids under which plans are proposed, looked at first.
USUAL = (
    "graph_scout",
    "graphscout_planner",
    "graphscout_router",
    "path_proposer",
    "plan_proposer",
    "dynamic_router",
)
KEYS = ("decision", "decision_type", "target", "path")


def proposed(outputs: Mapping[str, Json], source: str = "") -> tuple[str, Json] | None:
    """The agent that proposed a plan, and the plan: the output of `source`; or of the agents that
    usually propose one; or the last output that says `decision`, `target` or `path`."""
    if source:
        return (source, _inside(outputs[source])) if source in outputs else None
    for id in USUAL:
        if id in outputs and outputs[id] is not None:
            return id, _inside(outputs[id])
    for id, value in reversed(list(outputs.items())):
        for held in _maps(value):
            if any(key in held for key in KEYS):
                return id, held
    return None


def _inside(value: Json) -> Json:
    """The map in an output that says a path, or the output as it is."""
    for held in _maps(value):
        if any(key in held for key in KEYS):
            return held
    return value


def _maps(value: Json) -> Iterator[Mapping[str, Json]]:
    """What an output's `response` and `result` hold, then the output itself."""
    if isinstance(value, str):
        value = object_in(value)
    if not isinstance(value, Mapping):
        return
    for name in ("response", "result"):
        held = value.get(name)
        held = object_in(held) if isinstance(held, str) else held
        if isinstance(held, Mapping):
            yield held
    yield value
