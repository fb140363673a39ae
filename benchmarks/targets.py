"""The gates of the performance page, and what was measured against each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

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

Verdict = Literal["met", "MISSED", "not measured"]
RAW, LANGGRAPH, ORKA = "raw:task", "langgraph:none", "orka:trace"
DURABLE, POWER = "orka:durable", "orka:power"
PAYLOAD = 1.0  # KB per turn of the growth workloads


@dataclass(frozen=True, slots=True)
class Target:
    """`measure` gives what must be at most `limit` (at least, if `least`)."""

    group: str
    text: str
    limit: float
    measure: Callable[[Samples], Spread | None]
    least: bool = False

    def verdict(self, samples: Samples) -> tuple[Verdict, Spread | None]:
        found = self.measure(samples)
        if found is None:
            return "not measured", None
        good = found.median >= self.limit if self.least else found.median <= self.limit
        return ("met" if good else "MISSED"), found


def _against(
    group: str,
    key: str,
    limit: float,
    base: str,
    what: str,
    *,
    metric: Metric = cpu,
    name: str = ORKA,
) -> Target:
    """`name` at most `limit` times `base` on the same workload."""
    return Target(
        group,
        f"{what} ≤ {limit:.3g} × {base}",
        limit,
        lambda s: s.ratio(metric, (key, name), (key, base)),
    )


def _scaling(group: str, large: str, small: str, limit: float, metric: Metric, name: str) -> Target:
    return Target(
        group,
        f"{large} ≤ {limit} × {small}",
        limit,
        lambda s: s.ratio(metric, (large, name), (small, name)),
    )


def _value(
    group: str, text: str, key: str, limit: float, metric: Metric, name: str = ORKA
) -> Target:
    return Target(group, f"{text} ≤ {limit:g}", limit, lambda s: s.value(key, name, metric))


def _difference(s: Samples) -> Spread | None:
    one, other = (s.rounds(key, ORKA) for key in ("aligned150ms", "skewed150ms"))
    found = [
        abs(one[at]["wall"] - other[at]["wall"]) / 0.15
        for at in one
        if "wall" in one[at] and "wall" in other.get(at, {})
    ]
    return Spread.of(found)


def _faster(run: str, replay: str, name: str) -> Callable[[Samples], Spread | None]:
    """How much faster a replay is than the run it replays was."""
    return lambda s: s.ratio(cpu, (run, name), (replay, name))


def _dependencies(s: Samples) -> Spread | None:
    return s.value("coldstart", ORKA, lambda row: row["packages"] - 1.0)


def _share(s: Samples) -> Spread | None:
    """Runs per second that are left with power-safe durability."""
    return s.ratio(wall, ("durable1000x5x20ms", ORKA), ("durable1000x5x20ms", POWER))


def _power_against_langgraph(s: Samples) -> Spread | None:
    key = "durable1000x5x20ms"
    return s.ratio(wall, (key, "langgraph:sqlite"), (key, POWER))


TARGETS = [
    _against("W1", "chain100", 1 / 10, LANGGRAPH, "chain of 100"),
    _against("W1", "chain100", 2 / 3, "burr:none", "chain of 100"),
    _scaling("W1", "chain1000", "chain100", 1.3, cpu, ORKA),
    _against("W2", "fanout100", 6, RAW, "fan-out of 100"),
    _against("W2", "fanout100", 1 / 4, "haystack:default", "fan-out of 100"),
    _scaling("W2", "fanout1000", "fanout100", 1.4, cpu, ORKA),
    _against("W3", "loop1000", 1 / 15, LANGGRAPH, "loop of 1,000"),
    _against("W3", "loop1000", 1 / 3, "burr:none", "loop of 1,000"),
    _against("W4", "router10000", 1 / 15, LANGGRAPH, "10,000 runs", metric=run_cpu),
    _against("W4", "router10000", 1 / 3, "burr:none", "10,000 runs", metric=run_cpu),
    _value("W5", "fork of 100 × 50 ms / critical path", "fork100x50ms", 1.15, over(0.05)),
    _value("W5", "aligned DAG / critical path", "aligned150ms", 1.03, over(0.15)),
    _value("W5", "skewed DAG / critical path", "skewed150ms", 1.03, over(0.15)),
    Target("W5", "difference of the two DAGs ≤ 0.01", 0.01, _difference),
    _against("W6", "runs1000x5x20ms", 2.5, RAW, "1,000 runs at once, wall", metric=wall),
    _against("W6", "runs1000x5x20ms", 1 / 2, "burr:none", "the same", metric=wall),
    _value("W6", "KB of memory per run", "runs1000x5x20ms", 25, kilobytes),
    _value("W7", "disk of 400 turns of 1 KB / payload", "growth400", 2,
           field("disk", 1 / 1024 / 400 / PAYLOAD), DURABLE),
    _scaling("W7", "growth1000", "growth250", 4.3, disk, DURABLE),
    _scaling("W7", "integer400", "integer100", 1.1, step_disk, DURABLE),
    _value("W8", "import, CPU s", "coldstart", 0.2, field("import_cpu")),
    _value("W8", "import, wall s", "coldstart", 0.3, field("import_wall")),
    _value("W8", "first run, wall s of the whole process", "coldstart", 0.3, field("first_wall")),
    _value("W8", "orka --help, wall s of the whole process", "coldstart", 0.5, field("help_wall")),
    _value("W8", "packages of a core install, with OrKa", "coldstart", 10, field("packages")),
    Target("W8", "dependencies, with theirs ≤ 6", 6, _dependencies),
    _value("W8", "MB installed", "coldstart", 12, field("megabytes")),
    Target("W8", "no model SDK, web server or pandas on import", 1,
           lambda s: s.value("coldstart", ORKA, field("light")), least=True),
    _value("W9", "crash-safe step, CPU µs", "durable200", 100, cpu, DURABLE),
    _against("W9", "durable200", 1 / 20, "langgraph:sqlite", "crash-safe step", name=DURABLE),
    _against("W9", "durable200", 1 / 5, "burr:sqlite", "crash-safe step", name=DURABLE),
    _value("W9", "power-safe step, fsyncs", "durable200", 1.1, syncs, POWER),
    Target("W9", "power-safe, 1,000 runs: runs/s ≥ 0.4 × ours without persistence", 0.4, _share,
           least=True),
    Target("W9", "power-safe, 1,000 runs: runs/s ≥ 20 × langgraph:sqlite", 20,
           _power_against_langgraph, least=True),
    _value("ledger", "10,000 decisions × 12 × 5 rescored, CPU s", "ledger_rescored", 2,
           field("cpu")),
    _value("ledger", "the same: exact flip sets, CPU s", "ledger_flips", 10, field("cpu")),
    Target("replay", "replay ≥ 5 × faster than the recorded run: 200 tool steps, SQLite", 5,
           _faster("durable200", "replay_steps200", DURABLE), least=True),
    Target("replay", "replay ≥ 5 × faster than the recorded run: 1,000 decisions, memory", 5,
           _faster("chain1000", "replay1000", ORKA), least=True),
]  # fmt: skip
