"""A criterion: a pure function that measures one factor of a candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from orka.errors import OrkaError, PluginError
from orka.score.factor import Abstained, Reading, reading
from orka.value import Json

# What a criterion's code may raise; it is an abstention then. Criteria of plugins may raise more.
RAISED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OrkaError,
    RuntimeError,
    TypeError,
    ValueError,
)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One agent of a path, as its file declares it."""

    id: str
    type: str = ""
    model: str = ""
    tool: str = ""
    operation: str = ""
    capabilities: tuple[str, ...] = ()


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A path that can be taken; nothing is measured yet. Without `id` it is the path's ids."""

    path: tuple[str, ...]
    id: str = ""
    steps: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        return self.id or " → ".join(self.path)


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a path is expected to take (None: nobody knows), and how that is known: `cost` in the
    currency of the price table, `latency` in seconds."""

    cost: float | None = None
    latency: float | None = None
    tokens: int | None = None
    cost_reason: str = ""
    latency_reason: str = ""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What is known when a path is to be chosen: `readings` of each candidate that were measured
    elsewhere (by name of the candidate, then of the factor), `estimates` by name of the candidate,
    `history` of each path as (successes, runs), and `names` for rules."""

    candidates: Sequence[Proposal]
    readings: Mapping[str, Mapping[str, object]] = {}
    estimates: Mapping[str, Estimate] = {}
    history: Mapping[str, tuple[int, int]] = {}
    names: Mapping[str, Json] = {}
    input: Json = None
    outputs: Mapping[str, Json] = {}


class Criterion(msgspec.Struct, frozen=True):
    """A named measure of candidates. A `penalty` gives values in [-1, 0], any other in [0, 1];
    what it cannot say is None or an `Abstained`."""

    name: str
    function: Callable[[Proposal, State], object]
    penalty: bool = False
    version: str = ""

    def measure(self, proposal: Proposal, state: State) -> Reading:
        """What it says of a candidate. What it raises is an abstention that names it."""
        try:
            return reading(self.function(proposal, state), penalty=self.penalty)
        except RAISED as error:
            return Abstained(f"{self.name} raised {type(error).__name__}: {error}")


def criterion(
    name: str, *, penalty: bool = False, version: str = ""
) -> Callable[[Callable[[Proposal, State], object]], Criterion]:
    """Make a criterion of a pure function of a `Proposal` and a `State`. Raises `PluginError` for
    what is no function."""

    def register(function: Callable[[Proposal, State], object]) -> Criterion:
        if not callable(function):
            raise PluginError(f"criterion {name!r} is not a function")
        return Criterion(name, function, penalty, version)

    return register
