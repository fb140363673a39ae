"""Which of the values in a text is the answer: the one that can be, or none."""

from __future__ import annotations

from collections.abc import Sequence

from orka.agent.sensor.contract import Contract, Verdict
from orka.agent.sensor.fragments import Found
from orka.agent.sensor.reading import Reading
from orka.agent.sensor.schema import shown
from orka.value import Json, identical


def chosen(found: Sequence[Found], contract: Contract | None, now: float | None) -> Reading:
    """The reading of the one value among `found` that is meant; a violation if it is not one."""
    if contract is None:
        one = _meant(found)
        if isinstance(one, Reading):
            return one
        return Reading(value=one.value, repairs=one.repairs, extra=_others(found, one.value))
    verdicts = [(item, contract.judge(item.value, now)) for item in found]
    fitting = [(item, verdict) for item, verdict in verdicts if not verdict.problems]
    strict = [(item, verdict) for item, verdict in fitting if not verdict.repairs]
    fitting = strict or fitting
    if not fitting:
        return _unfit(found, verdicts)
    one = _meant([item for item, _ in fitting])
    if isinstance(one, Reading):
        return one
    verdict = next(verdict for item, verdict in fitting if item is one)
    return Reading(
        value=verdict.value,
        repairs=(*one.repairs, *verdict.repairs),
        extra=_others(found, one.value),
    )


def _meant(found: Sequence[Found]) -> Found | Reading:
    """The value that a text without a contract gives, or the violation that there are several."""
    pool = [item for item in found if not item.loose] or list(found)
    pool = [item for item in pool if _structured(item.value)] or pool
    fenced = [item for item in pool if item.fenced]
    if fenced and not any(item.start > fenced[-1].end for item in pool if not item.fenced):
        pool = fenced
    different = _distinct([item.value for item in pool])
    if len(different) > 1:
        told = ", ".join(shown(value) for value in different[:3])
        more = ", …" if len(different) > 3 else ""
        return Reading(
            ok=False,
            kind="ambiguous",
            message=f"the answer holds {len(different)} different values: {told}{more}",
            where=f"offset {pool[0].start}",
            extra=tuple(different),
        )
    return pool[0]


def _structured(value: Json) -> bool:
    """Whether a value is an object or a list of some: what is meant, beside a list of numbers."""
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict) for item in value)
    )


def _unfit(found: Sequence[Found], verdicts: Sequence[tuple[Found, Verdict]]) -> Reading:
    one = _meant(found)
    extra = tuple(_distinct([item.value for item in found]))
    if isinstance(one, Reading):
        verdict = verdicts[0][1]
        message = f"none of {len(extra)} values keeps the contract; the first: {verdict.message}"
    else:
        verdict = next(verdict for item, verdict in verdicts if item is one)
        extra, message = _others(found, one.value), verdict.message
    return Reading(
        ok=False,
        kind=verdict.kind,
        message=message,
        where=verdict.problems[0].where,
        extra=extra,
    )


def _others(found: Sequence[Found], value: Json) -> tuple[Json, ...]:
    values = _distinct([item.value for item in found])
    return tuple(other for other in values if not identical(other, value))


def _distinct(values: Sequence[Json]) -> list[Json]:
    different: list[Json] = []
    for value in values:
        if not any(identical(value, other) for other in different):
            different.append(value)
    return different
