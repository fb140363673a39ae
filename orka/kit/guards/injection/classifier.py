"""Our own small classifier: a weight for each bucket of features, learned by
`benchmarks/guards/train_injection.py` and kept beside this file in whole numbers."""

from __future__ import annotations

import hashlib
import importlib
import importlib.resources
import math
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import msgspec

from orka.errors import PluginError

WINDOW, STRIDE = 200, 100
WHOLE = 250  # a text no longer than this is looked at in one piece


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What was learned beside the weights: a step of a weight and the bias make the logit, `slope`
    and `offset` a probability of it. `per_doubling` is taken off a logit for each time that there
    are twice as many windows. `digest`: of the file of weights."""

    step: float
    bias: float
    slope: float
    offset: float
    per_doubling: float
    digest: str


class Window(msgspec.Struct, frozen=True):
    """How sure the classifier is that `[start, end)` is part of an attack."""

    start: int
    end: int
    logit: float


class Classifier:
    """Pure: the same text gives the same numbers on every machine."""

    def __init__(self, settings: Settings, weights: Any, grams: ModuleType) -> None:
        self.settings, self._weights, self._grams = settings, weights, grams

    def windows(self, text: str) -> Iterator[Window]:
        """The windows of a text in which nothing is disguised, in order."""
        if not text.strip():
            return
        numpy = self._grams.np
        buckets, places = self._grams.grams(text)
        length = len(text) + 2
        found = numpy.bincount(places, weights=self._weights[buckets], minlength=length)
        sums = numpy.concatenate(([0], numpy.cumsum(found)))
        counts = numpy.concatenate(([0], numpy.cumsum(numpy.bincount(places, minlength=length))))
        for start, end in spans(len(text)):
            last = length if end == len(text) else end
            count = int(counts[last] - counts[start])
            total = int(sums[last] - sums[start])
            if count:
                logit = total * self.settings.step / math.sqrt(count) + self.settings.bias
                yield Window(start, end, round(logit, 6))

    def strictness(self, windows: int) -> float:
        """How much surer each window must be where there are many: twice as many, as much surer."""
        return round(self.settings.per_doubling * math.log2(max(1.0, windows / 4)), 6)

    def confidence(self, logit: float) -> float:
        """A probability, calibrated on texts that were not learned from."""
        power = self.settings.slope * logit + self.settings.offset
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, power)))), 6)


def spans(length: int) -> Iterator[tuple[int, int]]:
    """Where the windows of a text begin and end."""
    if length <= WHOLE:
        yield 0, length
        return
    for start in range(0, length - STRIDE, STRIDE):
        yield start, min(start + WINDOW, length)


@cache
def classifier() -> Classifier:
    """The one that comes with OrKa. Raises `PluginError` without numpy."""
    try:
        grams = importlib.import_module("orka.kit.guards.injection.grams")
    except ModuleNotFoundError:
        raise PluginError(
            "the injection guard's classifier needs numpy, which is not installed",
            fix="pip install 'orka[guards]', or set `classifier: false` to use the rules alone",
            code="plugin.not_installed",
        ) from None
    here = importlib.resources.files(__package__)
    settings = msgspec.json.decode(here.joinpath("weights.json").read_bytes(), type=Settings)
    packed = here.joinpath("weights.bin").read_bytes()
    if hashlib.sha256(packed).hexdigest() != settings.digest:
        raise PluginError(
            "the injection guard's weights are not those that were learned",
            fix="install OrKa anew",
            code="plugin.damaged",
        )
    return Classifier(settings, grams.np.frombuffer(packed, dtype=grams.np.int8), grams)
