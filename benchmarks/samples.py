"""What was measured: one row per workload, engine and round, and medians and ratios over them."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]  # Any: as read from JSON
Metric = Callable[[Row], float | None]


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, smallest and largest over the rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Spread | None:
        found = list(numbers)
        return cls(statistics.median(found), min(found), max(found)) if found else None


def cpu(row: Row) -> float | None:
    """Microseconds of CPU time per node."""
    return float(row["cpu"]) / row["size"] * 1e6 if "cpu" in row else None


def run_cpu(row: Row) -> float | None:
    """Microseconds of CPU time per run."""
    return float(row["cpu"]) * 1e6 if "cpu" in row else None


def wall(row: Row) -> float | None:
    """Seconds."""
    return float(row["wall"]) if "wall" in row else None


def over(seconds: float) -> Metric:
    """Wall time as a multiple of the critical path."""
    return lambda row: float(row["wall"]) / seconds if "wall" in row else None


def kilobytes(row: Row) -> float | None:
    """Memory per run, in units of 1,024 bytes."""
    return float(row["memory"]) / 1024 if "memory" in row else None


def disk(row: Row) -> float | None:
    """Bytes left on disk per run, in units of 1,024."""
    return float(row["disk"]) / 1024 if "disk" in row else None


def step_disk(row: Row) -> float | None:
    """Bytes left on disk per step."""
    return float(row["disk"]) / row["size"] if "disk" in row else None


def syncs(row: Row) -> float | None:
    """Calls of fsync per step."""
    found = row.get("syncs")
    return None if found is None else float(found) / row["size"]


def field(name: str, scale: float = 1.0) -> Metric:
    """A number of a row as it is, times `scale`."""
    return lambda row: float(row[name]) * scale if row.get(name) is not None else None


class Samples:
    """Rows by workload and engine ("peer:variant"), in the order of the rounds."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, dict[int, Row]]] = defaultdict(lambda: defaultdict(dict))

    def add(self, round: int, name: str, row: Row) -> None:
        self._rows[row["key"]][name][round] = row

    def rounds(self, key: str, name: str) -> dict[int, Row]:
        return self._rows.get(key, {}).get(name, {})

    def error(self, key: str, name: str) -> str:
        """What went wrong, if all rounds went wrong."""
        errors = [row.get("error") for row in self.rounds(key, name).values()]
        return str(errors[0]) if errors and all(errors) else ""

    def value(self, key: str, name: str, metric: Metric) -> Spread | None:
        rows = self.rounds(key, name).values()
        return Spread.of(found for row in rows if (found := metric(row)) is not None)

    def ratio(
        self, metric: Metric, one: tuple[str, str], other: tuple[str, str], scale: float = 1.0
    ) -> Spread | None:
        """Over the rounds that measured both: `one` / `other`, each a (workload, engine)."""
        above, below = self.rounds(*one), self.rounds(*other)
        pairs = [(metric(above[round]), metric(below[round])) for round in above if round in below]
        return Spread.of(a / b * scale for a, b in pairs if a is not None and b)

    def gaps(self) -> list[str]:
        """Where fewer rounds were measured than there were, and why."""
        total = len({row["round"] for row in self.plain()})
        found: dict[tuple[str, int, str], list[str]] = {}
        for key, names in self._rows.items():
            for name, rounds in names.items():
                good = sum("error" not in row or not row["error"] for row in rounds.values())
                errors = [row["error"] for row in rounds.values() if row.get("error")]
                if good < total and "not supported" not in errors:
                    reason = errors[0] if errors else "slow"
                    found.setdefault((name, good, reason), []).append(key)
        return [
            f"{name}: {good} of {total} rounds for {', '.join(keys)} ({reason})"
            for (name, good, reason), keys in found.items()
        ]

    def plain(self) -> list[Row]:
        """All rows, as JSON."""
        return [
            {"round": round, "engine": name, **row}
            for names in self._rows.values()
            for name, rounds in names.items()
            for round, row in rounds.items()
        ]

    @classmethod
    def read(cls, rows: Iterable[Row]) -> Samples:
        """The inverse of `plain`."""
        samples = cls()
        for row in rows:
            rest = {name: item for name, item in row.items() if name not in ("round", "engine")}
            samples.add(row["round"], row["engine"], rest)
        return samples
