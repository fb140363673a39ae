"""The one table: what was measured, beside the peers, and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samples import (
    Metric,
    Samples,
    Spread,
    cpu,
    disk,
    field,
    kilobytes,
    over,
    run_cpu,
    step_disk,
    syncs,
    wall,
)
from targets import DURABLE, POWER, TARGETS

PEERS = ("raw", "langgraph", "pydantic-graph")
TITLES = ("workload", "unit", "raw", "LangGraph", "pydantic-graph", "OrKa")
QUICK = {
    "raw": "raw:task",
    "langgraph": "langgraph:none",
    "pydantic-graph": "pydantic-graph:default",
}
KEPT = {"raw": "raw:wal", "langgraph": "langgraph:sqlite"}
SAFE = {"raw": "raw:full", "langgraph": "langgraph:sqlite"}
COLD = {"raw": "raw:task", **{name: engine for name, engine in QUICK.items() if name != "raw"}}


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table: a workload, a metric, and the variant of each engine."""

    label: str
    unit: str
    key: str
    metric: Metric
    ours: str = "orka:trace"
    peers: dict[str, str] | None = None

    def engine(self, peer: str) -> str:
        return (QUICK if self.peers is None else self.peers).get(peer, "")


_SPEED = [
    ("W1 chain of 10", "chain10"),
    ("W1 chain of 100", "chain100"),
    ("W1 chain of 1,000", "chain1000"),
    ("W2 fan-out of 10", "fanout10"),
    ("W2 fan-out of 100", "fanout100"),
    ("W2 fan-out of 1,000", "fanout1000"),
    ("W3 loop of 1,000", "loop1000"),
]
_DURABLE1000 = "durable1000x5x20ms"
LINES = [
    *(Line(label, "CPU µs/node", key, cpu) for label, key in _SPEED),
    Line("W4 10,000 runs, five nodes, a condition", "CPU µs/run", "router10000", run_cpu),
    Line("W5 fork of 100 × 50 ms", "wall / 50 ms", "fork100x50ms", over(0.05)),
    Line("W5 fork, ctx.sleep", "wall / 50 ms", "fork100x50ms", over(0.05), "orka:sleep"),
    Line("W5 lanes aligned", "wall / 150 ms", "aligned150ms", over(0.15)),
    Line("W5 lanes skewed", "wall / 150 ms", "skewed150ms", over(0.15)),
    Line("W6 1,000 runs at once, 5 × 20 ms", "wall s", "runs1000x5x20ms", wall),
    Line("W6", "CPU µs/run", "runs1000x5x20ms", run_cpu),
    Line("W6", "KB memory/run", "runs1000x5x20ms", kilobytes),
    Line("W6 with ctx.sleep", "wall s", "runs1000x5x20ms", wall, "orka:sleep"),
    Line("W7 250 turns of 1 KB", "KB on disk", "growth250", disk, DURABLE, KEPT),
    Line("W7 400 turns of 1 KB", "KB on disk", "growth400", disk, DURABLE, KEPT),
    Line("W7 1,000 turns of 1 KB", "KB on disk", "growth1000", disk, DURABLE, KEPT),
    Line("W7 chain of 400, one integer", "bytes/step", "integer400", step_disk, DURABLE, KEPT),
    Line("W8 import", "CPU ms", "coldstart", field("import_cpu", 1e3), peers=COLD),
    Line("W8 first run, whole process", "wall s", "coldstart", field("first_wall"), peers=COLD),
    Line("W8 orka --help", "wall s", "coldstart", field("help_wall"), peers={}),
    Line("W8 packages installed", "", "coldstart", field("packages"), peers=COLD),
    Line("W8 size installed", "MB", "coldstart", field("megabytes"), peers=COLD),
    Line("W9 crash-safe decision", "CPU µs/step", "decisions200", cpu, DURABLE, KEPT),
    Line("W9 crash-safe step", "wall ms", "durable200", field("wall", 1000 / 200), DURABLE, KEPT),
    Line("W9 crash-safe step", "CPU µs/step", "durable200", cpu, DURABLE, KEPT),
    Line("W9 power-safe step", "CPU µs/step", "durable200", cpu, POWER, SAFE),
    Line("W9 power-safe step", "fsyncs/step", "durable200", syncs, POWER, SAFE),
    Line("W9 crash-safe, 1,000 runs at once", "wall s", _DURABLE1000, wall, DURABLE, KEPT),
    Line("W9 power-safe, 1,000 runs at once", "wall s", _DURABLE1000, wall, POWER, SAFE),
    Line("Replay of 1,000 decisions", "CPU µs/node", "replay1000", cpu, peers={}),
    Line("Replay of 200 steps", "CPU µs/step", "replay_steps200", cpu, DURABLE, {}),
    Line("Stored decision of 12 × 5: read", "CPU µs", "ledger_read", cpu, peers={}),
    Line("read, scored, decided", "CPU µs", "ledger_rescored", cpu, peers={}),
    Line("the same by other weights", "CPU µs", "ledger_reweighed", cpu, peers={}),
    Line("all flips", "CPU µs", "ledger_flips", cpu, peers={}),
    Line("all flips, 5 % unknown", "CPU µs", "ledger_unknown", cpu, peers={}),
]  # fmt: skip


def number(value: float) -> str:
    for least, digits in ((100, 0), (10, 1), (0.995, 2)):
        if abs(value) >= least:
            return f"{value:,.{digits}f}"
    return f"{value:.3f}" if value else "0"


def spread(found: Spread | None) -> str:
    if found is None:
        return "–"
    if found.low == found.high:
        return number(found.median)
    return f"{number(found.median)} ({number(found.low)}–{number(found.high)})"


def rows(samples: Samples) -> list[list[str]]:
    """The table's cells: values with minimum and maximum, then OrKa's paired ratios."""
    table = [[*TITLES, "OrKa/raw", "OrKa/LangGraph", "OrKa/pydantic-graph"]]
    for line in LINES:
        ours = samples.value(line.key, line.ours, line.metric)
        values = [samples.value(line.key, line.engine(peer), line.metric) for peer in PEERS]
        if ours is None and not any(values):
            continue
        ratios = [
            samples.ratio(line.metric, (line.key, line.ours), (line.key, line.engine(peer)))
            for peer in PEERS
        ]
        shown = [number(ratio.median) if ratio else "–" for ratio in ratios]
        table.append([line.label, line.unit, *map(spread, values), spread(ours), *shown])
    return table


def verdicts(samples: Samples) -> list[list[str]]:
    """Each target, what was measured, and whether it is met."""
    table = [["", "target", "measured", "verdict"]]
    for target in TARGETS:
        verdict, found = target.verdict(samples)
        table.append([target.group, target.text, spread(found), verdict])
    return table


def aligned(table: Sequence[Sequence[str]]) -> str:
    """Plain text in columns."""
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )


def markdown(table: Sequence[Sequence[str]]) -> str:
    head, *body = (f"| {' | '.join(row)} |" for row in table)
    return "\n".join([head, "|" + " --- |" * len(table[0]), *body])
