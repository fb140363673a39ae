"""What questions to stored decisions cost: 10,000 decisions × 12 candidates × 5 factors.

    python benchmarks/ledger.py [--decisions N]

Prints a table, and with `--json` one line of JSON for `run.py`. Decisions are kept as JSON, as a
run keeps them; each question begins with that. Nothing that could ask a model is loaded.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence

from orka.score.again import again
from orka.score.decide import DecisionEngine
from orka.score.factor import PENALTIES, Abstained, Known, Reading
from orka.score.flips import flips
from orka.score.ledger import Candidate, Ledger
from orka.score.setting import PROFILES, Setting, factors_of
from orka.score.whatif import Change, Changing
from orka.value import canonical, parse

Row = dict[str, object]
DECISIONS, CANDIDATES, UNKNOWN = 10_000, 12, 0.05
CHANGE = Change(profile="balanced")
_REASON = "a reason in words, as a judge or a rule gives one"


def stored(count: int, unknown: float) -> list[bytes]:
    """Decisions by the default profile; a share of their factors is not known."""
    rng = random.Random(12)
    engine = DecisionEngine(Setting(factors=factors_of(PROFILES["conservative"])))
    found = []
    for _ in range(count):
        candidates = [_candidate(rng, at, unknown) for at in range(CANDIDATES)]
        found.append(canonical(engine.ledger(candidates).json()))
    return found


def _candidate(rng: random.Random, at: int, unknown: float) -> Candidate:
    readings: dict[str, Reading] = {}
    for name in PROFILES["conservative"]:
        value = round(rng.random(), 6)
        known = Known(-value if name in PENALTIES else value, _REASON)
        readings[name] = Abstained("nobody knows") if rng.random() < unknown else known
    return Candidate(id=f"path {at}", path=("search", f"agent{at}", "answer"), factors=readings)


def decoded(line: bytes) -> None:
    Ledger.read(parse(line))


def rescored(line: bytes) -> None:
    """Read, scored and decided again by the same setting; it must come out as it is recorded."""
    ledger = Ledger.read(parse(line))
    found = DecisionEngine(ledger.setting).decide(ledger.candidates, ledger.noise)
    assert found == ledger.outcome


def reweighing() -> Callable[[bytes], None]:
    """As `orka rescore` does it: checked against its own factors, then decided by other weights."""
    changing = Changing(CHANGE)

    def reweighed(line: bytes) -> None:
        ledger = Ledger.read(parse(line))
        changing.outcome(ledger, again(ledger))

    return reweighed


def flipped(line: bytes) -> None:
    found = flips(Ledger.read(parse(line)))
    assert len(found.values) == CANDIDATES * len(found.weights)


def timed(key: str, question: Callable[[bytes], None], lines: Sequence[bytes]) -> Row:
    """Wall and CPU seconds for all of them."""
    wall, cpu = time.perf_counter(), time.process_time()
    for line in lines:
        question(line)
    return {
        "key": key,
        "size": len(lines),
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
    }


def measured(count: int) -> list[Row]:
    """All questions. Raises `AssertionError` if anything is loaded that could ask a model."""
    known, some = stored(count, 0.0), stored(count, UNKNOWN)
    found = [
        timed("ledger_read", decoded, known),
        timed("ledger_rescored", rescored, known),
        timed("ledger_reweighed", reweighing(), known),
        timed("ledger_flips", flipped, known),
        timed("ledger_unknown", flipped, some),
    ]
    loaded = [name for name in sys.modules if name.startswith(("orka.kit", "orka.engine"))]
    assert not loaded, loaded
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = measured(asked.decisions)
    if asked.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"{row['key']:<18} {row['size']:>7}  {row['wall']:.2f} s  CPU {row['cpu']:.2f} s")


if __name__ == "__main__":
    main()
