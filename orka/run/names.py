"""The names that a node's templates and its condition may use, each made when it is asked for."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from orka.graph.vocabulary import CLOCK, HELPERS
from orka.run.helpers import FUNCTIONS, Facts, topic
from orka.value import Json

_BY_CLOCK = frozenset((*CLOCK, "now"))
_MADE = frozenset((*CLOCK, *HELPERS, "original_input", "payload"))


class Names(Mapping[str, Json]):
    """`values` are there as they stand; the helpers and what the clock says are made here.
    Without a `clock` there is no time: a condition is decided before its node begins."""

    __slots__ = ("_clock", "_facts", "_values")

    def __init__(
        self,
        values: Mapping[str, Json],
        clock: Callable[[], float] | None = None,
        facts: Facts | None = None,
    ) -> None:
        self._values, self._clock, self._facts = values, clock, facts or Facts()

    def __contains__(self, name: object) -> bool:
        if name in self._values:
            return True
        return name in _MADE and (name not in _BY_CLOCK or self._clock is not None)

    def __getitem__(self, name: str) -> Json:
        if name in self._values:
            return self._values[name]
        if name in _BY_CLOCK and self._clock is not None:
            return self._now if name == "now" else self._now()
        if name == "original_input":
            return topic(self._values)
        if name == "payload":
            return {key: self._values[key] for key in ("input", "previous_outputs")}
        if name in FUNCTIONS:
            return partial(FUNCTIONS[name], self._values, self._facts)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _now(self) -> str:
        """The clock of the fact that woke the node, in ISO 8601: the same in a replay."""
        assert self._clock is not None
        moment = datetime.datetime.fromtimestamp(self._clock(), datetime.UTC)
        return moment.isoformat()
