"""SmartPathEvaluator: the stable door. From what is known to a decision, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from orka.errors import ConfigError, nearest
from orka.score.criterion import Criterion, Proposal, State
from orka.score.decide import DecisionEngine
from orka.score.factor import Abstained, Reading, reading
from orka.score.ledger import Candidate, Ledger, Noise, Pruned
from orka.score.setting import Setting
from orka.score.strategy import STRATEGIES, Strategy
from orka.value import Json

Gate = Callable[[Proposal, State], str]
"""Gives why a candidate is out, or nothing."""


class SmartPathEvaluator:
    """Measures candidates by criteria, leaves out those that a gate excludes, scores and decides.

    Readings that were made elsewhere (a model's judgement) come with the state; a factor that
    nobody measured is an abstention. Raises `ConfigError` for a setting that cannot be meant and
    for two criteria of one name.
    """

    def __init__(
        self,
        setting: Setting,
        criteria: Sequence[Criterion] = (),
        gates: Sequence[Gate] = (),
        strategies: Mapping[str, Strategy] = STRATEGIES,
    ) -> None:
        self.setting, self._gates = setting, tuple(gates)
        self._engine = DecisionEngine(setting, strategies)
        self._criteria: dict[str, Criterion] = {}
        for each in criteria:
            if each.name in self._criteria:
                raise ConfigError(f"two criteria are called {each.name!r}", code="score.criterion")
            if each.name not in setting.weights:
                raise ConfigError(
                    f"criterion {each.name!r} has no weight, so it would count for nothing",
                    fix=nearest(each.name, setting.weights),
                    code="score.criterion",
                )
            self._criteria[each.name] = each

    def evaluate(
        self,
        state: State,
        *,
        pruned: Sequence[Pruned] = (),
        noise: Sequence[Noise] = (),
        context: Mapping[str, Json] | None = None,
    ) -> Ledger:
        """The decision: chosen path, shortlist, and the full breakdown."""
        candidates = [self._candidate(proposal, state) for proposal in state.candidates]
        return self._engine.ledger(candidates, pruned=pruned, noise=noise, context=context)

    def _candidate(self, proposal: Proposal, state: State) -> Candidate:
        given = state.readings.get(proposal.name, {})
        factors = {
            factor.name: self._reading(factor.name, factor.penalty, proposal, state, given)
            for factor in self.setting.factors
        }
        why = next((told for gate in self._gates if (told := gate(proposal, state))), "")
        return Candidate(id=proposal.name, path=proposal.path, factors=factors, excluded=why)

    def _reading(
        self,
        name: str,
        penalty: bool,  # noqa: FBT001  # handed on by name
        proposal: Proposal,
        state: State,
        given: Mapping[str, object],
    ) -> Reading:
        if name in given:
            return reading(given[name], penalty=penalty)
        if name in self._criteria:
            return self._criteria[name].measure(proposal, state)
        return Abstained("nobody measured it")
