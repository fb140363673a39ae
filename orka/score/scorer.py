"""PathScorer: `final = Σ weight · factor`, in exact arithmetic, over candidates that are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import mul

import msgspec

from orka.score.factor import UNIT, Abstained, Known, Reading, bounds, exact
from orka.score.ledger import Candidate, Place, complete
from orka.score.setting import BooleanRules, Factor, Setting

# Scores in units of 1e-12: a weight times a factor, each in units of 1e-6. `renormalise` divides,
# so it gives fractions of the same unit.
Exact = int | Fraction
SQUARE = UNIT * UNIT


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate with what counts for each of its factors (None: the weight was given to others).
    `order` is its place as declared; `final` is None if it is out, and `out` says why."""

    candidate: Candidate
    order: int
    effective: tuple[int | None, ...] = ()
    final: Exact | None = None
    out: str = ""

    @property
    def score(self) -> float | None:
        """`final` as a number."""
        return None if self.final is None else number(self.final)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """All candidates: those that are in, the best first, ties in declared order; and the rest.
    `ask` and `stop` name the unknown factors that the setting does not go on without. If it is
    `whole`, nothing but weights decides: all is known of those that are in, the others were out
    before anything was scored."""

    ranked: tuple[Scored, ...]
    out: tuple[Scored, ...] = ()
    ask: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    whole: bool = False

    @property
    def margin(self) -> Exact | None:
        """The distance of the first two, if there are two."""
        if len(self.ranked) < 2:
            return None
        first, second = self.ranked[0].final, self.ranked[1].final
        return None if first is None or second is None else first - second

    @property
    def tied(self) -> tuple[str, ...]:
        """Those whose score is exactly that of the first, if there are several."""
        best = [each for each in self.ranked if each.final == self.ranked[0].final]
        return tuple(each.candidate.id for each in best) if len(best) > 1 else ()

    @property
    def places(self) -> tuple[Place, ...]:
        """The ranking, and behind it what was out."""
        ranked = [Place(each.candidate.id, each.score) for each in self.ranked]
        return (*ranked, *(Place(each.candidate.id, None, each.out) for each in self.out))


class PathScorer:
    """Scores candidates by a setting."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._weights = tuple(exact(factor.weight) for factor in setting.factors)
        self._names = tuple(factor.name for factor in setting.factors)
        self._rules = setting.boolean is not None

    def score(self, candidates: Sequence[Candidate]) -> Standing:
        """Raises `LedgerError` for a factor that a candidate lacks."""
        factors = self.setting.factors
        complete(factors, candidates)
        inside: list[tuple[int, Candidate]] = []
        out: list[Scored] = []
        whole = True
        for order, candidate in enumerate(candidates):
            known = self._whole(candidate)
            why = candidate.excluded if known and not self._rules else self._out(candidate)
            if why:
                out.append(Scored(candidate=candidate, order=order, out=why))
            else:
                inside.append((order, candidate))
                whole = whole and known
        lowest = {} if whole else {f.name: _worst(f, [c for _, c in inside]) for f in factors}
        scored = [
            self._known(order, candidate) if whole else self._scored(order, candidate, lowest)
            for order, candidate in inside
        ]
        scored.sort(key=_better)
        return Standing(
            ranked=tuple(scored),
            out=tuple(out),
            ask=() if whole else self._open("ask", inside),
            stop=() if whole else self._open("stop", inside),
            whole=whole and not self._rules and all(each.candidate.excluded for each in out),
        )

    def reweighed(self, standing: Standing) -> Standing:
        """What comes of a `whole` standing, by other weights, with these."""
        scored = [
            Scored(
                candidate=each.candidate,
                order=each.order,
                effective=each.effective,
                final=sum(map(mul, self._weights, each.effective)),
            )
            for each in standing.ranked
        ]
        scored.sort(key=_better)
        return Standing(ranked=tuple(scored), out=standing.out, whole=True)

    def _whole(self, candidate: Candidate) -> bool:
        """Whether all of a candidate's factors are known."""
        held = candidate.factors
        kinds = [held[name].__class__ for name in self._names]
        return kinds.count(Known) == len(kinds)

    def _out(self, candidate: Candidate) -> str:
        """Why a candidate is out, if it is."""
        if candidate.excluded:
            return candidate.excluded
        benefit = False
        for factor in self.setting.factors:
            held = candidate.factors[factor.name]
            benefit |= isinstance(held, Known) and not factor.penalty and factor.weight > 0
            if isinstance(held, Abstained) and factor.policy == "exclude" and factor.weight:
                return f"{factor.name} is unknown ({held.cause}), which excludes it"
        lost = [f.name for f in self.setting.factors if self._moved(f, candidate)]
        if lost and not benefit:
            return f"nothing speaks for it: {', '.join(lost)} cannot be renormalised"
        rules = self.setting.boolean
        return failing(self.setting.factors, rules, candidate.factors) if rules else ""

    def _moved(self, factor: Factor, candidate: Candidate) -> bool:
        """Whether a candidate's weight of a factor is given to its other benefits."""
        unknown = isinstance(candidate.factors[factor.name], Abstained)
        return factor.policy == "renormalise" and factor.weight > 0 and unknown

    def _open(self, policy: str, inside: Sequence[tuple[int, Candidate]]) -> tuple[str, ...]:
        found = {
            factor.name: None
            for factor in self.setting.factors
            if factor.policy == policy and factor.weight
            for _, candidate in inside
            if isinstance(candidate.factors[factor.name], Abstained)
        }
        return tuple(found)

    def _known(self, order: int, candidate: Candidate) -> Scored:
        """A candidate of which all is known: most are."""
        held = candidate.factors
        values = [held[name].value for name in self._names]  # type: ignore[union-attr]  # all are
        effective = tuple([round(value * UNIT) for value in values])
        final = sum(map(mul, self._weights, effective))
        return Scored(candidate=candidate, order=order, effective=effective, final=final)

    def _scored(self, order: int, candidate: Candidate, lowest: Mapping[str, int]) -> Scored:
        effective = tuple(
            exact(held.value)
            if isinstance(held := candidate.factors[factor.name], Known)
            else (None if self._moved(factor, candidate) else lowest[factor.name])
            for factor in self.setting.factors
        )
        final = total(self.setting.factors, self._weights, effective)
        return Scored(candidate=candidate, order=order, effective=effective, final=final)


