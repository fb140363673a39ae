"""What paths will take: estimates and their sources, budgets, the factors `cost` and `latency`.

Money is in the currency of the price table. Estimates of time are in seconds; what an author
writes is in milliseconds, and says so in its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

import msgspec

from orka.errors import nearest
from orka.score.criterion import Criterion, Estimate, Proposal, State
from orka.score.evaluator import Gate
from orka.score.factor import Abstained, Known, Reading
from orka.value import Json

Quantile = Literal["p50", "p90"]
CURRENCY = "USD"
# Letters per token, as providers put it for English text; tokens per price.
_LETTERS, _MILLION = 4, 1_000_000
# More than any path takes: whoever writes it mistook the unit.
_MOST = 1e12


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a path may take at most: money, milliseconds, tokens. None: as much as it likes."""

    cost: float | None = None
    latency_ms: float | None = None
    tokens: int | None = None


class Declared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the author says that an agent takes. None: the author does not say."""

    cost: float | None = None
    latency_ms: float | None = None
    tokens: int | None = None


class Scale(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What counts as -1 where no budget says so."""

    cost: float = 0.10
    latency_ms: float = 10_000.0


def budget_problem(budget: Budget) -> str:
    """What is wrong with a budget; empty if nothing is. A cost of 0 is a budget: nothing may cost
    anything."""
    found = _problem("budget.cost", budget.cost)
    found = found or _problem("budget.latency_ms", budget.latency_ms, above=True)
    return found or _problem("budget.tokens", budget.tokens, above=True)


def scale_problem(scale: Scale) -> str:
    """What is wrong with a scale, if anything."""
    found = _problem("scale.cost", scale.cost, above=True)
    return found or _problem("scale.latency_ms", scale.latency_ms, above=True)


def declared_problem(declared: Mapping[str, Declared], known: Sequence[str] | None = None) -> str:
    """What is wrong with declared estimates, if anything. `known` are the agents there are."""
    for id, each in declared.items():
        if known is not None and id not in known:
            return f"`estimates` names {id!r}, which is no agent here: {nearest(id, known)}"
        for field in each.__struct_fields__:
            if problem := _problem(f"estimates.{id}.{field}", getattr(each, field)):
                return problem
    return ""


def _problem(name: str, value: float | None, *, above: bool = False) -> str:
    if value is None or (0 <= value <= _MOST and not (above and value == 0)):
        return ""
    least = "above 0" if above else "0 or more"
    return f"`{name}` is {value}: it must be {least}, and at most {_MOST:g}"


# ---- estimates


def estimates(
    proposals: Sequence[Proposal],
    pool: Mapping[str, Json],
    declared: Mapping[str, Declared] | None = None,
    history: Mapping[str, Json] | None = None,
    *,
    quantile: Quantile = "p90",
    least_samples: int = 3,
) -> dict[str, Estimate]:
    """What each path will take, by its name: the sum of its steps, which run one after another.

    What is declared of a step counts first; then the quantile of what was recorded, if that was
    often enough; then, for cost and tokens, one call: the prompt as it is written and `max_tokens`,
    at the price of its model. A step that nobody knows makes the figure of its path unknown, and
    the reason names it. A sum of high quantiles is more than most runs of the path take.
    """
    source = _Source(pool, declared or {}, history or {}, quantile, max(1, least_samples))
    return {proposal.name: _estimate(proposal.path, source) for proposal in proposals}


def fared(proposals: Sequence[Proposal], history: Mapping[str, Json]) -> dict[str, tuple[int, int]]:
    """(successes, runs) of the paths that were run before, by name, as `State.history` takes it."""
    known = history.get("paths", {})
    found = {proposal.name: known.get(" → ".join(proposal.path)) for proposal in proposals}
    return {name: (each["succeeded"], each["runs"]) for name, each in found.items() if each}


class _Unknown(Exception):
    """Nobody knows a figure of a step; the message says why."""


class _Figure(msgspec.Struct, frozen=True):
    """A figure of a step, and where it comes from."""

    value: float
    source: str


