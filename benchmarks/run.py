"""Measures OrKa beside its peers and prints one table, then a verdict for each target.

    benchmarks/setup --all                  # once: a virtual environment per peer
    python benchmarks/run.py                # five rounds
    python benchmarks/run.py --quick        # two short rounds
    python benchmarks/run.py --only W1,W4 --peers raw,orka

Engines take turns (A B C A B C …), each in its own interpreter. A whole measurement writes
results/latest.json after each round and RESULTS.md at the end; a partial one results/partial.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coldstart import VARIANTS, cold
from samples import Row, Samples
from table import aligned, markdown, rows, verdicts
from targets import TARGETS
from workloads import catalogue

HERE = Path(__file__).parent
VENVS = Path(os.environ.get("PEER_VENVS", "/tmp/peer-venvs"))
_SPEED = "raw:task langgraph:none pydantic-graph:default orka:trace"
MATRIX = {
    "W1": f"{_SPEED} burr:none orka:durable",
    "W2": f"{_SPEED} haystack:default",
    "W3": f"{_SPEED} burr:none",
    "W4": f"{_SPEED} burr:none orka:durable",
    "W5": f"{_SPEED} orka:sleep",
    "W6": f"{_SPEED} burr:none orka:sleep",
    "W7": "raw:wal langgraph:sqlite orka:durable",
    "W9": "raw:wal raw:full langgraph:sqlite burr:sqlite orka:trace orka:durable orka:power",
    "replay": "orka:trace orka:durable",
}
# A run that takes longer than this many seconds is repeated in this many rounds only.
SLOW, SLOW_ROUNDS = 8.0, 2
LONG = ("growth1000", "fanout1000", "durable1000x5x20ms")
_COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
static long made;
long bench_syncs(void) { return made; }
int fsync(int fd) { made++; return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { made++; return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    rounds: int
    budget: float
    quick: bool
    only: frozenset[str]
    peers: frozenset[str]
    again: bool

    @property
    def whole(self) -> bool:
        return not (self.only or self.peers or self.quick)

    def wants(self, group: str, peer: str) -> bool:
        return (not self.only or group in self.only) and (not self.peers or peer in self.peers)


def arguments() -> Asked:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="two short rounds, no large sizes")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--only", default="", help="groups: W1 … W9, replay, ledger")
    parser.add_argument("--peers", default="", help="names as in benchmarks/setup")
    parser.add_argument("--report", action="store_true", help="print results/latest.json again")
    found = parser.parse_args()
    only, peers = (
        frozenset(part for part in text.split(",") if part) for text in (found.only, found.peers)
    )
    rounds = found.rounds or (2 if found.quick else 5)
    return Asked(rounds, 0.15 if found.quick else 0.5, found.quick, only, peers, found.report)


def counter(folder: str) -> str:
    """A library that counts fsync, to be loaded before libc; "" without a C compiler."""
    source, library = Path(folder, "syncs.c"), Path(folder, "syncs.so")
    source.write_text(_COUNTER)
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return ""
    made = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"],
        capture_output=True,
        check=False,
    )
    return str(library) if made.returncode == 0 else ""


def worker(peer: str, variant: str, keys: list[str], budget: float, preload: str) -> list[Row]:
    """The rows of one process. Its session is ours to end if it hangs."""
    python, program = str(VENVS / peer / "bin/python"), str(HERE / "measure.py")
    command = [python, program, peer, variant, ",".join(keys), "--budget", str(budget)]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "LD_PRELOAD": preload}
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=400)
        found: list[Row] = json.loads(out)
    except (subprocess.TimeoutExpired, ValueError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        return [{"key": key, "error": f"exit {process.returncode}"} for key in keys]
    return found


def questions(python: Path) -> list[Row]:
    """The rows of `ledger.py`, in a process of its own."""
    command = [str(python), str(HERE / "ledger.py"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return [{"key": "ledger_flips", "error": f"exit {done.returncode}"}]
    found: list[Row] = json.loads(done.stdout)
    return found


def engines(asked: Asked, group: str) -> list[tuple[str, str]]:
    pairs = [name.partition(":")[::2] for name in MATRIX[group].split()]
    return [
        (peer, variant)
        for peer, variant in pairs
        if asked.wants(group, peer) and (VENVS / peer / "bin/python").exists()
    ]


def slow(samples: Samples, key: str, name: str) -> bool:
    walls = [row["wall"] for row in samples.rounds(key, name).values() if "wall" in row]
    return len(walls) >= SLOW_ROUNDS and statistics.median(walls) > SLOW


def measure(asked: Asked, samples: Samples, preload: str) -> Iterator[str]:
    """Fill `samples`; tells what was done."""
    works = catalogue()
    for round in range(asked.rounds):
        for group in MATRIX:
            keys = [work.key for work in works if work.group == group]
            keys = [key for key in keys if not (asked.quick and key in LONG)]
            turns = engines(asked, group)
            shift = round % len(turns) if turns else 0
            for peer, variant in turns[shift:] + turns[:shift]:
                name, began = f"{peer}:{variant}", time.perf_counter()
                wanted = [key for key in keys if not slow(samples, key, name)]
                for row in worker(peer, variant, wanted, asked.budget, preload) if wanted else []:
                    samples.add(round, name, row)
                yield f"round {round + 1} {group} {name} {time.perf_counter() - began:.1f} s"
        python = VENVS / "orka/bin/python"
        if asked.wants("ledger", "orka") and python.exists():
            for row in questions(python):
                samples.add(round, "orka:trace", row)
            yield f"round {round + 1} ledger"
        for peer, variant in VARIANTS.items():
            if asked.wants("W8", peer) and (VENVS / peer / "bin/python").exists():
                samples.add(round, f"{peer}:{variant}", cold(VENVS, peer))
        yield f"round {round + 1} W8"


def machine() -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{os.cpu_count()} cores, Python {version}"


def report(samples: Samples, kept: Row) -> tuple[str, str]:
    """As plain text and as Markdown."""
    rounds = len({row["round"] for row in samples.plain()})
    measured, judged = rows(samples), verdicts(samples)
    missed = sum(row[3] == "MISSED" for row in judged)
    known = sum(row[3] != "not measured" for row in judged[1:])
    total = f"{known - missed} of {known} measured targets are met ({len(TARGETS)} in all)."
    low, high = kept["load"]
    note = (
        f"Measured on {kept['machine']}, {rounds} rounds: median (smallest–largest) over the "
        "rounds. Each engine runs in its own interpreter, in turns. The ratios are medians of the "
        "ratios of each round: compare ratios, not microseconds. OrKa's full trace is on "
        f"everywhere.\n\nLoad average {low}–{high}, with what else ran on the machine. "
        f"Code: {', '.join(kept['code'])}."
    )
    gaps = "\n".join(f"- {gap}" for gap in samples.gaps()) or "- none"
    text = f"{aligned(measured)}\n\n{aligned(judged)}\n\n{total}\n\nFewer rounds:\n{gaps}\n"
    parts = ("# Results", note, markdown(measured), "## Targets", markdown(judged), total)
    page = "\n\n".join((*parts, "## Measured in fewer rounds", gaps)) + "\n"
    return text, page


def main() -> None:
    asked = arguments()
    if not (VENVS / "orka/bin/python").exists():
        sys.exit(f"no virtual environments in {VENVS}: run benchmarks/setup first")
    path = results(asked)
    if not asked.again:
        measured(asked)
    kept = json.loads(path.read_text())
    text, page = report(Samples.read(kept["rows"]), kept)
    print(text)
    if asked.whole:
        (HERE / "RESULTS.md").write_text(page)


def results(asked: Asked) -> Path:
    """Where rows are kept: a partial measurement never takes the place of a whole one."""
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    return folder / ("latest.json" if asked.whole else "partial.json")


def measured(asked: Asked) -> None:
    """Measure; what is known is kept after each round, so that an interrupt loses little."""
    samples = Samples()
    loads: list[float] = []
    code: dict[str, None] = {}
    with tempfile.TemporaryDirectory() as folder:
        for line in measure(asked, samples, counter(folder)):
            loads.append(round(os.getloadavg()[0], 1))
            print(f"{line}  load {loads[-1]}", file=sys.stderr, flush=True)
            code[revision()] = None
            if line.endswith("W8"):
                kept = {"machine": machine(), "load": [min(loads), max(loads)], "code": [*code]}
                text = json.dumps({**kept, "rows": samples.plain()}, indent=0)
                results(asked).write_text(text + "\n")


def revision() -> str:
    """What is measured; "+" for changes that are not committed."""
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty=+", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
