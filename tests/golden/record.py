"""Records golden traces: `python -m golden.record SEED …` in `tests/`. Those that exist are kept: a
trace that no longer replays is a fault, or a new number of the scheduler's rules."""

from __future__ import annotations

import sys
from pathlib import Path

from orka.kit.stores.memory import MemoryStore
from orka.testing.clock import run_virtual
from orka.testing.graphs import workflow
from orka.testing.replay import record
from orka.testing.trace import save

FOLDER = Path(__file__).parent


def main(seeds: list[int]) -> None:
    for seed in seeds:
        path = FOLDER / f"seed-{seed}.jsonl"
        if path.exists():
            sys.exit(f"{path.name} exists, and golden traces are kept for ever")
        store = MemoryStore()
        recorded = run_virtual(record(seed, store))
        made = f"random graph {seed}, {recorded.state.status}"
        save(path, made, workflow(seed), store.read(recorded.run), store.blob)


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]])
