"""How an agent chooses among paths: by criteria and strategies, on the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from orka.agent.effect import Effect
from orka.agent.paths import PathRules, Paths
from orka.agent.remarks import Remarks
from orka.score.criterion import Criterion, State
from orka.score.evaluator import SmartPathEvaluator
from orka.score.ledger import Ledger, Noise, Pruned
from orka.score.strategy import STRATEGIES, Strategy
from orka.value import Json

Criteria: TypeAlias = Mapping[str, Criterion]
Strategies: TypeAlias = Mapping[str, Strategy]
BUILT_IN: Strategies = STRATEGIES
# Runs that a history can be asked of.
MOST_RUNS = 1_000


class Choices(Protocol):
    """What the run knows that decisions are made of."""

    def criteria(self) -> Criteria: ...
    def strategies(self) -> Strategies: ...
    def paths(self, rules: PathRules) -> Paths: ...


class Deciding(Remarks):
    """What a context offers to whoever decides."""

    __slots__ = ()
    _world: Choices

    @property
    def criteria(self) -> Criteria:
        """The criteria that the agent's shape names."""
        return self._world.criteria()

    @property
    def strategies(self) -> Strategies:
        """The strategies that the agent's shape names."""
        return self._world.strategies()

    def paths(self, rules: PathRules) -> Paths:
        """The paths through the pool that may be taken from this node; nothing is scored."""
        return self._world.paths(rules)

    async def rank(
        self,
        evaluator: SmartPathEvaluator,
        state: State,
        *,
        pruned: Sequence[Pruned] = (),
        noise: Sequence[Noise] = (),
        context: Mapping[str, Json] | None = None,
    ) -> Ledger:
        """Evaluate, and record the decision whole."""
        ledger = evaluator.evaluate(state, pruned=pruned, noise=noise, context=context)
        await self.decided(ledger.json())
        return ledger

    def history(
        self,
        agents: Sequence[str],
        paths: Sequence[Sequence[str]] = (),
        *,
        tenant: str = "",
        domain: str = "",
        runs: int = 50,
    ) -> Effect:
        """Ask what the last `runs` recorded runs (at most 1,000) say of agents and of paths, for a
        `tenant` and a `domain` ("": any). Raises `EffectFailed`."""
        about: dict[str, Json] = {"agents": list(agents), "paths": [list(path) for path in paths]}
        return Effect("history", {**about, "tenant": tenant, "domain": domain, "runs": runs})