def total(
    factors: Sequence[Factor], weights: Sequence[int], effective: Sequence[int | None]
) -> Exact:
    """The sum. What is None gives its weight to the other benefits, in proportion to theirs."""
    final: int = 0
    if None not in effective:
        for weight, value in zip(weights, effective, strict=True):
            final += weight * value  # type: ignore[operator]  # no None is in it
        return final
    benefits = known = gain = 0
    for factor, weight, value in zip(factors, weights, effective, strict=True):
        if factor.penalty:
            final += weight * (value or 0)
            continue
        benefits += weight
        if value is not None:
            known += weight
            gain += weight * value
    return final + Fraction(gain * benefits, known) if known else final


def number(final: Exact) -> float:
    """A score as a number, rounded once."""
    if isinstance(final, int):
        return final / SQUARE
    return round(float(final / SQUARE), 12)


def failing(factors: Sequence[Factor], rules: BooleanRules, held: Mapping[str, Reading]) -> str:
    """Why a candidate does not pass its yes/no criteria, if it does not. Unknown never passes."""
    told = {f.name: _truth(held[f.name]) for f in factors if f.severity}
    by = {f.name: f.severity for f in factors}
    critical = [n for n, true in told.items() if by[n] == "critical" and not true]
    if rules.require_critical and critical:
        return f"critical criterion {critical[0]} {_how(held[critical[0]])}"
    important = [true for n, true in told.items() if by[n] == "important"]
    share = sum(important) / len(important) if important else 1.0
    if share < rules.important_threshold:
        return (
            f"{sum(important)} of {len(important)} important criteria are true, "
            f"below {rules.important_threshold:.0%}"
        )
    nice = [n for n, true in told.items() if by[n] == "nice_to_have" and not true]
    if rules.strict and nice:
        return f"strict: criterion {nice[0]} {_how(held[nice[0]])}"
    return ""


def _truth(held: Reading) -> bool:
    return isinstance(held, Known) and held.value == 1


def _how(held: Reading) -> str:
    if isinstance(held, Abstained):
        return f"is unknown ({held.cause})"
    return f"is false{f' ({held.reason})' if held.reason else ''}"


def _worst(factor: Factor, candidates: Sequence[Candidate]) -> int:
    """What counts for not knowing: the worst known value, or the lowest there can be."""
    low = bounds(factor.penalty)[0] * UNIT
    if factor.policy == "floor":
        return low
    known = (candidate.factors[factor.name] for candidate in candidates)
    return min((exact(each.value) for each in known if isinstance(each, Known)), default=low)


def _better(scored: Scored) -> tuple[Exact, int]:
    return -(scored.final or 0), scored.order