class _Source(msgspec.Struct, frozen=True):
    """Where figures of a step come from. Each method raises `_Unknown` with the causes."""

    pool: Mapping[str, Json]
    declared: Mapping[str, Declared]
    history: Mapping[str, Json]
    quantile: Quantile
    least: int

    @property
    def currency(self) -> str:
        return str(self.history.get("currency", CURRENCY))

    def cost(self, id: str) -> _Figure:
        said = self.declared.get(id, Declared()).cost
        return _declared(said) or self._recorded(id, "cost", self._priced)

    def latency(self, id: str) -> _Figure:
        said = self.declared.get(id, Declared()).latency_ms
        return _declared(None if said is None else said / 1000) or self._recorded(id, "seconds")

    def tokens(self, id: str) -> _Figure:
        said = self.declared.get(id, Declared()).tokens
        return _declared(said) or self._recorded(id, "tokens", self._counted)

    def _recorded(
        self, id: str, field: str, otherwise: Callable[[str], _Figure] | None = None
    ) -> _Figure:
        """From the history; if that says too little, as `otherwise` says."""
        ran = self.history.get("agents", {}).get(id)
        cause = "it never ran" if ran is None else self._unfit(id, ran, field)
        if not cause:
            known = ran[field].get("known", ran["samples"])
            return _Figure(ran[field][self.quantile], f"{self.quantile} of {known} runs")
        if otherwise is None:
            raise _Unknown(cause)
        try:
            return otherwise(id)
        except _Unknown as error:
            raise _Unknown(f"{cause}, and {error}") from None

    def _unfit(self, id: str, ran: Mapping[str, Json], field: str) -> str:
        """Why what was recorded says nothing of the agent as it is now, or too little."""
        model, samples = self._options(id).get("model"), ran["samples"]
        if isinstance(model, str) and model not in ran["model"].split(", "):
            return f"it ran with {ran['model'] or 'no model'}, not with {model}"
        if samples < self.least:
            return f"it ran {samples} times, and {self.least} are needed"
        known = ran[field].get("known", samples)
        if known < self.least:
            return f"known of {known} of {samples} runs, and {self.least} are needed"
        return ""

    def _priced(self, id: str) -> _Figure:
        model = self._model(id)
        price = _price(self.history.get("prices", {}), model)
        if price is None:
            raise _Unknown(f"no price of {model} is known")
        if price["prompt"] == price["completion"] == 0:
            return _Figure(0.0, f"price of {model}")
        letters, most = self._prompt(id), self._most(id)
        total = math.ceil(letters / _LETTERS) * price["prompt"] + most * price["completion"]
        told = f"price of {model}, {letters} letters of prompt, `max_tokens` {most}"
        return _Figure(round(total / _MILLION, 9), told)

    def _counted(self, id: str) -> _Figure:
        self._model(id)
        letters, most = self._prompt(id), self._most(id)
        told = f"{letters} letters of prompt, `max_tokens` {most}"
        return _Figure(math.ceil(letters / _LETTERS) + most, told)

    def _options(self, id: str) -> Mapping[str, Json]:
        options: Mapping[str, Json] = self.pool.get(id, {}).get("options", {})
        return options

    def _model(self, id: str) -> str:
        """The model of an agent that asks one, once."""
        options = self._options(id)
        if options.get("tools"):
            raise _Unknown("it calls tools, nobody knows how often")
        if not isinstance(options.get("model"), str) or "prompt" not in options:
            raise _Unknown("it is no single call of a model")
        return str(options["model"])

    def _prompt(self, id: str) -> int:
        written = [self._options(id).get(name) for name in ("prompt", "system")]
        return sum(len(text) for text in written if isinstance(text, str))

    def _most(self, id: str) -> int:
        most = self._options(id).get("max_tokens")
        if type(most) is not int:
            raise _Unknown("it has no `max_tokens`")
        return most


def _declared(value: float | None) -> _Figure | None:
    if value is not None and not 0 <= value <= _MOST:
        raise _Unknown(f"{value} is declared, which is no such figure")
    return None if value is None else _Figure(value, "declared")


def _price(prices: Mapping[str, Json], model: str) -> Mapping[str, Json] | None:
    """The price of `provider/model`; a key that ends in `*` holds for what begins like it, the
    longest match wins."""
    provider, _, name = model.partition("/")
    key = f"{provider}/{name}"
    starts = [k for k in prices if k == key or (k.endswith("*") and key.startswith(k[:-1]))]
    found = key if key in starts else max(starts, key=len, default="")
    return prices.get(found)


