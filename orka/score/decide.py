"""DecisionEngine: scores candidates, and chooses among them by a strategy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from orka.errors import ConfigError, nearest
from orka.score.ledger import Candidate, Kind, Ledger, Noise, Outcome, Pruned, Status, distinct
from orka.score.scorer import SQUARE, Exact, PathScorer, Standing, number
from orka.score.setting import MOST, Setting
from orka.score.strategy import STRATEGIES, Choice, Situation, Strategy, check_choice
from orka.value import Json

MARGIN_UNITS = ("score", "noise")
TOO_CLOSE = ("shortlist", "ask", "safer")


class DecisionEngine:
    """Decides by a setting. `strategies` are those there are, by name.

    Raises `ConfigError` for a strategy, margin, shortlist or `too_close` that cannot be meant."""

    def __init__(self, setting: Setting, strategies: Mapping[str, Strategy] = STRATEGIES) -> None:
        if problem := setting_problem(setting, strategies):
            raise ConfigError(problem, code="score.setting")
        self.setting, self._scorer = setting, PathScorer(setting)
        self._strategy = strategies[setting.strategy]

    def decide(self, candidates: Sequence[Candidate], noise: Sequence[Noise] = ()) -> Outcome:
        """What comes of candidates. Raises `ConfigError` for two of one id, `LedgerError` for one
        that lacks a factor, `AgentError` for a strategy's choice that is none."""
        distinct(candidates)
        return self.conclude(self._scorer.score(candidates), noise)

    def conclude(self, standing: Standing, noise: Sequence[Noise] = ()) -> Outcome:
        """What comes of candidates that are scored already."""
        needed = needed_margin(self.setting, noise)
        if (choice := _without(standing)) is None:
            situation = Situation(standing=standing, setting=self.setting, needed=needed)
            choice = self._strategy.function(situation)
            if STRATEGIES.get(self._strategy.name) is not self._strategy:
                check_choice(self._strategy.name, choice, situation)
        return _outcome(standing, choice, needed)

    def reweigh(self, ledger: Ledger, standing: Standing) -> Outcome:
        """What comes of a ledger whose candidates its own setting has scored already; of the two
        settings only the weights and the way to choose may differ where all is known."""
        if standing.whole:
            return self.conclude(self._scorer.reweighed(standing), ledger.noise)
        return self.decide(ledger.candidates, ledger.noise)

    def ledger(
        self,
        candidates: Sequence[Candidate],
        *,
        pruned: Sequence[Pruned] = (),
        noise: Sequence[Noise] = (),
        context: Mapping[str, Json] | None = None,
    ) -> Ledger:
        """The decision with all that it was made of."""
        return Ledger(
            setting=self.setting,
            candidates=tuple(candidates),
            outcome=self.decide(candidates, noise),
            pruned=tuple(pruned),
            noise=tuple(noise),
            context=context or {},
        )


def setting_problem(setting: Setting, strategies: Mapping[str, Strategy] = STRATEGIES) -> str:
    """What is wrong with a setting, weights aside; empty if nothing is."""
    if setting.strategy not in strategies:
        return f"no strategy {setting.strategy!r}: {nearest(setting.strategy, strategies)}"
    margin, most = setting.commit_margin, setting.k_beam
    if type(margin) not in (int, float) or not 0 <= margin <= MOST:
        return f"`commit_margin` is {margin!r}; it must be a number from 0 to {MOST:g}"
    if type(most) is not int or most < 1:
        return f"`k_beam` is {most!r}; it must be a whole number, 1 or more"
    if setting.margin_unit not in MARGIN_UNITS:
        unit = setting.margin_unit
        return f"`margin_unit` is {unit!r}: {nearest(unit, MARGIN_UNITS)}"
    if setting.too_close == "agent:":
        return "`too_close` names no agent after 'agent:'"
    if setting.too_close not in TOO_CLOSE and not setting.too_close.startswith("agent:"):
        return f"`too_close` is {setting.too_close!r}: {nearest(setting.too_close, TOO_CLOSE)}"
    return ""


def needed_margin(setting: Setting, noise: Sequence[Noise]) -> Exact | None:
    """The margin from which a winner is clear, in units of 1e-12. In units of noise it is that many
    standard deviations of a difference of two scores, √2 · √Σ (weight · deviation)²; None if one
    that has weight is not known."""
    if setting.margin_unit == "score":
        return round(setting.commit_margin * SQUARE)
    spread = spread_of(setting, noise)
    return None if spread is None else round(setting.commit_margin * spread * SQUARE)


def spread_of(setting: Setting, noise: Sequence[Noise]) -> float | None:
    """The standard deviation of a difference of two scores that the measured noise gives; None if
    nothing was measured, or one that has weight is not known."""
    weights = setting.weights
    counted = [each for each in noise if weights.get(each.factor)]
    known = [weights[e.factor] * e.deviation for e in counted if e.deviation is not None]
    if not counted or len(known) < len(counted):
        return None
    return math.sqrt(2 * math.fsum(part * part for part in known))


def _without(standing: Standing) -> Choice | None:
    """What is decided when there is nothing to choose from, or something must be known first."""
    kind: Kind = "fallback"
    if not standing.ranked and not standing.out:
        return _nothing(kind, "no_candidates", "no candidates were proposed")
    if not standing.ranked:
        told = "; ".join(f"{each.candidate.id}: {each.out}" for each in standing.out)
        return _nothing(kind, "all_excluded", f"all candidates are out: {told}")
    if standing.stop:
        return _nothing(kind, "stopped", f"unknown, and not to be: {', '.join(standing.stop)}")
    if standing.ask:
        told = f"unknown, so a person decides: {', '.join(standing.ask)}"
        ids = tuple(each.candidate.id for each in standing.ranked)
        return Choice(decision="human_gate", status="unknown", shortlist=ids, reason=told)
    return None


def _nothing(kind: Kind, status: Status, reason: str) -> Choice:
    return Choice(decision=kind, status=status, reason=reason)


def _outcome(standing: Standing, choice: Choice, needed: Exact | None) -> Outcome:
    margin = standing.margin
    return Outcome(
        decision=choice.decision,
        status=choice.status,
        chosen=choice.chosen,
        shortlist=choice.shortlist,
        ranking=standing.places,
        margin=None if margin is None else number(margin),
        needed=None if needed is None else number(needed),
        tied=standing.tied,
        ask=choice.ask,
        reason=choice.reason,
    )
