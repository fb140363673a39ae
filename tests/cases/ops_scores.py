"""`score_paths`: candidates with measures, weights; what is chosen, by how much, and why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cases.language import Case, Fields, NotUnderstood, listed
from cases.observed import Observed
from cases.scored import Seen, holds, same_results
from cases.scores import asked, decided
from cases.scouts import scouted, scouting
from orka.errors import OrkaError
from orka.value import Json

_TESTS = Path(__file__).parent.parent
_VARIANTS = "_variants"
_SEEDS = ("0", "1", "2", "3", "random")


def score_paths(case: Case, folder: Path) -> None:
    """Each variant of the input, as often as it says; what is expected holds for all of them."""
    given, expected = dict(case.input), dict(case.expected)
    varied = [key for key in given if key.endswith(_VARIANTS)]
    if len(varied) > 1:
        raise NotUnderstood(f"several keys vary: {', '.join(varied)}")
    if not varied and "each" not in expected:
        return _one(given, expected, folder)
    key = varied[0] if varied else ""
    values = listed(given.pop(key)) if key else [None]
    each = expected.pop("each", [{}] * len(values))
    assert len(each) == len(values), f"{len(values)} variants, {len(each)} expectations"
    for number, (value, wanted) in enumerate(zip(values, each, strict=True)):
        here = folder / str(number)
        here.mkdir()
        more = {key.removesuffix(_VARIANTS): value} if key else {}
        _one({**given, **more}, {**expected, **wanted}, here)
    return None


def _one(given: Mapping[str, Json], expected: Mapping[str, Json], folder: Path) -> None:
    times, seeds = int(given.get("repeat", 1)), bool(given.get("vary_hash_seed"))
    results = []
    for number in range(times):
        here = folder / f"time{number}"
        here.mkdir()
        results.append(seen(given, here))
    first = results[0]
    first.again = [each.whole() for each in results]
    if seeds:
        first.again += _elsewhere(given)
    if "same_every_time" not in expected and len(first.again) > 1:
        same_results(first, True)  # as a case says it
    holds(first, expected, "expected")


def seen(given: Mapping[str, Json], folder: Path) -> Seen:
    """The question put to the scorer, or to a scout in a run if only that can answer."""
    with Fields(given, "input") as fields:
        for key in ("repeat", "vary_hash_seed"):
            fields.take(key)
        question = asked(fields)
        scout = scouting(fields, question)
    found = Seen(question=question, scout=scout, folder=folder)
    if scout.wanted or not question.typed:
        found.observed, found.ledger, found.names = scouted(question, scout, folder)
        return found
    try:
        found.ledger = decided(question)
    except OrkaError as refused:
        found.observed = Observed(error=refused)
    return found


def _elsewhere(given: Mapping[str, Json]) -> list[bytes]:
    """What processes say whose hashes are others."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "input.json"
        file.write_text(json.dumps(given), encoding="utf-8")
        command = [sys.executable, "-m", "cases.ops_scores", str(file)]
        children = [
            subprocess.Popen(
                command,
                env={**os.environ, "PYTHONPATH": str(_TESTS), "PYTHONHASHSEED": seed},
                stdout=subprocess.PIPE,
            )
            for seed in _SEEDS
        ]
        told = [child.communicate()[0] for child in children]
    assert not any(child.returncode for child in children), "a process failed"
    return told


def main(path: str) -> None:
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.buffer.write(seen(given, Path(place)).whole())


if __name__ == "__main__":
    main(sys.argv[1])
