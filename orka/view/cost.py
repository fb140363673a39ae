"""Where calls, tokens and money went: by node, and by model."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from orka.view.run import Attempt, Run, Totals, totals_of


@dataclass(frozen=True, slots=True)
class CostLine:
    """What one node or one model took; `seconds` is the sum over its calls."""

    name: str
    totals: Totals
    seconds: float | None


def by_node(run: Run) -> list[CostLine]:
    """Nodes that called a model, the dearest first; ties go to the slower, then to the earlier."""
    return _lines({node.path: node.attempts for node in run.nodes})


def by_model(run: Run) -> list[CostLine]:
    """Models that answered, in the same order. A failed call has no model: it is left out."""
    calls: defaultdict[str, list[Attempt]] = defaultdict(list)
    for node in run.nodes:
        for attempt in node.attempts:
            if model := attempt.spent.get("model"):
                calls[str(model)].append(attempt)
    return _lines(calls)


def _lines(calls: dict[str, list[Attempt]] | defaultdict[str, list[Attempt]]) -> list[CostLine]:
    lines = [CostLine(name, totals_of(items), _seconds(items)) for name, items in calls.items()]
    called = [line for line in lines if line.totals.calls]
    return sorted(called, key=lambda line: (-(line.totals.cost or 0.0), -(line.seconds or 0.0)))


def _seconds(attempts: list[Attempt]) -> float | None:
    known = [seconds for a in attempts if (seconds := a.spent.get("seconds")) is not None]
    return round(sum(known), 6) if known else None