def _estimate(path: Sequence[str], source: _Source) -> Estimate:
    cost, cost_reason = _sum(path, source.cost, source.currency)
    latency, latency_reason = _sum(path, source.latency, "s")
    tokens, _ = _sum(path, source.tokens, "tokens")
    return Estimate(
        cost=cost,
        latency=latency,
        tokens=None if tokens is None else math.ceil(tokens),
        cost_reason=cost_reason,
        latency_reason=latency_reason,
    )


def _sum(
    path: Sequence[str], figure: Callable[[str], _Figure], unit: str
) -> tuple[float | None, str]:
    """The sum over a path and how it is made; or None and what is not known."""
    parts: list[_Figure] = []
    told: list[str] = []
    unknown: list[str] = []
    for id in path:
        try:
            part = figure(id)
        except _Unknown as error:
            unknown.append(f"{id}: {error}")
            continue
        parts.append(part)
        told.append(f"{id} {number(part.value)} ({part.source})")
    if unknown:
        return None, f"unknown of {'; '.join(unknown)}"
    total = math.fsum(part.value for part in parts)
    return total, f"{number(total)} {unit}: {' + '.join(told)}"


def number(value: float) -> str:
    """At most nine decimal places, and none that say nothing."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


# ---- factors and the gate


def spend(budget: Budget | None = None, scale: Scale | None = None) -> tuple[Criterion, Criterion]:
    """The factors `cost` and `latency`: minus the share of the estimate in the budget, at worst -1;
    without a budget, in `scale` (0.10 and 10 s). What is not known is an abstention."""
    budget, scale = budget or Budget(), scale or Scale()
    money = scale.cost if budget.cost is None else budget.cost
    time = (scale.latency_ms if budget.latency_ms is None else budget.latency_ms) / 1000

    def cost(proposal: Proposal, state: State) -> Reading:
        found = state.estimates.get(proposal.name, Estimate())
        return _share(found.cost, found.cost_reason, money)

    def latency(proposal: Proposal, state: State) -> Reading:
        found = state.estimates.get(proposal.name, Estimate())
        return _share(found.latency, found.latency_reason, time)

    return Criterion("cost", cost, penalty=True), Criterion("latency", latency, penalty=True)


def _share(estimate: float | None, reason: str, whole: float) -> Reading:
    if estimate is None:
        return Abstained(reason or "nobody made an estimate")
    share = 1.0 if estimate >= whole and estimate > 0 else estimate / (whole or 1.0)
    return Known(-share if share else 0.0, f"{reason or number(estimate)}; {number(whole)} is -1")


def gate(
    budget: Budget, currency: str = CURRENCY, weighed: Collection[str] = ("cost", "latency")
) -> Gate:
    """Leaves out a path whose estimate is known and above a budget. What is not known leaves it out
    if its factor is not `weighed`; else the policy of the factor says what counts then (that of
    `cost` for tokens too)."""

    def over(proposal: Proposal, state: State) -> str:
        found = state.estimates.get(proposal.name, Estimate())
        most = None if budget.latency_ms is None else budget.latency_ms / 1000
        money, time = "cost" in weighed, "latency" in weighed
        told = (
            _over("costs", found.cost, budget.cost, f" {currency}", excused=money),
            _over("takes", found.latency, most, " s", excused=time),
            _over("takes", found.tokens, budget.tokens, " tokens", excused=money),
        )
        return "; ".join(filter(None, told))

    return over


def _over(
    verb: str, estimate: float | None, most: float | None, unit: str, *, excused: bool
) -> str:
    """Sums of decimal numbers are off by less than what is rounded away. What is no number is not
    known, and nothing is known to be above it."""
    if most is None:
        return ""
    if estimate is None and not excused:
        return f"nobody knows what it {verb}, and the budget is {number(most)}{unit}"
    if estimate is None or not round(estimate, 9) > most:
        return ""
    return f"{verb} about {number(estimate)}{unit}, the budget is {number(most)}{unit}"
