"""The guard `injection`: text that tells a model what to do, where it should only be read."""

from __future__ import annotations

from collections.abc import Sequence

from orka.kit.guards.injection.detect import Layers, detect
from orka.kit.guards.injection.options import InjectionOptions, layers
from orka.kit.guards.injection.rule import Match
from orka.port.guard import Finding, Guard, Screened, guard

# An attack is seen as one when its sentence is there: so much of a stream is held back.
REACH = 400


class InjectionGuard:
    """Looks for attacks. The text stays as it is: what was found is named with its place."""

    def __init__(self, options: InjectionOptions) -> None:
        self._options = options
        self._layers: Layers = layers(options)

    @property
    def reach(self) -> int:
        """How many characters at the end of a stream may become part of a finding."""
        return REACH

    def screen(self, text: str, /) -> Screened:
        """Look at a text. Raises `ScreenError` for a pattern that takes too long."""
        matches = () if self._options.origin == "trusted_prompt" else detect(text, self._layers)
        if not matches:
            return Screened(text=text)
        findings = joined(matches)
        kinds = ", ".join(sorted({each.kind for each in findings}))
        return Screened(
            text=text,
            verdict=self._options.action,
            findings=findings,
            score=max(each.score for each in findings),
            told=f"it holds what looks like an attack: {kinds}",
        )


def joined(matches: Sequence[Match]) -> tuple[Finding, ...]:
    """The matches as findings: those that overlap are one, named for the surest of them."""
    groups: list[list[Match]] = []
    end = -1
    for each in matches:
        if each.start < end:
            groups[-1].append(each)
        else:
            groups.append([each])
        end = max(end, each.end)
    return tuple(map(_finding, groups))


def _finding(group: Sequence[Match]) -> Finding:
    surest = max(group, key=lambda each: each.score)
    return Finding(
        kind=surest.category,
        start=min(each.start for each in group),
        end=max(each.end for each in group),
        score=surest.score,
        rule=" + ".join(dict.fromkeys(each.rule for each in group)),
        decoded=next((each.decoded for each in group if each.decoded), ""),
    )


@guard("injection", config=InjectionOptions, version="1", changes=False)
def injection(options: InjectionOptions) -> Guard:
    """Finds text that tells a model what to do: instructions to drop its own, forged roles and
    template tokens, commands, hidden and encoded payloads, in many languages."""
    return InjectionGuard(options)
