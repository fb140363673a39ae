"""Features of a text for the classifier: runs of 2 to 5 characters, words and pairs of words, each
hashed to a bucket. Whole numbers only, so that every machine finds the same."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

BITS = 18
LONGEST = 5
_WORD = re.compile(r"\w+")
_BASE, _MIX = 0x9E3779B1, 0x85EBCA6B
_INVERSE = pow(_BASE, -1, 1 << 32)
_SEEDS = (0, 0, 0x1B873593, 0xCC9E2D51, 0xE6546B64, 0x38B34AE5, 0x27D4EB2F, 0x165667B1)
_WORDS, _PAIRS = 6, 7

Numbers = Any  # an array of numpy, whose own types say less than this line


def grams(text: str) -> tuple[Numbers, Numbers]:
    """The bucket of each feature, and the place in the text at which it starts."""
    padded = f" {text} "
    codes = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    places, buckets = [], []
    hashed = codes.astype(np.uint32)
    for size in range(2, LONGEST + 1):
        if len(codes) < size:
            break
        hashed = hashed[:-1] * np.uint32(_BASE) + codes[size - 1 :]
        buckets.append(_bucket(hashed, size))
        places.append(np.arange(len(hashed), dtype=np.int64))
    for found, starts in _words(padded, codes):
        buckets.append(found)
        places.append(starts)
    return np.concatenate(buckets), np.concatenate(places)


def _words(text: str, codes: Numbers) -> list[tuple[Numbers, Numbers]]:
    spans = [match.span() for match in _WORD.finditer(text)]
    if not spans:
        return []
    starts, ends = np.array(spans, dtype=np.int64).T
    # Hashes of all words at once: a difference of two running sums, less the power of its place.
    powers, inverse = _powers(_BASE, len(codes)), _powers(_INVERSE, len(codes))
    sums = np.concatenate(([0], np.cumsum(codes * powers, dtype=np.uint32))).astype(np.uint32)
    words = (sums[ends] - sums[starts]) * inverse[starts]
    found = [(_bucket(words, _WORDS), starts)]
    if len(words) > 1:
        pairs = words[:-1] * np.uint32(_MIX) + words[1:]
        found.append((_bucket(pairs, _PAIRS), starts[:-1]))
    return found


def _powers(base: int, count: int) -> Numbers:
    powers = np.full(count, base, dtype=np.uint32)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint32)


def _bucket(hashed: Numbers, kind: int) -> Numbers:
    mixed = (hashed ^ np.uint32(_SEEDS[kind])) * np.uint32(_MIX)
    mixed ^= mixed >> np.uint32(15)
    return (mixed * np.uint32(_BASE)) >> np.uint32(32 - BITS)
