"""What would have been decided: the same factors, by another setting."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.errors import ConfigError, nearest
from orka.score.decide import DecisionEngine
from orka.score.ledger import Ledger, Outcome
from orka.score.scorer import Standing
from orka.score.setting import Policy, Setting, check_policy, check_weights, profile_weights
from orka.score.strategy import STRATEGIES, Strategy


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be different. `weights` (or a `profile`) take the place of all weights, so that a
    factor they do not name has none; `set` changes single ones, after those. `without` leaves out
    candidates; `policies` change what counts for not knowing a factor."""

    weights: Mapping[str, float] | None = None
    set: Mapping[str, float] = {}
    profile: str = ""
    without: tuple[str, ...] = ()
    policies: Mapping[str, str] = {}
    commit_margin: float | None = None
    strategy: str = ""
    too_close: str = ""

    @property
    def empty(self) -> bool:
        """True if nothing is to be different."""
        return self == Change()


class Changing:
    """A change that is made to many decisions. What was decided by one setting is decided again by
    one engine: most decisions of a workflow share theirs."""

    def __init__(self, change: Change, strategies: Mapping[str, Strategy] = STRATEGIES) -> None:
        self._change, self._strategies = change, strategies
        self._engines: dict[Setting, DecisionEngine] = {}

    def decided(self, ledger: Ledger) -> Ledger:
        """The decision made again. Raises what `whatif` raises."""
        without, candidates = self._change.without, ledger.candidates
        for id in without:
            ledger.candidate(id)
        if without:
            candidates = tuple(each for each in candidates if each.id not in without)
        return self._engine(ledger.setting).ledger(
            candidates, pruned=ledger.pruned, noise=ledger.noise, context=ledger.context
        )

    def outcome(self, ledger: Ledger, standing: Standing) -> Outcome:
        """What would have come of a ledger whose `standing` is known. Raises what `whatif` does."""
        if self._change.without:
            return self.decided(ledger).outcome
        return self._engine(ledger.setting).reweigh(ledger, standing)

    def _engine(self, setting: Setting) -> DecisionEngine:
        engine = self._engines.get(setting)
        if engine is None:
            engine = DecisionEngine(changed(setting, self._change), self._strategies)
            self._engines[setting] = engine
        return engine


def whatif(
    ledger: Ledger, change: Change, strategies: Mapping[str, Strategy] = STRATEGIES
) -> Ledger:
    """The decision made again with a change; nothing is measured anew.

    Raises `ConfigError` for a change that cannot be meant (weights of factors that were not
    measured, a policy that would reward not knowing), `LedgerError` (`ledger.candidate`) for a
    candidate that there is not.
    """
    return Changing(change, strategies).decided(ledger)


def changed(setting: Setting, change: Change) -> Setting:
    """The setting with a change. Raises `ConfigError`."""
    setting = _policed(_weighed(setting, change), change.policies)
    given = {
        "commit_margin": change.commit_margin,
        "strategy": change.strategy or None,
        "too_close": change.too_close or None,
    }
    return msgspec.structs.replace(
        setting, **{name: value for name, value in given.items() if value is not None}
    )


def _weighed(setting: Setting, change: Change) -> Setting:
    if change.weights is not None and change.profile:
        raise ConfigError(
            "both weights and a profile are given",
            fix="give one of them; single weights may be set beside either",
            code="score.weights",
        )
    if change.profile:
        weights = profile_weights(change.profile)
        known = setting.weights
        counted = {n: w for n, w in weights.items() if w or n in known}
        setting = setting.weighing(counted, change.profile)
    elif change.weights is not None:
        setting = setting.weighing(change.weights)
    if not change.set:
        return setting
    check_weights({**setting.weights, **change.set}, [*setting.weights])
    return setting.weighing({**setting.weights, **change.set})


def _policed(setting: Setting, policies: Mapping[str, str]) -> Setting:
    penalties = {factor.name: factor.penalty for factor in setting.factors}
    for name, policy in policies.items():
        if name not in penalties:
            raise ConfigError(
                f"there is no factor {name!r} to have a policy",
                fix=nearest(name, penalties),
                code="score.policy",
            )
        check_policy(name, policy, penalty=penalties[name])
    factors = tuple(
        msgspec.structs.replace(
            each, policy=msgspec.convert(policies.get(each.name, each.policy), Policy)
        )
        for each in setting.factors
    )
    return msgspec.structs.replace(setting, factors=factors)
