"""How well models keep their contracts: by agent, model and prompt, over any number of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orka.event.event import Repaired, Violation
from orka.value import canonical, digest
from orka.view.run import NodeView, Run

UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class SensorLine:
    """One agent with one model and one prompt: its answered calls, breaches by kind, repairs by
    rule. `prompt` is a digest; empty if the workflow was not recorded."""

    agent: str
    model: str
    prompt: str
    calls: int = 0
    violations: Mapping[str, int] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def rates(self) -> dict[str, float]:
        """Breaches of each kind for each call."""
        return {kind: round(n / self.calls, 6) for kind, n in self.violations.items() if self.calls}


Key = tuple[str, str, str]


class Sensors:
    """A fold over runs. `prompts` of a run: agent -> what it asks, as written."""

    def __init__(self) -> None:
        self._calls: Counter[Key] = Counter()
        self._violations: dict[Key, Counter[str]] = {}
        self._repairs: dict[Key, Counter[str]] = {}

    def add(self, run: Run, prompts: Mapping[str, object]) -> None:
        """Count what a run's models were asked, and what came of it."""
        for node in run.nodes:
            asked = prompts.get(node.id)
            written = digest(canonical(asked)) if asked is not None else UNKNOWN
            self._node(node, written)

    def _node(self, node: NodeView, prompt: str) -> None:
        models: dict[str, str] = {}
        for attempt in node.attempts:
            if attempt.kind != "llm":
                continue
            models[attempt.id] = attempt.payload["model"]
            if attempt.answered_at is not None and attempt.error is None:
                self._calls[node.id, attempt.payload["model"], prompt] += 1
        for remark in node.remarks:
            if remark.effect not in models:
                continue
            key = (node.id, models[remark.effect], prompt)
            if isinstance(remark, Violation):
                self._violations.setdefault(key, Counter())[remark.kind or "schema"] += 1
            elif isinstance(remark, Repaired):
                self._repairs.setdefault(key, Counter())[remark.rule] += 1

    @property
    def lines(self) -> list[SensorLine]:
        """By agent, model and prompt."""
        return [
            SensorLine(
                *key,
                calls=self._calls[key],
                violations=_ordered(self._violations.get(key, {})),
                repairs=_ordered(self._repairs.get(key, {})),
            )
            for key in sorted(self._calls)
        ]


def sensors(runs: Iterable[tuple[Run, Mapping[str, object]]]) -> list[SensorLine]:
    """The lines of several runs, each with its prompts."""
    fold = Sensors()
    for run, prompts in runs:
        fold.add(run, prompts)
    return fold.lines


def _ordered(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent first, then by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
