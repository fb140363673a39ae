"""An agent of 0.9 as it is written, and what its file says for all agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orka.spec.orka09.book import Keys
from orka.value import Json


@dataclass(frozen=True)
class Head:
    """What the file says for all of its agents."""

    structured: Mapping[str, Json] = field(default_factory=dict)
    preset: Json = None
    decay: Mapping[str, Json] = field(default_factory=dict)
    system: str = ""
    # What a path of a graph-scout may take.
    budget: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """An agent as it is written: its old type, its keys, and what the file says for all."""

    kind: str
    keys: Keys
    head: Head
    caught: bool
