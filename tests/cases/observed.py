"""What a run came to, in the words of the cases."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cases.log import Asked
from orka.errors import OrkaError
from orka.event.event import EffectRequested, NodeFailed, NodeFinished, NodeStarted, RunFinished
from orka.value import Json
from orka.view.run import NodeView, Run

_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
TOLERANCE = 1e-9
# The kinds of effect that make a step of a model or a tool.
_WORK = ("llm", "tool")


@dataclass
class Observed:
    """A run (or the error that kept it from being one), the calls that reached the doubles, real
    seconds, and what was logged or warned about. `extra` are results only one operation has."""

    run: Run | None = None
    error: OrkaError | None = None
    asked: Sequence[Asked] = ()
    seconds: float = 0.0
    heard: Sequence[str] = ()
    memory_mb: float | None = None
    texts: Sequence[str] = ()
    extra: Mapping[str, Json] = field(default_factory=dict)
    tolerance: float = TOLERANCE

    @property
    def recorded(self) -> Run:
        assert self.run is not None, f"there is no run: {self.error}"
        return self.run

    @property
    def status(self) -> str:
        """A workflow that is refused has failed."""
        return self.run.status if self.run is not None else "failed"

    @cached_property
    def nodes(self) -> Sequence[NodeView]:
        return self.recorded.nodes

    def node(self, id: str) -> NodeView:
        """The node of that id that started last, the workflow's own first."""
        found = [node for node in self.nodes if node.id == id]
        own = [node for node in found if not node.scope]
        assert found, f"{id!r} is not in the trace"
        return (own or found)[-1]

    @property
    def executed(self) -> list[str]:
        """Model and tool steps in the order they started."""
        return [n.id for n in self.nodes if any(a.kind in _WORK for a in n.attempts)]

    @property
    def failed(self) -> list[str]:
        return [node.id for node in self.nodes if node.state == "failed"]

    @property
    def pending(self) -> list[str]:
        """The agents that wait for a person."""
        asked = [question.id for question in self.recorded.questions] if self.run else []
        return [id.rpartition("/")[2].partition("#")[0] for id in asked]

    @property
    def calls(self) -> Counter[str]:
        """Model calls and tool executions by agent."""
        return Counter(each.agent for each in self.asked if each.kind in _WORK)

    @property
    def tool_calls(self) -> Counter[str]:
        return Counter(each.name for each in self.asked if each.kind != "llm")

    def prompts(self, agent: str) -> list[tuple[str, ...]]:
        """What the model got in each of an agent's calls: the last message, and all of them."""
        return [each.prompts for each in self.asked if each.kind == "llm" and each.agent == agent]

    def keys(self, agent: str) -> list[str]:
        """The effect keys an agent's calls carried."""
        return [each.key for each in self.asked if each.agent == agent and each.kind in _WORK]

    def finished(self, agent: str) -> int:
        """How often the agent's end was recorded."""
        events = self.recorded.events
        return sum(isinstance(e, NodeFinished) and e.node == agent for e in events)

    @property
    def ends(self) -> list[RunFinished]:
        return [event for event in self.recorded.events if isinstance(event, RunFinished)]

    def began(self, agent: str) -> int:
        """The number of the event with which an agent started."""
        return self._seq(agent, NodeStarted)

    def ended(self, agent: str) -> int:
        return self._seq(agent, (NodeFinished, NodeFailed))

    def _seq(self, agent: str, kinds: type | tuple[type, ...]) -> int:
        for seq, event in enumerate(self.recorded.events):
            if isinstance(event, kinds) and getattr(event, "node", "") == agent:
                return seq
        raise AssertionError(f"{agent!r} is not in the trace")

    def questions(self, agent: str) -> list[EffectRequested]:
        """The effects an agent asked for, first attempts only."""
        return [
            event
            for event in self.recorded.events
            if isinstance(event, EffectRequested)
            and event.attempt == 1
            and event.id.rpartition("/")[2].partition("#")[0] == agent
        ]

    @property
    def trace(self) -> str:
        """The whole trace as text, values that are kept apart included."""
        if self.run is None:
            return ""
        lines = [line.decode() for line in self.run.lines]
        return "\n".join([*lines, *(str(event) for event in self.run.events)])


def same(found: Json, wanted: Json, tolerance: float = TOLERANCE) -> bool:
    """Equal, types included; numbers within the tolerance, `NaN` and `Infinity` as texts."""
    if isinstance(wanted, str) and wanted in _SPECIAL and isinstance(found, float):
        special = _SPECIAL[wanted]
        return found == special or (math.isnan(found) and math.isnan(special))
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        return abs(found - wanted) <= tolerance
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return set(found) == {str(key) for key in wanted} and all(
            same(found[str(key)], item, tolerance) for key, item in wanted.items()
        )
    if isinstance(found, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(
            same(one, other, tolerance) for one, other in zip(found, wanted, strict=True)
        )
    return type(found) is type(wanted) and bool(found == wanted)


def at(value: Json, path: str) -> Json:
    """The value at `agents[0].params.from` (a step that is a number is an index of a list)."""
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(value, list):
            assert step.isdecimal() and int(step) < len(value), f"nothing at {path!r} in {value!r}"
            value = value[int(step)]
        else:
            assert isinstance(value, Mapping) and step in value, f"nothing at {path!r} in {value!r}"
            value = value[step]
    return value
